// The options of the BLAKE2 algorithms, and their encoding (BLAKE2 paper, section 2.8; RFC 7693, section 2.5).
import { type Algorithm, type Description, defineAlgorithm } from "../engine/algorithm.js";
import type { Hasher } from "../engine/hasher.js";
import type { KernelModule } from "../engine/kernel-module.js";
import type { Area } from "../engine/memory.js";
import { xofOutput } from "../engine/output.js";
import { ExtendableHasher, type ExtendableIdentity } from "../engine/xof.js";
import type { ByteInput, Input } from "../input/bytes.js";
import {
  boolean,
  integer,
  MAX_UINT64,
  type NotIterable,
  optionalBytes,
  optionalKey,
  optionLength,
  requireKnown,
  undefinedSecret,
  wholeNumber,
} from "../input/options.js";
import { copyBytes } from "../input/views.js";
import {
  EXTENDABLE,
  leavesOf,
  maxOutputLengthOf,
  nodeDepthAt,
  OUTPUT_LENGTH_AT,
  PARALLEL,
  unknownLength,
  type Word,
} from "./blake2-block.js";

/**
 * The options of BLAKE2 (BLAKE2 paper, section 2.8 and, for trees, 2.10; length and key also RFC 7693, section 2.5).
 * Lengths are in bytes. Where BLAKE2s has another limit, it follows in parentheses.
 *
 * @example
 * blake2b(message, { length: 32, key, personal: "my app v1" });
 */
