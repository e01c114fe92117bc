// BLAKE3's tree, taken apart: subtrees hashed by themselves, in any order and place, and put together again (BLAKE3
// paper, section 2.1; the shape is that of the Rust crate's module of this name). It is hazardous: a chaining value is
// not a digest, and only a tree of the one legal shape has the digest of the message.
// For projects whose own lib has no Symbol.dispose:
/// <reference lib="esnext.disposable" preserve="true" />
import { module } from "../algorithms/blake3-kernel.js";
import { type Blake3Mode, KEY_LENGTH, writeMode } from "../algorithms/blake3-mode.js";
import { Disposable } from "../engine/disposable.js";
import type { Kernel } from "../engine/kernel.js";
import { ONESHOT, STATE } from "../engine/memory.js";
import { allocate, writeDigest } from "../engine/output.js";
import { Resident } from "../engine/resident.js";
import { Xof } from "../engine/xof.js";
import { encoder, type Input, requireBytes, toMessage } from "../input/bytes.js";
import { disposed } from "../input/errors.js";
import { integer, requireKnown, wholeNumber } from "../input/options.js";
import { lengthOf } from "../input/views.js";
import { knowPlace, leftLength, longestAt, requireLeftmost, requireNeighbours } from "./places.js";

export type { Blake3Mode } from "../algorithms/blake3-mode.js";

/** A subtree's mode, the same for all of a tree, and its place (BLAKE3 paper, sections 2.1 and 2.4). */
export interface SubtreeOptions extends Blake3Mode {
  /** Where its bytes begin in the whole message: a multiple of 1024, by default 0; a bigint beyond 2^53 - 1. */
  readonly offset?: number | bigint | undefined;
}

/** What is made of a root. */
export interface RootOptions {
  /** Digest length in bytes: 0 to 2^53 - 1, as far as memory goes, by default 32. */
  readonly length?: number | undefined;
}

const NAME = "blake3";
const CHUNK = 1024n;
const END = 2n ** 64n - 1n;
const MODE_OPTIONS: readonly string[] = ["key", "context"];
const SUBTREE_OPTIONS: readonly string[] = ["offset", ...MODE_OPTIONS];

// The kernel's parameters: mode, padding, the number of the first chunk (wasm/blake3/blake3.c).
const PARAMETERS_LENGTH = 48;
const ORIGIN_AT = 40;

/**
 * Bytes in the left one of the two subtrees that a message, or a subtree, of `length` bytes is made of.
 *
 * @param length more than 1024, the bytes of a chunk, which has no subtrees
 * @returns a power of 2, as a bigint where `length` is one
 * @throws TypeError for what is no number or bigint; RangeError for one out of 1025 to 2^64 - 1
 * @example
 * leftSubtreeLength(5000); // 4096
 */
export function leftSubtreeLength(length: number): number;
export function leftSubtreeLength(length: bigint): bigint;
export function leftSubtreeLength(length: number | bigint): number | bigint;
export function leftSubtreeLength(length: number | bigint): number | bigint {
  const whole = BigInt(wholeNumber(NAME, "length", length, END));
  if (whole <= CHUNK) throw new RangeError(`${NAME}: length must be more than 1024, one chunk, got ${length}`);
  const left = leftLength(whole);
  return typeof length === "bigint" ? left : Number(left);
}

/**
 * Bytes that the subtree at an offset may have at most.
 *
 * @returns a power of 2, as a bigint where `offset` is one; undefined for offset 0, where there is no limit
 * @throws TypeError for what is no number or bigint; RangeError for one that is no multiple of 1024 below 2^64
 * @example
 * maxSubtreeLength(12288); // 4096
 */
export function maxSubtreeLength(offset: number): number | undefined;
export function maxSubtreeLength(offset: bigint): bigint | undefined;
export function maxSubtreeLength(offset: number | bigint): number | bigint | undefined;
export function maxSubtreeLength(offset: number | bigint): number | bigint | undefined {
  const longest = longestAt(requireAligned(BigInt(wholeNumber(NAME, "offset", offset, END))));
  return typeof offset === "bigint" || longest === undefined ? longest : Number(longest);
}

function requireAligned(offset: bigint): bigint {
  if (offset % CHUNK === 0n) return offset;
  throw new RangeError(`${NAME}: offset must be a multiple of 1024, got ${offset}`);
}

/**
 * Hashes a subtree that comes in pieces.
 *
 * @example
 * const subtree = new SubtreeHasher({ offset: 1024 * 1024 });
 * for (const piece of pieces) subtree.update(piece);
 * subtree.chainingValue();
 */
export class SubtreeHasher extends Disposable {
  readonly #offset: bigint;
  readonly #longest: bigint;
  readonly #parameters: Uint8Array<ArrayBuffer>;
  #state: Resident | undefined;

