// Updates by number: each appends the bytes of a number to a hasher's message, without allocating.
import { outOfRange, wrongKind } from "../input/errors.js";
import { MAX_UINT64 } from "../input/options.js";
import { Hasher } from "./hasher.js";
import type { HasherState } from "./hasher-state.js";

// Engines differ in which NaN they write, so these are written instead: quiet, positive, no payload.
const NAN32 = 0x7fc0_0000;
const NAN64 = 0x7ff8_0000_0000_0000n;

/**
 * Appends one byte to a hasher's message. If it throws, the message is unchanged.
 *
 * @param value an integer from 0 to 255
 * @returns the hasher
 * @throws TypeError for a hasher that is not one of this package, or a value that is not a number; RangeError for any
 *   other number; Error after `dispose`
 * @example
 * updateUint8(hasher, 255);
 */
export function updateUint8<H extends Hasher>(hasher: H, value: number): H {
  const state = stateOf("updateUint8", hasher);
  requireUint("updateUint8", value, 0xff);
  scratch.setUint8(0, value);
  return append(hasher, state, 1);
}

/**
 * Appends two bytes to a hasher's message, the least significant first.
 *
 * @param value an integer from 0 to 65,535
 * @returns the hasher
 * @throws as {@link updateUint8} does
 * @example
 * updateUint16LE(hasher, 0x0102); // hashes the bytes 2, 1
 */
export function updateUint16LE<H extends Hasher>(hasher: H, value: number): H {
  return updateUint16("updateUint16LE", hasher, value, true);
}

/**
 * Appends two bytes to a hasher's message, the most significant first.
 *
 * @param value an integer from 0 to 65,535
 * @returns the hasher
 * @throws as {@link updateUint8} does
 * @example
 * updateUint16BE(hasher, 0x0102); // hashes the bytes 1, 2
 */
export function updateUint16BE<H extends Hasher>(hasher: H, value: number): H {
  return updateUint16("updateUint16BE", hasher, value, false);
}

/**
 * Appends four bytes to a hasher's message, the least significant first.
 *
 * @param value an integer from 0 to 2^32 - 1
 * @returns the hasher
 * @throws as {@link updateUint8} does
 * @example
 * updateUint32LE(hasher, 3_000_000_000);
 */
export function updateUint32LE<H extends Hasher>(hasher: H, value: number): H {
  return updateUint32("updateUint32LE", hasher, value, true);
}

/**
 * Appends four bytes to a hasher's message, the most significant first.
 *
 * @param value an integer from 0 to 2^32 - 1
 * @returns the hasher
 * @throws as {@link updateUint8} does
 * @example
 * updateUint32BE(hasher, 3_000_000_000);
 */
export function updateUint32BE<H extends Hasher>(hasher: H, value: number): H {
  return updateUint32("updateUint32BE", hasher, value, false);
}

/**
 * Appends eight bytes to a hasher's message, the least significant first.
 *
 * @param value a bigint from 0 to 2^64 - 1
 * @returns the hasher
 * @throws as {@link updateUint8} does, and TypeError for a value that is not a bigint
 * @example
 * updateUint64LE(hasher, 2n ** 63n);
 */
export function updateUint64LE<H extends Hasher>(hasher: H, value: bigint): H {
  return updateUint64("updateUint64LE", hasher, value, true);
}

/**
 * Appends eight bytes to a hasher's message, the most significant first.
 *
 * @param value a bigint from 0 to 2^64 - 1
 * @returns the hasher
 * @throws as {@link updateUint64LE} does
 * @example
 * updateUint64BE(hasher, 2n ** 63n);
 */
export function updateUint64BE<H extends Hasher>(hasher: H, value: bigint): H {
  return updateUint64("updateUint64BE", hasher, value, false);
}

/**
 * Appends an IEEE 754 single-precision number to a hasher's message, rounded as by `Math.fround`: four bytes, the least
 * significant first. Infinities and NaN are allowed; every NaN is appended as 0x7fc00000.
 *
 * @param value any number, except a finite one too large for single precision
 * @returns the hasher
 * @throws as {@link updateUint8} does, and RangeError only if a finite value is too large
 * @example
 * updateFloat32LE(hasher, 0.1); // hashes the bytes of Math.fround(0.1)
 */
export function updateFloat32LE<H extends Hasher>(hasher: H, value: number): H {
  return updateFloat32("updateFloat32LE", hasher, value, true);
}

/**
 * Appends an IEEE 754 single-precision number as {@link updateFloat32LE} does, the most significant byte first.
 *
 * @param value any number, except a finite one too large for single precision
 * @returns the hasher
 * @throws as {@link updateFloat32LE} does
 * @example
 * updateFloat32BE(hasher, 0.5);
 */
