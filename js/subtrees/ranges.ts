// Checks of the offset and the length of a subtree, in bytes.
import { MAX_UINT64, wholeNumber } from "../input/options.js";
import { CHUNK, maxLengthAt } from "../tree/geometry.js";

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

function fail(call: string, must: string, got: string): never {
  throw new RangeError(`${call}: ${must}, got ${got}`);
}
