// The options of the BLAKE2 algorithms, and their encoding (BLAKE2 paper, section 2.8; RFC 7693, section 2.5).
import { type Algorithm, defineAlgorithm } from "../engine/algorithm.js";
import type { Hasher } from "../engine/hasher.js";
import type { AlgorithmRecord, InLanes, Kernels, Parameters } from "../engine/kernel.js";
import { ExtendableHasher } from "../engine/xof.js";
import type { ByteInput, Bytes, Input } from "../input/bytes.js";
import { copyBytes } from "../input/caller-bytes.js";
import {
  boolean,
  integer,
  MAX_UINT64,
  missingSecret,
  type NotIterable,
  optionalBytes,
  optionalKey,
  optionLength,
  requireKnown,
  wholeNumber,
} from "../input/options.js";
import {
  EXTENDABLE,
  leavesOf,
  maxOutputLengthOf,
  nodeDepthAt,
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
  /**
   * Up to 16 bytes (BLAKE2s: 8), zero-padded. A name of the application or purpose: different names, different digests.
   */
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
 * The options of BLAKE2Xb and BLAKE2Xs (BLAKE2X paper, section 2). Lengths are in bytes. Where BLAKE2Xs has another
 * limit, it follows in parentheses.
 */
export interface Blake2ExtendableOptions extends NotIterable {
  /**
   * Output length: 1 to 2^32 - 2 (BLAKE2Xs: 65534). The length is hashed too, so a shorter output is not a prefix of a
   * longer one. If omitted, the length counts as not known in advance: the output then has 2^38 (2^37) bytes, of which
   * a digest is the first 64 (32), and `xof` reads any part.
   */
  readonly length?: number | undefined;
  /** Secret key of 1 to 64 bytes (BLAKE2Xs: 32), for a message authentication code. */
  readonly key?: ByteInput;
  /**
   * Up to 16 bytes (BLAKE2Xs: 8), zero-padded. A random value makes digests of equal messages differ; it need not be
   * secret.
   */
  readonly salt?: Input | undefined;
  /**
   * Up to 16 bytes (BLAKE2Xs: 8), zero-padded. A name of the application or purpose: different names, different
   * digests.
   */
  readonly personal?: Input | undefined;
}

const PARALLEL_OPTIONS: readonly string[] = ["length", "key"];
const EXTENDABLE_OPTIONS: readonly string[] = ["length", "key", "salt", "personal"];

const MAX_UINT48 = 0xffff_ffff_ffffn;

/** What tells one algorithm of a word size from the others. */
interface Variant<Name extends string> {
  readonly name: Name;
  readonly kernels: Kernels;
  readonly word: Word;
  /** Hashes several messages in the lanes of a kernel, if that can be faster. */
  readonly inLanes?: InLanes;
}

/** The record of a variant; `read` has the options but the key, of which `known` are the names. */
function recordOf<Options extends Blake2ParallelOptions, Name extends string>(
  { name, kernels, word, inLanes }: Variant<Name>,
  known: readonly string[],
  read: (call: string, word: Word, options: Options, bytes: Bytes) => Parameters,
): AlgorithmRecord<Options, Name> {
  return {
    name,
    kernels,
    digestLength: 8 * word,
    blockLength: 16 * word,
    parametersLength: parametersLength(word),
    inLanes,
    parameters(options, call, bytes) {
      requireKnown(call, options, known);
      if (options.key == null && "key" in options) throw missingSecret(call, "key", options.key);
      return read(call, word, options, bytes);
    },
  };
}

export function defineBlake2<Name extends string>(variant: Variant<Name>): Algorithm<Blake2Options, Hasher, Name> {
  return defineAlgorithm<Blake2Options, Name>(recordOf(variant, OPTIONS, readSequential));
}

export function defineBlake2Parallel<Name extends string>(
  variant: Variant<Name>,
): Algorithm<Blake2ParallelOptions, Hasher, Name> {
  return defineAlgorithm<Blake2ParallelOptions, Name>(recordOf(variant, PARALLEL_OPTIONS, readParallel));
}

export function defineBlake2Extendable<Name extends string>(
  variant: Variant<Name>,
): Algorithm<Blake2ExtendableOptions, ExtendableHasher, Name> {
  return defineAlgorithm<Blake2ExtendableOptions, Name, ExtendableHasher>(
    {
      ...recordOf(variant, EXTENDABLE_OPTIONS, readExtendable),
      maxOutputLength: (parameters) => maxOutputLengthOf(variant.word, parameters),
    },
    ExtendableHasher,
  );
}

/** The parameters of hashes without a key, a salt or anything else, by their digest lengths. */
const plain: Readonly<Record<Word, (Parameters | undefined)[]>> = {
  8: /* @__PURE__ */ new Array(65),
  4: /* @__PURE__ */ new Array(33),
};

function readSequential(call: string, word: Word, options: Blake2Options, bytes: Bytes): Parameters {
  const { length, key, salt, personal, fanout, maxDepth, maxLeafLength } = options;
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

  const sequential = children === 1 && depth === 1 && !leaf && !place && !level && !inner && !last;
  const isPlain = sequential && key === undefined && salt === undefined && personal === undefined;
  if (isPlain && plain[word][digestLength]) return plain[word][digestLength];

  writeBlock(call, word, bytes, digestLength, key, salt, personal);
  bytes[2] = children;
  bytes[3] = depth;
  putUint(bytes, 4, 4, leaf);
  putUint(bytes, 8, word === 8 ? 8 : 6, place);
  bytes[nodeDepthAt(word)] = level;
  bytes[nodeDepthAt(word) + 1] = inner;
  bytes[16 * word] = last ? 1 : 0;
  if (!isPlain) return { bytes, digestLength, secret: true };
  plain[word][digestLength] = { bytes: bytes.slice(), digestLength, secret: false };
  return plain[word][digestLength];
}

function maxNodeOffset(word: Word): bigint {
  return word === 8 ? MAX_UINT64 : MAX_UINT48;
}

/** The parameters common to all nodes (BLAKE2 paper, "Parallel hashing"); the kernel adds node offset and depth. */
function readParallel(call: string, word: Word, options: Blake2ParallelOptions, bytes: Bytes): Parameters {
  const { length, key } = options;
  const longest = 8 * word;
  const digestLength = integer(call, "length", length, 1, longest, longest);
  writeBlock(call, word, bytes, digestLength, key);
  bytes[2] = leavesOf(word);
  bytes[3] = 2;
  bytes[nodeDepthAt(word) + 1] = longest;
  bytes[16 * word] = PARALLEL;
  return { bytes, digestLength, secret: true };
}

/** The parameter block of the root hash (BLAKE2X paper, section 2), from which the kernel derives the output's. */
function readExtendable(call: string, word: Word, options: Blake2ExtendableOptions, bytes: Bytes): Parameters {
  const { length, key, salt, personal } = options;
  const unknown = unknownLength(word);
  const outputLength = integer(call, "length", length, 1, unknown - 1, unknown);
  // An extendable output is made of the longest digests.
  writeBlock(call, word, bytes, 8 * word, key, salt, personal);
  bytes[2] = bytes[3] = 1;
  // In the upper half of the node offset.
  putUint(bytes, 12, word / 2, outputLength);
  bytes[16 * word] = EXTENDABLE;
  return { bytes, digestLength: outputLength === unknown ? 8 * word : outputLength, secret: true };
}

/** Checks what all parameter blocks may have, and writes it. */
function writeBlock(
  call: string,
  word: Word,
  bytes: Bytes,
  digestLength: number,
  keyOption: ByteInput | undefined,
  saltOption?: Input,
  personalOption?: Input,
): void {
  const key = optionalKey(call, keyOption);
  const keyLength = optionLength(call, "key", key, 1, 8 * word);
  const salt = optionalBytes(call, "salt", saltOption);
  const saltLength = optionLength(call, "salt", salt, 0, 2 * word);
  const personal = optionalBytes(call, "personal", personalOption);
  const personalLength = optionLength(call, "personal", personal, 0, 2 * word);
  bytes[0] = digestLength;
  bytes[1] = keyLength;
  if (salt) copyBytes(bytes, 4 * word, salt, saltLength);
  if (personal) copyBytes(bytes, 6 * word, personal, personalLength);
  if (key) copyBytes(bytes, 8 * word, key, keyLength);
}

/** Parameter block, key, flags; the whole is a multiple of the word (wasm/blake2/mode.h). */
function parametersLength(word: Word): number {
  return 17 * word;
}

/** Writes `length` bytes of an integer in little-endian order. */
function putUint(bytes: Uint8Array, at: number, length: number, value: number | bigint): void {
  // Not by `rest >>= 8n`, which @vercel/nft takes for `rest = 8n`, and then fails at `rest % 256`.
  if (typeof value === "bigint") {
    putUint(bytes, at, 4, Number(BigInt.asUintN(32, value)));
    putUint(bytes, at + 4, length - 4, Number(value >> 32n));
    return;
  }
  let rest = value;
  for (let i = at; i < at + length && rest !== 0; i++) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}
