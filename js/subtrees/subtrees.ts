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
import { disposed, outOfRange, requireArguments } from "../input/errors.js";
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
  const call = "leftSubtreeLength";
  requireArguments(call, arguments.length, 1);
  const whole = BigInt(wholeNumber(call, "length", length, MAX_UINT64));
  if (whole <= CHUNK) throw outOfRange(call, "length must be more than 1024, one chunk", length);
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
  const longest = longestAt(toOffset("maxSubtreeLength", offset));
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
    requireArguments("SubtreeHasher", arguments.length, 1);
    [this.#offset, this.#parameters] = readOptions("SubtreeHasher", options);
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
    const call = "SubtreeHasher.update";
    requireArguments(call, arguments.length, 1);
    this.#live("update");
    const bytes = bytesOf(call, input);
    const size = lengthOf(bytes);
    // Checked again, since a getter of the input may have disposed of this hasher.
    append(call, this.#live("update"), this.#offset, bytes, size);
    return this;
  }

  /**
   * Returns the chaining value of the bytes so far: 32 bytes, to be merged with those of its neighbours. It is not a
   * digest.
   *
   * @throws RangeError if there are no bytes yet; Error after `dispose`
   */
  chainingValue(): Uint8Array<ArrayBuffer> {
    const call = "SubtreeHasher.chainingValue";
    requireArguments(call, arguments.length, 0);
    return chainingValueOf(call, this.#live("chainingValue"), this.#offset);
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
  const call = "chainingValue";
  requireArguments(call, arguments.length, 2);
  const [offset, parameters] = readOptions(call, options);
  const state = subtreeState(parameters);
  try {
    const bytes = bytesOf(call, input);
    append(call, state, offset, bytes, lengthOf(bytes));
    return chainingValueOf(call, state, offset);
  } finally {
    state.wipe();
    parameters.fill(0);
  }
}

/** Reads a subtree's options. Returns its offset, and mode and offset as the kernel reads them. */
function readOptions(call: string, options: SubtreeOptions): [offset: bigint, parameters: Uint8Array<ArrayBuffer>] {
  requireKnown(call, options, SUBTREE_OPTIONS);
  const offset = toOffset(call, options.offset ?? 0);
  return [offset, subtreeParameters(call, options, offset)];
}

function bytesOf(call: string, input: Input): Uint8Array {
  const message = toMessage(call, "input", input);
  return typeof message === "string" ? encoder.encode(message) : message;
}

/** Appends bytes to a subtree, unless it would be too long for its offset. */
function append(call: string, state: Resident, offset: bigint, bytes: Uint8Array, size: number): void {
  requireRoom(call, offset, state.count() + BigInt(size));
  state.absorb(bytes, size);
}

function chainingValueOf(call: string, state: Resident, offset: bigint): Uint8Array<ArrayBuffer> {
  const length = state.count();
  requireSome(call, length);
  return knowPlace(chainOf(state), { offset, length });
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
  const call = "mergeSubtrees";
  requireArguments(call, arguments.length, 3);
  const place = requirePair(call, left, right);
  const value = parentValue([left, right], modeWriter(call, mode));
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
  requireArguments("rootOf", arguments.length, 4);
  requireRoot("rootOf", left, right);
  return parentDigest("rootOf", [left, right], modeWriter("rootOf", mode), options);
}

/**
 * Returns a reader of the extendable output of the message whose two subtrees are given (BLAKE3 paper, section 2.6).
 *
 * @throws the same errors as `rootOf`
 * @example
 * rootXof(left, right).read(1000);
 */
export function rootXof(left: Uint8Array, right: Uint8Array, mode: Blake3Mode = {}): Xof {
  requireArguments("rootXof", arguments.length, 3);
  requireRoot("rootXof", left, right);
  return parentXof([left, right], modeWriter("rootXof", mode));
}

function requirePair(call: string, left: Uint8Array, right: Uint8Array): ReturnType<typeof requireNeighbours> {
  requireChainingValue(call, "left", left);
  requireChainingValue(call, "right", right);
  return requireNeighbours(call, left, right);
}

function requireRoot(call: string, left: Uint8Array, right: Uint8Array): void {
  requirePair(call, left, right);
  requireLeftmost(call, left);
}

function requireChainingValue(call: string, argument: string, value: unknown): void {
  requireBytes(call, argument, value);
  const length = lengthOf(value);
  if (length !== KEY_LENGTH) throw outOfRange(call, `${argument} must have 32 bytes`, length);
}

/** Checks a mode, and returns a function that writes it to the kernel. */
function modeWriter(call: string, mode: Blake3Mode): WriteMode {
  requireKnown(call, mode, MODE_OPTIONS);
  const { key, context } = mode;
  return () => writeMode(call, module, key, context);
}
