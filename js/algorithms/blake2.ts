// What the BLAKE2 algorithms share: their options and the parameter block (BLAKE2 paper, section 2.8; RFC 7693 section 2.5).
import { type Algorithm, defineAlgorithm } from "../engine/algorithm.js";
import type { Claim, KernelModule } from "../engine/kernel.js";
import { ExtendableHasher, type ExtendableIdentity } from "../engine/xof.js";
import type { Input } from "../input/bytes.js";
import { boolean, bytes, integer, MAX_UINT64, requireKnown, wholeNumber } from "../input/options.js";
import {
  EXTENDABLE,
  extentOf,
  leavesOf,
  nodeDepthAt,
  OUTPUT_LENGTH_AT,
  PARALLEL,
  unknownLength,
  type Word,
} from "./blake2-block.js";
import { type LaneCost, sideBySide } from "./blake2-many.js";
import { extendableForm, parallelForm, sequentialForm } from "./blake2-state.js";

/**
 * The parameters of BLAKE2 (BLAKE2 paper, section 2.8, trees 2.10; length and key also RFC 7693, section 2.5). Lengths are in bytes; the
 * limits of BLAKE2s, where they differ, stand in brackets.
 *
 * @example
 * blake2b(message, { length: 32, key, personal: "my app v1" });
 */
export interface Blake2Options {
  /** Digest length: 1 to 64 [32], by default 64 [32]. Each length gives another digest, not a prefix of a longer one. */
  readonly length?: number;
  /** Secret key of 1 to 64 [32] bytes, for a message authentication code. */
  readonly key?: Input;
  /** Up to 16 [8] bytes, zero-padded: randomises the hash. */
  readonly salt?: Input;
  /** Up to 16 [8] bytes, zero-padded: sets an application's hashes apart from all others. */
  readonly personal?: Input;
  /** Children per tree node: 0 (unlimited) to 255, by default 1 (no tree). */
  readonly fanout?: number;
  /** Levels of the tree: 1 to 255 (unlimited), by default 1 (no tree). */
  readonly maxDepth?: number;
  /** Bytes per leaf: 0 (unlimited, the default) to 2^32 - 1. */
  readonly maxLeafLength?: number;
  /** Place of this node in its level: 0 (the default) to 2^64 - 1 [2^48 - 1], as a bigint beyond 2^53 - 1. */
  readonly nodeOffset?: number | bigint;
  /** Level of this node: 0 (a leaf, the default) to 255. */
  readonly nodeDepth?: number;
  /** Digest length of the inner nodes: 0 (no tree, the default) to 64 [32]. */
  readonly innerHashLength?: number;
  /** Whether this is the last node of its level; by default it is not. */
  readonly lastNode?: boolean;
}

const OPTIONS: readonly string[] = [
  "length",
  "key",
  "salt",
  "personal",
  "fanout",
  "maxDepth",
  "maxLeafLength",
  "nodeOffset",
  "nodeDepth",
  "innerHashLength",
  "lastNode",
];

/**
 * The parameters of BLAKE2bp and, in brackets where they differ, of BLAKE2sp (BLAKE2 paper, "Parallel hashing").
 * Lengths are in bytes.
 */
export interface Blake2ParallelOptions {
  /** Digest length: 1 to 64 [32], by default 64 [32]. Each length gives another digest, not a prefix of a longer one. */
  readonly length?: number;
  /** Secret key of 1 to 64 [32] bytes, for a message authentication code. */
  readonly key?: Input;
}

/**
 * The parameters of BLAKE2Xb and, in brackets where they differ, of BLAKE2Xs (BLAKE2X paper, section 2). Lengths are in
 * bytes.
 */
export interface Blake2ExtendableOptions {
  /**
   * Output length: 1 to 2^32 - 2 [65534]. It is part of what is hashed, so each length gives another output, not a prefix
   * of a longer one. Left out, the length counts as unknown beforehand, which gives an output of its own of 2^38 [2^37]
   * bytes; `digest` and the call answer its first 64 [32] bytes, `xof` reads on.
   */
  readonly length?: number;
  /** Secret key of 1 to 64 [32] bytes, for a message authentication code. */
  readonly key?: Input;
  /** Up to 16 [8] bytes, zero-padded: randomises the hash. */
  readonly salt?: Input;
  /** Up to 16 [8] bytes, zero-padded: sets an application's hashes apart from all others. */
  readonly personal?: Input;
}

const PARALLEL_OPTIONS: readonly string[] = ["length", "key"];
const EXTENDABLE_OPTIONS: readonly string[] = ["length", "key", "salt", "personal"];

const MAX_UINT48 = 0xffff_ffff_ffffn;

interface Variant {
  readonly name: string;
  readonly module: KernelModule;
  readonly word: Word;
}

type Encode<Options> = (name: string, word: Word, options: Options, claim: Claim) => number;

function describeVariant<Options extends object>(
  { name, module, word }: Variant,
  known: readonly string[],
  encodeOptions: Encode<Options>,
) {
  return {
    name,
    module,
    digestLength: 8 * word,
    blockLength: 16 * word,
    // Parameter block, key, flags; the whole is a multiple of the word (wasm/blake2.h).
    parametersLength: 17 * word,
    encode(options: Options, claim: Claim): number {
      requireKnown(name, options, known);
      return encodeOptions(name, word, options, claim);
    },
  };
}

