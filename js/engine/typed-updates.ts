// Updates by number, which are written straight to a hasher's pending input, without allocating.
import { outOfRange, wrongKind } from "../input/errors.js";
import { MAX_UINT64 } from "../input/options.js";
import { Disposable } from "./disposable.js";
import type { HasherState } from "./hasher-state.js";

// Engines differ in which NaN they write, so these are written instead: quiet, positive, no payload.
const NAN32 = 0x7fc0_0000;
const NAN64 = 0x7ff8_0000_0000_0000n;

/**
 * Updates by number. Each appends the bytes of a number, least significant first (`LE`) or most significant first
 * (`BE`), without allocating. If one throws, the message is unchanged.
 */
export abstract class TypedUpdates extends Disposable {
  /** @internal Names a method in errors. */
  abstract nameOf(method: string): string;

  /** @internal Returns the state; throws after `dispose`. */
  abstract live(method: string): HasherState;

  /**
   * Appends one byte.
   *
   * @param value an integer from 0 to 255
   * @throws TypeError for a value that is not a number; RangeError for any other number, or if the message would be longer than the
   *   algorithm allows; Error after `dispose`
   * @example
   * blake3.create().updateUint8(255).updateUint32LE(1024);
   */
  updateUint8(value: number): this {
    const state = this.live("updateUint8");
    this.#requireUint("updateUint8", value, 0xff);
    state.reserve(1).setUint8(state.pending, value);
    state.pending += 1;
    return this;
  }

  /**
   * Appends two bytes, the least significant first.
   *
   * @param value an integer from 0 to 65,535
   * @throws as {@link updateUint8} does
   * @example
   * blake3.create().updateUint16LE(0x0102); // hashes the bytes 2, 1
   */
  updateUint16LE(value: number): this {
    return this.#updateUint16("updateUint16LE", value, true);
  }

  /**
   * Appends two bytes, the most significant first.
   *
   * @param value an integer from 0 to 65,535
   * @throws as {@link updateUint8} does
   * @example
   * blake3.create().updateUint16BE(0x0102); // hashes the bytes 1, 2
   */
  updateUint16BE(value: number): this {
    return this.#updateUint16("updateUint16BE", value, false);
  }

  /**
   * Appends four bytes, the least significant first.
   *
   * @param value an integer from 0 to 2^32 - 1
   * @throws as {@link updateUint8} does
   */
  updateUint32LE(value: number): this {
    return this.#updateUint32("updateUint32LE", value, true);
  }

  /**
   * Appends four bytes, the most significant first.
   *
   * @param value an integer from 0 to 2^32 - 1
   * @throws as {@link updateUint8} does
   */
  updateUint32BE(value: number): this {
    return this.#updateUint32("updateUint32BE", value, false);
  }

  /**
   * Appends eight bytes, the least significant first.
   *
   * @param value a bigint from 0 to 2^64 - 1
   * @throws TypeError for a value that is not a bigint; RangeError if it is out of range; Error after `dispose`
   * @example
   * blake2b.create().updateUint64LE(2n ** 63n);
   */
  updateUint64LE(value: bigint): this {
    return this.#updateUint64("updateUint64LE", value, true);
  }

  /**
   * Appends eight bytes, the most significant first.
   *
   * @param value a bigint from 0 to 2^64 - 1
   * @throws as {@link updateUint64LE} does
   */
  updateUint64BE(value: bigint): this {
    return this.#updateUint64("updateUint64BE", value, false);
  }

  /**
   * Appends an IEEE 754 single-precision number, rounded as by `Math.fround`: four bytes, the least significant first.
   * Infinities and NaN are allowed; every NaN is appended as 0x7fc00000.
   *
   * @param value any number, except a finite one too large for single precision
   * @throws TypeError for a value that is not a number; RangeError if a finite value is too large; Error after
   *   `dispose`
   * @example
   * blake3.create().updateFloat32LE(0.1); // hashes the bytes of Math.fround(0.1)
   */
  updateFloat32LE(value: number): this {
    return this.#updateFloat32("updateFloat32LE", value, true);
  }

  /**
   * Appends an IEEE 754 single-precision number as {@link updateFloat32LE} does, the most significant byte first.
   *
   * @param value any number, except a finite one too large for single precision
   * @throws as {@link updateFloat32LE} does
   */
  updateFloat32BE(value: number): this {
    return this.#updateFloat32("updateFloat32BE", value, false);
  }

  /**
   * Appends an IEEE 754 double-precision number: eight bytes, the least significant first. Every NaN is appended as
   * 0x7ff8000000000000; 0 and -0 differ.
   *
   * @param value any number
   * @throws TypeError for a value that is not a number; Error after `dispose`
   * @example
   * blake3.create().updateFloat64LE(0.5);
   */
  updateFloat64LE(value: number): this {
    return this.#updateFloat64("updateFloat64LE", value, true);
  }

  /**
   * Appends an IEEE 754 double-precision number as {@link updateFloat64LE} does, the most significant byte first.
   *
   * @param value any number
   * @throws as {@link updateFloat64LE} does
   */
  updateFloat64BE(value: number): this {
    return this.#updateFloat64("updateFloat64BE", value, false);
  }

  // A method for each width: V8 reduces calls of DataView's methods whose width it knows.

  #updateUint16(method: string, value: number, littleEndian: boolean): this {
    const state = this.live(method);
    this.#requireUint(method, value, 0xffff);
    state.reserve(2).setUint16(state.pending, value, littleEndian);
    state.pending += 2;
    return this;
  }

  #updateUint32(method: string, value: number, littleEndian: boolean): this {
    const state = this.live(method);
    this.#requireUint(method, value, 0xffff_ffff);
    state.reserve(4).setUint32(state.pending, value, littleEndian);
    state.pending += 4;
    return this;
  }

  #updateUint64(method: string, value: bigint, littleEndian: boolean): this {
    const state = this.live(method);
    if (!(typeof value === "bigint" && value >= 0n && value <= MAX_UINT64)) {
      throw this.#wrong(method, value, "bigint", `an integer from 0 to ${MAX_UINT64}`);
    }
    state.reserve(8).setBigUint64(state.pending, value, littleEndian);
    state.pending += 8;
    return this;
  }

  #updateFloat32(method: string, value: number, littleEndian: boolean): this {
    if (Number.isNaN(value)) return this.#updateUint32(method, NAN32, littleEndian);
    const state = this.live(method);
    if (typeof value !== "number" || Number.isFinite(value) !== Number.isFinite(Math.fround(value))) {
      throw this.#wrong(method, value, "number", "in the range of single precision");
    }
    state.reserve(4).setFloat32(state.pending, value, littleEndian);
    state.pending += 4;
    return this;
  }

  #updateFloat64(method: string, value: number, littleEndian: boolean): this {
    if (Number.isNaN(value)) return this.#updateUint64(method, NAN64, littleEndian);
    const state = this.live(method);
    if (typeof value !== "number") throw this.#wrong(method, value, "number");
    state.reserve(8).setFloat64(state.pending, value, littleEndian);
    state.pending += 8;
    return this;
  }

  #requireUint(method: string, value: number, max: number): void {
    if (Number.isInteger(value) && value >= 0 && value <= max) return;
    throw this.#wrong(method, value, "number", `an integer from 0 to ${max}`);
  }

  /** The error does not say a number, which is a part of the message. */
  #wrong(method: string, value: unknown, type: "number" | "bigint", must?: string): Error {
    const name = this.nameOf(method);
    if (typeof value !== type) return wrongKind(name, "value", `a ${type}`, value);
    return outOfRange(name, `value must be ${must}`, "another");
  }
}
