// Checks of saved states. An error says what the state must have and what it has: only lengths and counts, never
// contents, which may be secret.

import { outOfRange } from "../input/errors.js";

type Whole = number | bigint;

/** Requires a number from `min` to `max`, both included, or exactly `min`. */
export function requireNumber(name: string, what: string, got: Whole, min: Whole, max = min): void {
  if (got >= min && got <= max) return;
  throw refusal(name, `${what} ${min === max ? min : `from ${min} to ${max}`}`, got);
}

/** Requires the bytes of `wanted` from `start` to `end` at the same place, in constant time. A view would take longer. */
export function requireSameAt(
  name: string,
  what: string,
  got: Uint8Array,
  wanted: Uint8Array,
  start: number,
  end: number,
): void {
  let difference = 0;
  for (let i = start; i < end; i++) difference |= (got[i] as number) ^ (wanted[i] as number);
  if (difference !== 0) throw refusal(name, what, "other bytes");
}

/** Requires zeros from `start` to `end`, in constant time. */
export function requireZerosAt(name: string, what: string, got: Uint8Array, start: number, end: number): void {
  let bits = 0;
  for (let i = start; i < end; i++) bits |= got[i] as number;
  if (bits !== 0) throw refusal(name, `zeros as ${what}`, "other bytes");
}

/** Requires the given bytes, in constant time. */
export function requireSame(name: string, what: string, got: Uint8Array, wanted: Uint8Array): void {
  let difference = got.length ^ wanted.length;
  for (let i = 0; i < wanted.length; i++) difference |= (got[i] as number) ^ (wanted[i] as number);
  if (difference !== 0) throw refusal(name, what, "other bytes");
}

/** Requires zeros. */
export function requireZeros(name: string, what: string, got: Uint8Array): void {
  requireSame(name, `zeros as ${what}`, got, new Uint8Array(got.length));
}

export function refusal(name: string, must: string, got: Whole | string): RangeError {
  return outOfRange(name, `state must have ${must}`, got);
}