// In blocks, fitted to times on Node 20. In BLAKE2s n messages of b blocks in all take 690 + 128 n + 42 b ns in the lanes and
// 73 n + 94 b one by one: 64 messages of 64 bytes 0.95 times as fast, of 256 bytes 1.54, of 1024 bytes 2.07; 8 messages 0.70,
// 1.14 and 1.86. BLAKE2b gains less: 64 messages 0.84, 0.89 and 1.16, 8 messages 0.62, 0.69 and 1.03.
const LANE_COSTS: Record<Word, LaneCost> = { 8: { each: 4, once: 32 }, 4: { each: 1, once: 14 } };

export function defineBlake2(variant: Variant): Algorithm<Blake2Options> {
  return defineAlgorithm<Blake2Options>({
    ...describeVariant(variant, OPTIONS, encodeSequential),
    state: sequentialForm(variant.word),
    sideBySide: sideBySide(LANE_COSTS[variant.word]),
  });
}

export function defineBlake2Parallel(variant: Variant): Algorithm<Blake2ParallelOptions> {
  return defineAlgorithm<Blake2ParallelOptions>({
    ...describeVariant(variant, PARALLEL_OPTIONS, encodeParallel),
    state: parallelForm(variant.word),
  });
}

export function defineBlake2Extendable(variant: Variant): Algorithm<Blake2ExtendableOptions, ExtendableHasher> {
  return defineAlgorithm<Blake2ExtendableOptions, ExtendableHasher, ExtendableIdentity>(
    {
      ...describeVariant(variant, EXTENDABLE_OPTIONS, encodeExtendable),
      state: extendableForm(variant.word),
      extent: (parameters) => extentOf(variant.word, parameters),
    },
    ExtendableHasher,
  );
}

function encodeSequential(name: string, word: Word, options: Blake2Options, claim: Claim): number {
  const { length, key, salt, personal, fanout, maxDepth, maxLeafLength } = options;
  const { nodeOffset, nodeDepth, innerHashLength, lastNode } = options;
  const target = claim();
  const offsetLength = word === 8 ? 8 : 6;
  const digestLength = encodeDigest(name, word, length, key, target);
  target[2] = integer(name, "fanout", fanout, 0, 255, 1);
  target[3] = integer(name, "maxDepth", maxDepth, 1, 255, 1);
  // The block is zero: writing what is left out takes 50 to 65 ns of the 540 of a short keyed hash, as comparing bigints does.
  if (maxLeafLength !== undefined) {
    putInteger(target, 4, 4, integer(name, "maxLeafLength", maxLeafLength, 0, 2 ** 32 - 1));
  }
  if (nodeOffset !== undefined) {
    const max = word === 8 ? MAX_UINT64 : MAX_UINT48;
    putInteger(target, 8, offsetLength, wholeNumber(name, "nodeOffset", nodeOffset, max));
  }
  target[8 + offsetLength] = integer(name, "nodeDepth", nodeDepth, 0, 255, 0);
  target[9 + offsetLength] = integer(name, "innerHashLength", innerHashLength, 0, 8 * word, 0);
  encodeSalt(name, word, salt, personal, target);
  target[16 * word] = boolean(name, "lastNode", lastNode) ? 1 : 0;
  return digestLength;
}

/** What all nodes share (BLAKE2 paper, "Parallel hashing"); the kernel adds their offsets and depths. */
function encodeParallel(name: string, word: Word, options: Blake2ParallelOptions, claim: Claim): number {
  const { length, key } = options;
  const target = claim();
  const digestLength = encodeDigest(name, word, length, key, target);
  target[2] = leavesOf(word);
  target[3] = 2;
  target[nodeDepthAt(word) + 1] = 8 * word;
  target[16 * word] = PARALLEL;
  return digestLength;
}

/** The parameter block of the message's own hash (BLAKE2X paper, section 2); the kernel makes the output's out of it. */
function encodeExtendable(name: string, word: Word, options: Blake2ExtendableOptions, claim: Claim): number {
  const { length, key, salt, personal } = options;
  const target = claim();
  const unknown = unknownLength(word);
  const outputLength = integer(name, "length", length, 1, unknown - 1, unknown);
  encodeDigest(name, word, undefined, key, target);
  target[2] = 1;
  target[3] = 1;
  putInteger(target, OUTPUT_LENGTH_AT, word / 2, outputLength);
  encodeSalt(name, word, salt, personal, target);
  target[16 * word] = EXTENDABLE;
  return outputLength === unknown ? 8 * word : outputLength;
}

type Bytes = Input | undefined;

function encodeDigest(name: string, word: Word, length: number | undefined, key: Bytes, target: Uint8Array): number {
  const longest = 8 * word;
  const digestLength = integer(name, "length", length, 1, longest, longest);
  target[0] = digestLength;
  target[1] = encodeBytes(name, "key", key, 1, longest, target, 8 * word);
  return digestLength;
}

function encodeSalt(name: string, word: Word, salt: Bytes, personal: Bytes, target: Uint8Array): void {
  encodeBytes(name, "salt", salt, 0, 2 * word, target, 4 * word);
  encodeBytes(name, "personal", personal, 0, 2 * word, target, 6 * word);
}

/** Writes an option's bytes, if it is there; answers how many. */
function encodeBytes(
  name: string,
  option: string,
  value: Input | undefined,
  min: number,
  max: number,
  target: Uint8Array,
  at: number,
): number {
  if (value === undefined) return 0;
  const octets = bytes(name, option, value, min, max);
  target.set(octets, at);
  return octets.length;
}

/** Writes a whole number in little-endian order. */
function putInteger(target: Uint8Array, at: number, length: number, value: number | bigint): void {
  if (typeof value === "bigint") {
    for (let i = 0; i < length; i++) target[at + i] = Number((value >> BigInt(8 * i)) & 255n);
  } else {
    for (let i = 0, rest = value; i < length; i++, rest = Math.floor(rest / 256)) target[at + i] = rest % 256;
  }
}
