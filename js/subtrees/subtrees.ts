// Hashes subtrees of BLAKE3 separately, in any order and on any machine, and merges them (BLAKE3 paper, section 2.1;
// the API follows the Rust crate's module `hazmat`). It is hazardous: a chaining value is not a digest, and only a tree
// of the correct shape yields the digest of the message.
import { module } from "../algorithms/blake3-kernel.js";
import { type Blake3Mode, modeBytes } from "../algorithms/blake3-mode.js";
import { Disposable } from "../engine/disposable.js";
import type { Xof } from "../engine/xof.js";
import { copyOfBytes, type Input, viewOfInput } from "../input/bytes.js";
import { disposed, outOfRange, requireArguments } from "../input/errors.js";
import { MAX_UINT64, NO_OPTIONS, requireKnown, wholeNumber } from "../input/options.js";
import { CHUNK, leftLength, maxLengthAt, VALUE } from "../tree/geometry.js";
import type { Pair } from "../tree/merge.js";
import { parentValue, type RootOptions, rootDigest, rootReader } from "./parents.js";
import { requireRoom, requireSome, toOffset } from "./ranges.js";
import { SubtreeState } from "./subtree-state.js";

export type { Blake3Mode } from "../algorithms/blake3-mode.js";
export type { RootOptions } from "./parents.js";

/** A subtree's mode, which is the same in the whole tree, and its offset (BLAKE3 paper, sections 2.1 and 2.4). */
export interface SubtreeOptions extends Blake3Mode {
  /** The offset of the subtree in the message, in bytes: a multiple of 1024, by default 0; a bigint above 2^53 - 1. */
  readonly offset?: number | bigint | undefined;
}

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
 * Hashes a subtree that arrives in pieces.
 *
 * @example
 * const subtree = new SubtreeHasher({ offset: 1024 * 1024 });
 * for (const piece of pieces) subtree.update(piece);
 * subtree.chainingValue();
 */
export class SubtreeHasher extends Disposable {
  readonly #offset: bigint;
  #state: SubtreeState | undefined;

  /** Calls `dispose`; enables `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** @throws TypeError for an unknown option or a wrong type; RangeError if the offset is not a multiple of 1024 */
  constructor(options: SubtreeOptions = NO_OPTIONS) {
    super();
    requireArguments("SubtreeHasher", arguments.length, 1);
    [this.#offset, this.#state] = begin("SubtreeHasher", options);
  }

  /** The number of bytes so far. */
  get bytesHashed(): bigint {
    return this.#live("bytesHashed").length;
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
    append(call, this.#live("update"), this.#offset, input);
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
    return chainingValueOf(call, this.#live("chainingValue"));
  }

  /** Wipes the state and the key. Every later call throws, except `dispose`. */
  dispose(): void {
    this.#state?.clear();
    this.#state = undefined;
  }

  #live(method: string): SubtreeState {
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
export function chainingValue(input: Input, options: SubtreeOptions = NO_OPTIONS): Uint8Array<ArrayBuffer> {
  const call = "chainingValue";
  requireArguments(call, arguments.length, 2);
  const [offset, state] = begin(call, options);
  try {
    append(call, state, offset, input);
    return chainingValueOf(call, state);
  } finally {
    state.clear();
  }
}

/** Reads a subtree's options. Returns its offset, and its state before any byte. */
function begin(call: string, options: SubtreeOptions): [offset: bigint, state: SubtreeState] {
  requireKnown(call, options, SUBTREE_OPTIONS);
  const offset = toOffset(call, options.offset ?? 0);
  return [offset, new SubtreeState(call, options, offset)];
}

/** Appends an input to a subtree, unless it would be too long for its offset. */
function append(call: string, state: SubtreeState, offset: bigint, input: Input): void {
  const bytes = viewOfInput(call, "input", input);
  requireRoom(call, offset, state.length + BigInt(bytes.length));
  state.update(bytes);
}

function chainingValueOf(call: string, state: SubtreeState): Uint8Array<ArrayBuffer> {
  requireSome(call, state.length);
  return state.chainingValue();
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
  return withPair(call, left, right, mode, parentValue);
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
  requireArguments("rootOf", arguments.length, 4);
  return withPair("rootOf", left, right, mode, (own, pair) => rootDigest("rootOf", own, pair, options));
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
  const secrets = [modeBytes(call, module, mode)];
  try {
    const pair = [copyOfBytes(call, "left", left, VALUE), copyOfBytes(call, "right", right, VALUE)] as const;
    secrets.push(...pair);
    return use(secrets[0] as Uint8Array, pair);
  } finally {
    for (const secret of secrets) secret.fill(0);
  }
}
