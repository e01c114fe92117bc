// Hashes subtrees of BLAKE3 separately, in any order and on any machine, and merges them (BLAKE3 paper, section 2.1;
// the API follows the Rust crate's module `hazmat`). It is hazardous: a chaining value is not a digest, and only a tree
// of the correct shape yields the digest of the message.
import { kernels } from "../algorithms/blake3-kernel.js";
import { type Blake3Mode, modeBytes } from "../algorithms/blake3-mode.js";
import type { Xof } from "../engine/xof.js";
import { copyOfBytes } from "../input/bytes.js";
import { pooledSecret } from "../input/caller-bytes.js";
import { outOfRange, requireArguments } from "../input/errors.js";
import { MAX_UINT64, NO_OPTIONS, requireKnown, wholeNumber } from "../input/options.js";
import { CHUNK, leftLength, maxLengthAt, NODE, VALUE } from "../tree/geometry.js";
import { mergeValues, type Pair } from "../tree/merge.js";
import { toOffset } from "./hasher.js";
import { type RootOptions, rootDigest, rootLength, rootReader } from "./root.js";

export type { Blake3Mode } from "../algorithms/blake3-mode.js";
export type { RootOptions } from "./root.js";

const MODE_OPTIONS: readonly string[] = ["key", "context"];

/**
 * Returns the length of the left subtree of a message, or of a subtree, of `length` bytes.
 *
 * @param length a number of bytes greater than 1024: a single chunk has no subtrees
 * @returns a power of 2, as a bigint if `length` is one
 * @throws TypeError for a value that is not a number or bigint; RangeError if it is not from 1025 to 2^64 - 1
 * @example
 * leftSubtreeLength(5000); // 4096
 */
export function leftSubtreeLength(length: number): number;
export function leftSubtreeLength(length: bigint): bigint;
export function leftSubtreeLength(length: number | bigint): number | bigint;
export function leftSubtreeLength(length: number | bigint): number | bigint {
  const call = "leftSubtreeLength";
  requireArguments(call, arguments.length, 1);
  const whole = BigInt(wholeNumber(call, "length", length, MAX_UINT64));
  if (whole <= BigInt(CHUNK)) throw outOfRange(call, "length must be more than 1024, one chunk", length);
  const left = leftLength(whole);
  return typeof length === "bigint" ? left : Number(left);
}

/**
 * Returns the maximum length of a subtree at an offset, in bytes.
 *
 * @returns a power of 2, as a bigint if `offset` is one; undefined for offset 0, which has no limit
 * @throws TypeError for a value that is not a number or bigint; RangeError if it is not a multiple of 1024 below 2^64
 * @example
 * maxSubtreeLength(12288); // 4096
 */
export function maxSubtreeLength(offset: number): number | undefined;
export function maxSubtreeLength(offset: bigint): bigint | undefined;
export function maxSubtreeLength(offset: number | bigint): number | bigint | undefined;
export function maxSubtreeLength(offset: number | bigint): number | bigint | undefined {
  requireArguments("maxSubtreeLength", arguments.length, 1);
  const longest = maxLengthAt(toOffset("maxSubtreeLength", offset));
  return typeof offset === "bigint" || longest === undefined ? longest : Number(longest);
}

/**
 * Returns the chaining value of the parent of two subtrees that is not the root (BLAKE3 paper, section 2.5).
 *
 * @param left the chaining value of 1024 bytes times a power of 2
 * @param right the chaining value of the bytes that follow, at most as many
 * @throws TypeError for a value that is not a Uint8Array, or a wrong mode; RangeError for a value that does not have 32
 *   bytes
 * @example
 * mergeSubtrees(chainingValue(first), chainingValue(second, { offset: first.length }));
 */
export function mergeSubtrees(
  left: Uint8Array,
  right: Uint8Array,
  mode: Blake3Mode = NO_OPTIONS,
): Uint8Array<ArrayBuffer> {
  const call = "mergeSubtrees";
  requireArguments(call, arguments.length, 3);
  return withPair(call, left, right, mode, (own, pair) => {
    const node = pooledSecret(NODE);
    try {
      node.set(pair[0]);
      node.set(pair[1], VALUE);
      return mergeValues(own, node);
    } finally {
      node.fill(0);
    }
  });
}

/**
 * Returns the digest of the message whose two subtrees are given, as `blake3` does in the same mode (BLAKE3 paper,
 * section 2.6).
 *
 * @param left the chaining value of the message's first `leftSubtreeLength(n)` bytes
 * @param right the chaining value of the remaining bytes
 * @throws the same errors as `mergeSubtrees`; RangeError for a length out of range
 * @example
 * const left = chainingValue(message.subarray(0, 4096));
 * const right = chainingValue(message.subarray(4096), { offset: 4096 });
 * rootOf(left, right); // blake3(message)
 */
export function rootOf(
  left: Uint8Array,
  right: Uint8Array,
  mode: Blake3Mode = NO_OPTIONS,
  options: RootOptions = NO_OPTIONS,
): Uint8Array<ArrayBuffer> {
  const call = "rootOf";
  requireArguments(call, arguments.length, 4);
  return withPair(call, left, right, mode, (own, pair) => rootDigest(call, own, pair, rootLength(call, options)));
}

/**
 * Returns a reader of the extendable output of the message whose two subtrees are given (BLAKE3 paper, section 2.6).
 *
 * @throws the same errors as `rootOf`
 * @example
 * rootXof(left, right).read(1000);
 */
export function rootXof(left: Uint8Array, right: Uint8Array, mode: Blake3Mode = NO_OPTIONS): Xof {
  requireArguments("rootXof", arguments.length, 3);
  return withPair("rootXof", left, right, mode, rootReader);
}

/** Passes a mode and copies of two chaining values to `use`, and wipes them. */
function withPair<T>(
  call: string,
  left: Uint8Array,
  right: Uint8Array,
  mode: Blake3Mode,
  use: (mode: Uint8Array, pair: Pair) => T,
): T {
  requireKnown(call, mode, MODE_OPTIONS);
  const secrets = [modeBytes(call, kernels, mode)];
  try {
    const pair = [copyOfBytes(call, "left", left, VALUE), copyOfBytes(call, "right", right, VALUE)] as const;
    secrets.push(...pair);
    return use(secrets[0] as Uint8Array, pair);
  } finally {
    for (const secret of secrets) secret.fill(0);
  }
}
