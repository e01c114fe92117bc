// The refusals of a saved state. Each error tells what the state must have and what came; never contents, which may be
// secret, only lengths and counts.

import { outOfRange } from "./bytes.js";

type Whole = number | bigint;

export class StateCheck {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  /** A number that can only be one. */
  equal(what: string, got: Whole, wanted: Whole): void {
    if (got !== wanted) this.refuse(`${what} ${wanted}`, got);
  }

  /** A number in a range, both ends included. */
  within(what: string, got: Whole, min: Whole, max: Whole): void {
    if (got < min || got > max) this.refuse(`${what} from ${min} to ${max}`, got);
  }

  /** Bytes that can only be these. */
  same(what: string, got: Uint8Array, wanted: Uint8Array): void {
    let difference = got.length ^ wanted.length;
    for (let i = 0; i < wanted.length; i++) difference |= (got[i] as number) ^ (wanted[i] as number);
    if (difference !== 0) this.refuse(what, "other bytes");
  }

  /** Bytes that stand for nothing. */
  zero(what: string, got: Uint8Array): void {
    let bits = 0;
    for (const byte of got) bits |= byte;
    if (bits !== 0) this.refuse(`zeros as ${what}`, "other bytes");
  }

  /** @throws RangeError always */
  refuse(must: string, got: Whole | string): never {
    throw outOfRange(this.#name, `state must have ${must}`, got);
  }
}