export function updateFloat32BE<H extends Hasher>(hasher: H, value: number): H {
  return updateFloat32("updateFloat32BE", hasher, value, false);
}

/**
 * Appends an IEEE 754 double-precision number to a hasher's message: eight bytes, the least significant first. Every
 * NaN is appended as 0x7ff8000000000000; 0 and -0 differ.
 *
 * @param value any number
 * @returns the hasher
 * @throws as {@link updateUint8} does, but no RangeError
 * @example
 * updateFloat64LE(hasher, 0.5);
 */
export function updateFloat64LE<H extends Hasher>(hasher: H, value: number): H {
  return updateFloat64("updateFloat64LE", hasher, value, true);
}

/**
 * Appends an IEEE 754 double-precision number as {@link updateFloat64LE} does, the most significant byte first.
 *
 * @param value any number
 * @returns the hasher
 * @throws as {@link updateFloat64LE} does
 * @example
 * updateFloat64BE(hasher, 0.5);
 */
export function updateFloat64BE<H extends Hasher>(hasher: H, value: number): H {
  return updateFloat64("updateFloat64BE", hasher, value, false);
}

// A function for each width: V8 reduces calls of DataView's methods whose width it knows.

function updateUint16<H extends Hasher>(call: string, hasher: H, value: number, littleEndian: boolean): H {
  const state = stateOf(call, hasher);
  requireUint(call, value, 0xffff);
  scratch.setUint16(0, value, littleEndian);
  return append(hasher, state, 2);
}

function updateUint32<H extends Hasher>(call: string, hasher: H, value: number, littleEndian: boolean): H {
  const state = stateOf(call, hasher);
  requireUint(call, value, 0xffff_ffff);
  scratch.setUint32(0, value, littleEndian);
  return append(hasher, state, 4);
}

function updateUint64<H extends Hasher>(call: string, hasher: H, value: bigint, littleEndian: boolean): H {
  const state = stateOf(call, hasher);
  if (!(typeof value === "bigint" && value >= 0n && value <= MAX_UINT64)) {
    throw notUint(call, value, "bigint", MAX_UINT64);
  }
  scratch.setBigUint64(0, value, littleEndian);
  return append(hasher, state, 8);
}

function updateFloat32<H extends Hasher>(call: string, hasher: H, value: number, littleEndian: boolean): H {
  if (Number.isNaN(value)) return updateUint32(call, hasher, NAN32, littleEndian);
  const state = stateOf(call, hasher);
  if (typeof value !== "number") throw wrongKind(call, "value", "a number", value);
  if (Number.isFinite(value) !== Number.isFinite(Math.fround(value))) {
    throw outOfRange(call, "value must be in the range of single precision", "one beyond it");
  }
  scratch.setFloat32(0, value, littleEndian);
  return append(hasher, state, 4);
}

function updateFloat64<H extends Hasher>(call: string, hasher: H, value: number, littleEndian: boolean): H {
  if (Number.isNaN(value)) return updateUint64(call, hasher, NAN64, littleEndian);
  const state = stateOf(call, hasher);
  if (typeof value !== "number") throw wrongKind(call, "value", "a number", value);
  scratch.setFloat64(0, value, littleEndian);
  return append(hasher, state, 8);
}

const scratch = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(8));
const ofLength = /* @__PURE__ */ Array.from({ length: 9 }, (_, length) => new Uint8Array(scratch.buffer, 0, length));

/** Appends the first `length` bytes of `scratch`, then zeroes it. */
function append<H extends Hasher>(hasher: H, state: HasherState, length: number): H {
  state.update(ofLength[length] as Uint8Array, length);
  scratch.setFloat64(0, 0);
  return hasher;
}

/** Tests for the class only after a failure: `instanceof` takes a fifth as long as the update of a number. */
function stateOf(call: string, hasher: Hasher): HasherState {
  try {
    return hasher.stateFor(call);
  } catch (error) {
    throw hasher instanceof Hasher ? error : wrongKind(call, "hasher", "a hasher of this package", hasher);
  }
}

function requireUint(call: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 0 && value <= max) return;
  throw notUint(call, value, "number", max);
}

/** The error does not say the number, which is a part of the message. */
function notUint(call: string, value: number | bigint, type: "number" | "bigint", max: number | bigint): Error {
  if (typeof value !== type) return wrongKind(call, "value", `a ${type}`, value);
  const got = value < 0 ? "a negative one" : value > max ? "a greater one" : "a fraction or NaN";
  return outOfRange(call, `value must be an integer from 0 to ${max}`, got);
}
