// Checks of saved states. An error says what the state must have and what it has: only lengths and counts, never
// contents, which may be secret.

import { outOfRange } from "../input/errors.js";

/** Requires a number from `min` to `max`, both included, or exactly `min`. */
export function requireNumber(call: string, what: string, got: number, min: number, max = min): void {
  if (got >= min && got <= max) return;
  throw refusal(call, `${what} ${min === max ? min : `from ${min} to ${max}`}`, got);
}

/** Requires the bytes of `wanted` from `start` to `end` at the same place. */
export function requireSame(
  call: string,
  what: string,
  got: Uint8Array,
  wanted: Uint8Array,
  start: number,
  end: number,
): void {
  for (let i = start; i < end; i++) if (got[i] !== wanted[i]) throw refusal(call, what, "other bytes");
}

/** Requires zeros from `start` to `end`. */
export function requireZeros(call: string, what: string, got: Uint8Array, start: number, end = got.length): void {
  for (let i = start; i < end; i++) if (got[i] !== 0) throw refusal(call, `zeros as ${what}`, "other bytes");
}

export function refusal(call: string, must: string, got: number | bigint | string): RangeError {
  return outOfRange(call, `state must have ${must}`, got);
}