export interface Blake2Options extends NotIterable {
  /** Digest length: 1 to 64, 64 by default (BLAKE2s: 32). A shorter digest is not a prefix of a longer one. */
  readonly length?: number | undefined;
  /** Secret key of 1 to 64 bytes (BLAKE2s: 32), for a message authentication code. */
  readonly key?: ByteInput;
  /**
   * Up to 16 bytes (BLAKE2s: 8), zero-padded. A random value makes digests of equal messages differ; it need not be
   * secret.
   */
  readonly salt?: Input | undefined;
  /** Up to 16 bytes (BLAKE2s: 8), zero-padded. A name of the application or purpose: different names, different digests. */
  readonly personal?: Input | undefined;
  /** Children per tree node: 0 (unlimited) to 255, by default 1 (no tree). */
  readonly fanout?: number | undefined;
  /** Levels of the tree: 1 to 255 (unlimited), by default 1 (no tree). */
  readonly maxDepth?: number | undefined;
  /** Bytes per leaf: 0 (unlimited, the default) to 2^32 - 1. */
  readonly maxLeafLength?: number | undefined;
  /** Index of this node in its level: 0 (the default) to 2^64 - 1 (BLAKE2s: 2^48 - 1), as a bigint above 2^53 - 1. */
  readonly nodeOffset?: number | bigint | undefined;
  /** Level of this node: 0 (a leaf, the default) to 255. */
  readonly nodeDepth?: number | undefined;
  /** Digest length of the inner nodes: 0 (no tree, the default) to 64 (BLAKE2s: 32). */
  readonly innerHashLength?: number | undefined;
  /** Whether this is the last node of its level; false by default. */
  readonly lastNode?: boolean | undefined;
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
 * The options of BLAKE2bp and BLAKE2sp (BLAKE2 paper, "Parallel hashing"). Lengths are in bytes. Where BLAKE2sp has
 * another limit, it follows in parentheses.
 */
export interface Blake2ParallelOptions extends NotIterable {
  /** Digest length: 1 to 64, 64 by default (BLAKE2sp: 32). A shorter digest is not a prefix of a longer one. */
  readonly length?: number | undefined;
  /** Secret key of 1 to 64 bytes (BLAKE2sp: 32), for a message authentication code. */
  readonly key?: ByteInput;
}

/**
 * The options of BLAKE2Xb and BLAKE2Xs (BLAKE2X paper, section 2). Lengths are in bytes. Where BLAKE2Xs has another limit,
 * it follows in parentheses.
 */
export interface Blake2ExtendableOptions extends NotIterable {
  /**
   * Output length: 1 to 2^32 - 2 (BLAKE2Xs: 65534). The length is hashed too, so a shorter output is not a prefix of a
   * longer one. If omitted, the length counts as not known in advance: the output then has 2^38 (2^37) bytes, of which a
   * digest is the first 64 (32), and `xof` reads any part.
   */
  readonly length?: number | undefined;
  /** Secret key of 1 to 64 bytes (BLAKE2Xs: 32), for a message authentication code. */
  readonly key?: ByteInput;
  /**
   * Up to 16 bytes (BLAKE2Xs: 8), zero-padded. A random value makes digests of equal messages differ; it need not be
   * secret.
   */
  readonly salt?: Input | undefined;
  /** Up to 16 bytes (BLAKE2Xs: 8), zero-padded. A name of the application or purpose: different names, different digests. */
  readonly personal?: Input | undefined;
}

const PARALLEL_OPTIONS: readonly string[] = ["length", "key"];
const EXTENDABLE_OPTIONS: readonly string[] = ["length", "key", "salt", "personal"];

const MAX_UINT48 = 0xffff_ffff_ffffn;

interface Variant<Name extends string> {
  readonly name: Name;
  readonly module: KernelModule;
  readonly word: Word;
}

type Write<Options> = (
  call: string,
  word: Word,
  options: Options,
  key: ByteInput | undefined,
  module: KernelModule,
) => number;

function describeVariant<Options extends Blake2ParallelOptions, Name extends string>(
  { name, module, word }: Variant<Name>,
  known: readonly string[],
  write: Write<Options>,
) {
  return {
    name,
    module,
    digestLength: 8 * word,
    blockLength: 16 * word,
    countBits: 16 * word,
    // Parameter block, key, flags; the whole is a multiple of the word (wasm/blake2/message.h).
    parametersLength: 17 * word,
    writeParameters(options: Options, call: string): number {
      requireKnown(call, options, known);
      const { key } = options;
      if (key === undefined && "key" in options) throw undefinedSecret(call, "key");
      return write(call, word, options, key, module);
    },
  };
}

/** @param many how to hash several messages, if not one by one */
export function defineBlake2<Name extends string>(
  variant: Variant<Name>,
  many: Pick<Description<Blake2Options, string>, "hashBatch"> = {},
): Algorithm<Blake2Options, Hasher, Name> {
  return defineAlgorithm<Blake2Options, Name>({ ...describeVariant(variant, OPTIONS, writeSequential), ...many });
}

export function defineBlake2Parallel<Name extends string>(
  variant: Variant<Name>,
): Algorithm<Blake2ParallelOptions, Hasher, Name> {
  return defineAlgorithm<Blake2ParallelOptions, Name>({
    ...describeVariant(variant, PARALLEL_OPTIONS, writeParallel),
  });
}

export function defineBlake2Extendable<Name extends string>(
  variant: Variant<Name>,
): Algorithm<Blake2ExtendableOptions, ExtendableHasher, Name> {
  return defineAlgorithm<Blake2ExtendableOptions, Name, ExtendableHasher, ExtendableIdentity>(
    {
      ...describeVariant(variant, EXTENDABLE_OPTIONS, writeExtendable),
      xofOutput,
      maxOutputLength: (parameters) => maxOutputLengthOf(variant.word, parameters),
    },
    ExtendableHasher,
  );
}

function writeSequential(
  call: string,
  word: Word,
  options: Blake2Options,
  key: ByteInput | undefined,
  module: KernelModule,
): number {
  const { length, salt, personal, fanout, maxDepth, maxLeafLength } = options;
  const { nodeOffset, nodeDepth, innerHashLength, lastNode } = options;
  const longest = 8 * word;
  const digestLength = integer(call, "length", length, 1, longest, longest);
  const children = integer(call, "fanout", fanout, 0, 255, 1);
  const depth = integer(call, "maxDepth", maxDepth, 1, 255, 1);
  const leaf = integer(call, "maxLeafLength", maxLeafLength, 0, 2 ** 32 - 1, 0);
  // Skipped if absent, since comparing bigints takes as long as the rest of this function.
  const place = nodeOffset === undefined ? 0 : wholeNumber(call, "nodeOffset", nodeOffset, maxNodeOffset(word));
  const level = integer(call, "nodeDepth", nodeDepth, 0, 255, 0);
  const inner = integer(call, "innerHashLength", innerHashLength, 0, longest, 0);
  const last = boolean(call, "lastNode", lastNode);

  const { bytes: target, view } = beginWith(call, word, module, key, salt, personal);
  const depthAt = nodeDepthAt(word);
  target[0] = digestLength;
  target[2] = children;
  target[3] = depth;
  // The block is already zero, and writing zeros again is a tenth of a short keyed hash.
  if (leaf !== 0) view.setUint32(4, leaf, true);
  // The offset of BLAKE2s has 48 bits, and the next two bytes are written below.
  if (nodeOffset !== undefined) putUint64(view, 8, place);
  target[depthAt] = level;
  target[depthAt + 1] = inner;
  target[16 * word] = last ? 1 : 0;
  return digestLength;
}

function maxNodeOffset(word: Word): bigint {
  return word === 8 ? MAX_UINT64 : MAX_UINT48;
}

/** The parameters common to all nodes (BLAKE2 paper, "Parallel hashing"); the kernel adds node offset and depth. */
function writeParallel(
  call: string,
  word: Word,
  options: Blake2ParallelOptions,
  key: ByteInput | undefined,
  module: KernelModule,
): number {
  const longest = 8 * word;
  const digestLength = integer(call, "length", options.length, 1, longest, longest);

  const target = beginWith(call, word, module, key).bytes;
  target[0] = digestLength;
  target[2] = leavesOf(word);
  target[3] = 2;
  target[nodeDepthAt(word) + 1] = longest;
  target[16 * word] = PARALLEL;
  return digestLength;
}

/** The parameter block of the root hash (BLAKE2X paper, section 2), from which the kernel derives the output's. */
function writeExtendable(
  call: string,
  word: Word,
  options: Blake2ExtendableOptions,
  key: ByteInput | undefined,
  module: KernelModule,
): number {
  const { length, salt, personal } = options;
  const longest = 8 * word;
  const unknown = unknownLength(word);
  const outputLength = integer(call, "length", length, 1, unknown - 1, unknown);

  const { bytes: target, view } = beginWith(call, word, module, key, salt, personal);
  target[0] = longest;
  target[2] = 1;
  target[3] = 1;
  // The length of BLAKE2Xs has 16 bits, and zeros follow it.
  view.setUint32(OUTPUT_LENGTH_AT, outputLength, true);
  target[16 * word] = EXTENDABLE;
  return outputLength === unknown ? longest : outputLength;
}

/** Checks what all parameter blocks may have, begins a call of the kernel, and writes it to the zeroed parameters. */
function beginWith(
  call: string,
  word: Word,
  module: KernelModule,
  key: ByteInput | undefined,
  salt?: Input,
  personal?: Input,
): Area {
  const keyBytes = optionalKey(call, key);
  const keyLength = optionLength(call, "key", keyBytes, 1, 8 * word);
  const saltBytes = optionalBytes(call, "salt", salt);
  const saltLength = optionLength(call, "salt", saltBytes, 0, 2 * word);
  const personalBytes = optionalBytes(call, "personal", personal);
  const personalLength = optionLength(call, "personal", personalBytes, 0, 2 * word);

  const area = module.begin().ownParameters();
  area.bytes[1] = keyLength;
  if (keyBytes) copyBytes(area.field(8 * word, 8 * word), 0, keyBytes, keyLength);
  if (saltBytes) copyBytes(area.field(4 * word, 2 * word), 0, saltBytes, saltLength);
  if (personalBytes) copyBytes(area.field(6 * word, 2 * word), 0, personalBytes, personalLength);
  return area;
}

/** Writes an integer in little-endian order. A bigint made of a number would be garbage. */
function putUint64(view: DataView, at: number, value: number | bigint): void {
  if (typeof value === "bigint") {
    view.setBigUint64(at, value, true);
  } else {
    view.setUint32(at, value, true);
    view.setUint32(at + 4, value / 2 ** 32, true);
  }
}
