// Hashes subtrees of BLAKE3 separately, in any order and on any machine, and merges them (BLAKE3 paper, section 2.1;
// the API follows the Rust crate's module `hazmat`). It is hazardous: a chaining value is not a digest, and only a tree
// of the correct shape yields the digest of the message. For projects whose own lib has no Symbol.dispose:
/// <reference lib="esnext.disposable" preserve="true" />
import { module } from "../algorithms/blake3-kernel.js";
import { type Blake3Mode, KEY_LENGTH, writeMode } from "../algorithms/blake3-mode.js";
import { Disposable } from "../engine/disposable.js";
import type { Resident } from "../engine/resident.js";
import type { Xof } from "../engine/xof.js";
import { encoder, type Input, requireBytes, toMessage } from "../input/bytes.js";
import { disposed } from "../input/errors.js";
import { MAX_UINT64, requireKnown, wholeNumber } from "../input/options.js";
import { lengthOf } from "../input/views.js";
import { parentDigest, parentValue, parentXof, type RootOptions, type WriteMode } from "./parents.js";
import {
  knowPlace,
  leftLength,
  longestAt,
  requireLeftmost,
  requireNeighbours,
  requireRoom,
  requireSome,
  toOffset,
} from "./places.js";
import { chainOf, subtreeParameters, subtreeState } from "./subtree-state.js";

export type { Blake3Mode } from "../algorithms/blake3-mode.js";
export type { RootOptions } from "./parents.js";

/** A subtree's mode, which is the same in the whole tree, and its offset (BLAKE3 paper, sections 2.1 and 2.4). */
export interface SubtreeOptions extends Blake3Mode {
  /** The offset of the subtree in the message, in bytes: a multiple of 1024, by default 0; a bigint above 2^53 - 1. */
  readonly offset?: number | bigint | undefined;
}

const NAME = "blake3";
const CHUNK = 1024n;
const MODE_OPTIONS: readonly string[] = ["key", "context"];
const SUBTREE_OPTIONS: readonly string[] = ["offset", ...MODE_OPTIONS];

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
  const whole = BigInt(wholeNumber(NAME, "length", length, MAX_UINT64));
  if (whole <= CHUNK) throw new RangeError(`${NAME}: length must be more than 1024, one chunk, got ${length}`);
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
  const longest = longestAt(toOffset(offset));
  return typeof offset === "bigint" || longest === undefined ? longest : Number(longest);
}

/**
 * Hashes a subtree that arrives in pieces.
 *
 * @example
 * const subtree = new SubtreeHasher({ offset: 1024 * 1024 });
 * for (const piece of pieces) subtree.update(piece);
 * subtree.chainingValue();
 */
export class SubtreeHasher extends Disposable {
  readonly #offset: bigint;
  readonly #parameters: Uint8Array<ArrayBuffer>;
  #state: Resident | undefined;

  /** The same as `dispose`, for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** @throws TypeError for an unknown option or a wrong type; RangeError if the offset is not a multiple of 1024 */
  constructor(options: SubtreeOptions = {}) {
    super();
    requireKnown(NAME, options, SUBTREE_OPTIONS);
    const { offset = 0 } = options;
    this.#offset = toOffset(offset);
    this.#parameters = subtreeParameters(options, this.#offset);
    this.#state = subtreeState(this.#parameters);
  }

  /** The number of bytes so far. */
  get bytesHashed(): bigint {
    return this.#live("bytesHashed").count();
  }

