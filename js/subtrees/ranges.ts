// Records the positions of chaining values computed in this process, so that merging the wrong ones is an error. A
// value from elsewhere, or one that has been modified, is not checked.
import { MAX_UINT64, wholeNumber } from "../input/options.js";
import { CHUNK, leftLength, maxLengthAt } from "../tree/geometry.js";

/** The offset of a subtree in its message, and its length, in bytes. */
export interface SubtreeRange {
  readonly offset: bigint;
  readonly length: bigint;
}

interface Known extends SubtreeRange {
  readonly value: Uint8Array;
}

const ranges = new WeakMap<object, Known>();

/** Records the position of a chaining value, and returns the value. */
export function recordRange<T extends Uint8Array>(value: T, { offset, length }: SubtreeRange): T {
  ranges.set(value, { offset, length, value: value.slice() });
  return value;
}

function rangeOf(value: Uint8Array): SubtreeRange | undefined {
  const known = ranges.get(value);
  return known?.value.every((byte, i) => byte === value[i]) ? known : undefined;
}

/** @throws TypeError for a value that is not a number or bigint; RangeError if it is not a multiple of 1024 below 2^64 */
export function toOffset(call: string, offset: number | bigint): bigint {
  const whole = BigInt(wholeNumber(call, "offset", offset, MAX_UINT64));
  if (whole % BigInt(CHUNK) !== 0n) fail(call, "offset must be a multiple of 1024", String(offset));
  return whole;
}

/** @throws RangeError if a subtree at an offset cannot have that many bytes */
export function requireRoom(call: string, offset: bigint, length: bigint): void {
  const longest = maxLengthAt(offset) ?? MAX_UINT64;
  if (length > longest)
    fail(call, `input must have at most ${longest} bytes in a subtree at offset ${offset}`, String(length));
}

/** @throws RangeError for an empty subtree */
export function requireSome(call: string, length: bigint): void {
  if (length === 0n) fail(call, "input must have at least 1 byte in a subtree", "0");
}

/** @throws RangeError if a chaining value is known to be that of another subtree */
export function requireRange(call: string, value: Uint8Array, offset: number, length: number): void {
  const place = rangeOf(value);
  if (!place || (place.offset === BigInt(offset) && place.length === BigInt(length))) return;
  fail(
    call,
    `value must be of ${length} bytes at offset ${offset}`,
    `that of ${place.length} at offset ${place.offset}`,
  );
}

/** Returns the place of the parent if both places are known. Throws a RangeError if the two cannot be its halves. */
export function requireNeighbours(call: string, left: Uint8Array, right: Uint8Array): SubtreeRange | undefined {
  const [first, second] = [rangeOf(left), rangeOf(right)];
  if (second?.offset === 0n) fail(call, "right must follow a subtree", "the one at offset 0");
  if (first && first.length !== leftLength(first.length + BigInt(CHUNK))) {
    fail(call, "left must have a power of 2 of whole chunks of 1024 bytes", `${first.length} bytes`);
  }
  if (!first || !second) return undefined;
  const end = first.offset + first.length;
  if (second.offset !== end)
    fail(call, `right must begin where left ends, at offset ${end}`, `offset ${second.offset}`);
  if (second.length > first.length)
    fail(call, `right must have at most left's ${first.length} bytes`, `${second.length}`);
  const length = first.length + second.length;
  const longest = maxLengthAt(first.offset) ?? length;
  if (length > longest) fail(call, `both must have at most ${longest} bytes at offset ${first.offset}`, `${length}`);
  return { offset: first.offset, length };
}

/** @throws RangeError if the subtree is known not to start at offset 0 */
export function requireLeftmost(call: string, left: Uint8Array): void {
  const place = rangeOf(left);
  if (place && place.offset !== 0n) fail(call, "left must be at offset 0 to make a root", `offset ${place.offset}`);
}

function fail(call: string, must: string, got: string): never {
  throw new RangeError(`${call}: ${must}, got ${got}`);
}
