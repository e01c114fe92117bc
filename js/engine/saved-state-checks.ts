// The refusals of a saved state. Each error tells what the state must have and what came; never contents, which may be
// secret, only lengths and counts.

import { outOfRange } from "../input/errors.js";

type Whole = number | bigint;

/** A number in a range, both ends included, or one that can only be `min`. */
export function requireNumber(name: string, what: string, got: Whole, min: Whole, max = min): void {
  if (got >= min && got <= max) return;
  throw refusal(name, `${what} ${min === max ? min : `from ${min} to ${max}`}`, got);
}

/** Bytes that can only be these. */
export function requireSame(name: string, what: string, got: Uint8Array, wanted: Uint8Array): void {
  let difference = got.length ^ wanted.length;
  for (let i = 0; i < wanted.length; i++) difference |= (got[i] as number) ^ (wanted[i] as number);
  if (difference !== 0) throw refusal(name, what, "other bytes");
}

/** Bytes that stand for nothing. */
export function requireZeros(name: string, what: string, got: Uint8Array): void {
  requireSame(name, `zeros as ${what}`, got, new Uint8Array(got.length));
}

export function refusal(name: string, must: string, got: Whole | string): RangeError {
  return outOfRange(name, `state must have ${must}`, got);
}