  /**
   * Appends to the subtree. If it throws, the subtree is unchanged.
   *
   * @throws TypeError for a value that is not an {@link Input}, or is detached; RangeError if the subtree would exceed
   *   `maxSubtreeLength(offset)` bytes; Error after `dispose`
   */
  update(input: Input): this {
    this.#live("update");
    const message = toMessage(NAME, "input", input);
    const bytes = typeof message === "string" ? encoder.encode(message) : message;
    const size = lengthOf(bytes);
    // Checked again, since a getter of the input may have disposed of this hasher.
    const state = this.#live("update");
    requireRoom(this.#offset, state.count() + BigInt(size));
    state.absorb(bytes, size);
    return this;
  }

  /**
   * Returns the chaining value of the bytes so far: 32 bytes, to be merged with those of its neighbours. It is not a
   * digest.
   *
   * @throws RangeError if there are no bytes yet; Error after `dispose`
   */
  chainingValue(): Uint8Array<ArrayBuffer> {
    const state = this.#live("chainingValue");
    const length = state.count();
    requireSome(length);
    return knowPlace(chainOf(state), { offset: this.#offset, length });
  }

  /** Wipes the state and the key. Every later call throws, except `dispose`. */
  dispose(): void {
    this.#state?.wipe();
    this.#state = undefined;
    this.#parameters.fill(0);
  }

  #live(method: string): Resident {
    if (this.#state) return this.#state;
    throw disposed(`SubtreeHasher.${method}`, "hasher");
  }
}

/**
 * Returns the chaining value of a subtree: 32 bytes, to be merged with those of its neighbours. It is not a digest.
 *
 * @param input 1 to `maxSubtreeLength(offset)` bytes; if more subtrees follow, 1024 bytes times a power of 2
 * @throws TypeError for an unknown option or a value of the wrong type; RangeError if the offset is not a multiple of
 *   1024, or if the input is empty or too long for the offset
 * @example
 * chainingValue(message.subarray(4096), { offset: 4096 });
 */
export function chainingValue(input: Input, options: SubtreeOptions = {}): Uint8Array<ArrayBuffer> {
  const subtree = new SubtreeHasher(options);
  try {
    return subtree.update(input).chainingValue();
  } finally {
    subtree.dispose();
  }
}

/**
 * Returns the chaining value of the parent of two subtrees that is not the root (BLAKE3 paper, section 2.5).
 *
 * @param left the chaining value of 1024 bytes times a power of 2
 * @param right the chaining value of the bytes that follow, at most as many
 * @throws TypeError for a value that is not a Uint8Array, or a wrong mode; RangeError for a value that does not have 32
 *   bytes, or for two values computed in this process that cannot be merged
 * @example
 * mergeSubtrees(chainingValue(first), chainingValue(second, { offset: first.length }));
 */
export function mergeSubtrees(left: Uint8Array, right: Uint8Array, mode: Blake3Mode = {}): Uint8Array<ArrayBuffer> {
  const place = requirePair(left, right);
  const value = parentValue([left, right], modeWriter(mode));
  return place ? knowPlace(value, place) : value;
}

/**
 * Returns the digest of the message whose two subtrees are given, as `blake3` does in the same mode (BLAKE3 paper,
 * section 2.6).
 *
 * @param left the chaining value of the message's first `leftSubtreeLength(n)` bytes
 * @param right the chaining value of the remaining bytes
 * @throws the same errors as `mergeSubtrees`; RangeError for a length out of range, or if `left` is known not to start
 *   at offset 0
 * @example
 * const left = chainingValue(message.subarray(0, 4096));
 * const right = chainingValue(message.subarray(4096), { offset: 4096 });
 * rootOf(left, right); // blake3(message)
 */
export function rootOf(
  left: Uint8Array,
  right: Uint8Array,
  mode: Blake3Mode = {},
  options: RootOptions = {},
): Uint8Array<ArrayBuffer> {
  requireRoot(left, right);
  return parentDigest([left, right], modeWriter(mode), options);
}

/**
 * Returns a reader of the extendable output of the message whose two subtrees are given (BLAKE3 paper, section 2.6).
 *
 * @throws the same errors as `rootOf`
 * @example
 * rootXof(left, right).read(1000);
 */
export function rootXof(left: Uint8Array, right: Uint8Array, mode: Blake3Mode = {}): Xof {
  requireRoot(left, right);
  return parentXof([left, right], modeWriter(mode));
}

function requirePair(left: Uint8Array, right: Uint8Array): ReturnType<typeof requireNeighbours> {
  requireChainingValue("left", left);
  requireChainingValue("right", right);
  return requireNeighbours(left, right);
}

function requireRoot(left: Uint8Array, right: Uint8Array): void {
  requirePair(left, right);
  requireLeftmost(left);
}

function requireChainingValue(argument: string, value: unknown): void {
  requireBytes(NAME, argument, value);
  if (lengthOf(value) !== KEY_LENGTH) {
    throw new RangeError(`${NAME}: ${argument} must have 32 bytes, got ${lengthOf(value)}`);
  }
}

/** Checks a mode, and returns a function that writes it to the kernel. */
function modeWriter(mode: Blake3Mode): WriteMode {
  requireKnown(NAME, mode, MODE_OPTIONS);
  const { key, context } = mode;
  return () => writeMode(NAME, module, key, context);
}
