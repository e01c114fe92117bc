// Which parts of an object have been set: one bit for each, in an order that saved collectors have as well.
import { requireZeros } from "../engine/saved-state-checks.js";

/** Parts whose values are merged as soon as the last of them is set: a power of 2. */
export const RUN = 256;

export class PartSet {
  /** Bit i % 8 of byte i / 8 is that of part i. */
  readonly bits: Uint8Array<ArrayBuffer>;
  /** The number of parts that are missing. */
  missing: number;
  /** The same for each run of parts. */
  readonly #missingIn: Uint16Array<ArrayBuffer>;

  constructor(count: number) {
    this.bits = new Uint8Array(Math.ceil(count / 8));
    this.missing = count;
    this.#missingIn = Uint16Array.from({ length: Math.ceil(count / RUN) }, (_, i) => Math.min(RUN, count - i * RUN));
  }

  has(index: number): boolean {
    return hasBit(this.bits, index);
  }

  /** Whether no other part of its run is missing. */
  completesRun(index: number): boolean {
    return this.#missingIn[Math.floor(index / RUN)] === 1;
  }

  /** Adds a part that is missing. */
  add(index: number): void {
    const run = Math.floor(index / RUN);
    this.bits[index >> 3] = (this.bits[index >> 3] as number) | (1 << (index & 7));
    this.#missingIn[run] = (this.#missingIn[run] as number) - 1;
    this.missing--;
  }
}

/** @throws RangeError if the bits of parts after the last one are set */
export function requireNoneAfter(call: string, bits: Uint8Array, count: number): void {
  const last = bits[Math.ceil(count / 8) - 1] as number;
  if (count % 8 !== 0) requireZeros(call, "parts after the last", Uint8Array.of(last >> (count % 8)), 0);
}

export function hasBit(bits: Uint8Array, index: number): boolean {
  return (((bits[index >> 3] as number) >> (index & 7)) & 1) === 1;
}