  /** The same as `dispose`, for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** @throws TypeError for a wrong option or kind of value; RangeError for an offset that is no multiple of 1024 */
  constructor(options: SubtreeOptions = {}) {
    super();
    requireKnown(NAME, options, SUBTREE_OPTIONS);
    this.#offset = requireAligned(
      BigInt(wholeNumber(NAME, "offset", options.offset === undefined ? 0 : options.offset, END)),
    );
    this.#longest = longestAt(this.#offset) ?? END;
    this.#parameters = encode(options, this.#offset);
    this.#state = new Resident(
      { name: NAME, module },
      { bytes: this.#parameters, digestLength: KEY_LENGTH, secret: true },
    );
  }

  /** Bytes hashed so far. */
  get bytesHashed(): bigint {
    return this.#live("bytesHashed").count();
  }

  /**
   * Appends to the subtree. Where it throws, the subtree is as it was.
   *
   * @throws TypeError for what is not an {@link Input} or is detached; RangeError for more bytes than a subtree may have at
   *   this offset; Error after `dispose`
   */
  update(input: Input): this {
    this.#live("update");
    const message = toMessage(NAME, "input", input);
    const bytes = typeof message === "string" ? encoder.encode(message) : message;
    const size = lengthOf(bytes);
    // Again: a getter of the input's may have disposed of this hasher.
    const state = this.#live("update");
    const length = state.count() + BigInt(size);
    if (length > this.#longest) {
      const place = `a subtree at offset ${this.#offset}`;
      throw new RangeError(`${NAME}: input must have at most ${this.#longest} bytes in ${place}, got ${length}`);
    }
    state.absorb(bytes, size);
    return this;
  }

  /**
   * The chaining value of the bytes so far: 32 bytes, to be merged with its neighbours'. It is never a digest.
   *
   * @throws RangeError where there are no bytes yet; Error after `dispose`
   */
  chainingValue(): Uint8Array<ArrayBuffer> {
    const state = this.#live("chainingValue");
    const length = state.count();
    if (length === 0n) throw new RangeError(`${NAME}: input must have at least 1 byte in a subtree, got 0`);
    const kernel = state.open();
    kernel.flush();
    const value = takeChain(kernel, STATE);
    kernel.close();
    return knowPlace(value, { offset: this.#offset, length });
  }

  /** Wipes the subtree's state and the key. Any later call but this one throws. */
  dispose(): void {
    this.#state?.wipe();
    this.#state = undefined;
    this.#parameters.fill(0);
  }

  #live(method: string): Resident {
    if (this.#state) return this.#state;
    throw disposed(NAME, method, "hasher");
  }
}

/**
 * The chaining value of a subtree: 32 bytes, to be merged with its neighbours'. It is never a digest.
 *
 * @param input 1 to `maxSubtreeLength(offset)` bytes; a power of 2 of whole chunks of 1024 bytes where more follow
 * @throws TypeError for a wrong kind of value or option; RangeError for an offset that is no multiple of 1024, for no input
 *   and for more than a subtree may have at the offset
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
 * The chaining value of the subtree that two neighbours make, where it is not the whole message (BLAKE3 paper, section
 * 2.5).
 *
 * @param left the chaining value of a power of 2 of whole chunks of 1024 bytes
 * @param right the chaining value of what follows it, of at most as many bytes
 * @throws TypeError for what is not a Uint8Array or a wrong mode; RangeError for one that has not 32 bytes, or for two that
 *   were made in this process and are no neighbours
 * @example
 * mergeSubtrees(chainingValue(first), chainingValue(second, { offset: first.length }));
 */
export function mergeSubtrees(left: Uint8Array, right: Uint8Array, mode: Blake3Mode = {}): Uint8Array<ArrayBuffer> {
  const place = requirePair(left, right);
  const value = withParent(left, right, mode, (kernel) => takeChain(kernel, ONESHOT));
  return place ? knowPlace(value, place) : value;
}

/**
 * The digest of the message that two subtrees make: the one that `blake3` has for it in the same mode (BLAKE3 paper,
 * section 2.6).
 *
 * @param left the chaining value of the message's first `leftSubtreeLength(n)` bytes
 * @param right that of all the rest
 * @throws as `mergeSubtrees` does; RangeError for a length out of range, or where `left` is known not to be the first
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
  requireKnown(NAME, options, ["length"]);
  const length = integer(NAME, "length", options.length, 0, Number.MAX_SAFE_INTEGER, KEY_LENGTH);
  const digest = allocate(NAME, length);
  return withParent(left, right, mode, (kernel) => {
    writeDigest(kernel, ONESHOT, digest, length);
    kernel.wipeOutput(length);
    return digest;
  });
}

/**
 * A reader of the extendable output of the message that two subtrees make (BLAKE3 paper, section 2.6).
 *
 * @throws as `rootOf` does
 * @example
 * rootXof(left, right).read(1000);
 */
export function rootXof(left: Uint8Array, right: Uint8Array, mode: Blake3Mode = {}): Xof {
  requireRoot(left, right);
  return withParent(left, right, mode, (kernel) => new Xof({ name: NAME, module }, kernel.takeRoot(ONESHOT), END));
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

/** Makes the two subtrees' parent, uses it, and leaves nothing of it. */
function withParent<T>(left: Uint8Array, right: Uint8Array, mode: Blake3Mode, use: (kernel: Kernel) => T): T {
  requireKnown(NAME, mode, MODE_OPTIONS);
  const { key, context } = mode;
  const pair = pairOf(left, right);
  try {
    writeMode(module, key, context);
    const kernel = module.opened;
    kernel.place(pair, 2 * KEY_LENGTH);
    kernel.exports.join(ONESHOT);
    const parent = use(kernel);
    kernel.wipeOneshot();
    kernel.wipeInput();
    kernel.release(KEY_LENGTH);
    return parent;
  } finally {
    module.tidy();
  }
}

function pairOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  const pair = new Uint8Array(2 * KEY_LENGTH);
  pair.set(left);
  pair.set(right, KEY_LENGTH);
  return pair;
}

function takeChain(kernel: Kernel, state: number): Uint8Array<ArrayBuffer> {
  kernel.exports.chain(state);
  const value = new Uint8Array(kernel.outputOf(KEY_LENGTH));
  kernel.wipeOutput(KEY_LENGTH);
  return value;
}

function encode({ key, context }: Blake3Mode, offset: bigint): Uint8Array<ArrayBuffer> {
  writeMode(module, key, context);
  const kernel = module.opened;
  kernel.parameters.view.setBigUint64(ORIGIN_AT, offset / CHUNK, true);
  const parameters = kernel.parameters.bytes.slice(0, PARAMETERS_LENGTH);
  kernel.release(0);
  return parameters;
}
