// The frame of a saved state: what was saved, and a checksum (format: docs/states.md).
import { outOfRange } from "../input/errors.js";
import { fromCodes } from "../input/text.js";
import { requireNumber, requireSame } from "./saved-state-checks.js";

// The layout of a saved state, which begins with BLAKEST, the version and the name of what was saved.
const VERSION = 1;
const VERSION_AT = 7;
const NAME_AT = 8;
const DIGEST_LENGTH_AT = 16;
const PARAMETERS_LENGTH_AT = 24;
const STATE_LENGTH_AT = 28;
export const HEADER_LENGTH = 32;
export const CHECKSUM_LENGTH = 4;

/** The bytes of a saved state, and a view of them. */
export interface Frame {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView;
}

export function frameOf(bytes: Uint8Array<ArrayBuffer>): Frame {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

/**
 * Writes the header and the first `inUse` bytes of the parameters. Returns the offset of the kernel state, of which
 * `stateLength` bytes follow; `seal` completes the frame.
 */
export function writeHeader(
  { bytes, view }: Frame,
  name: string,
  digestLength: number,
  parameters: Uint8Array,
  inUse: number,
  stateLength: number,
): number {
  bytes.set(magicFor(name));
  view.setUint32(DIGEST_LENGTH_AT, digestLength, true);
  view.setUint32(DIGEST_LENGTH_AT + 4, digestLength / 2 ** 32, true);
  view.setUint32(PARAMETERS_LENGTH_AT, inUse, true);
  view.setUint32(STATE_LENGTH_AT, stateLength, true);
  for (let i = 0; i < inUse; i++) bytes[HEADER_LENGTH + i] = parameters[i] as number;
  return HEADER_LENGTH + inUse;
}

/** Writes the checksum after the first `end` bytes. Returns the length of the whole. */
export function seal(frame: Frame, end: number): number {
  frame.view.setUint32(end, crc32(frame, end), true);
  return end + CHECKSUM_LENGTH;
}

/** Returns the magic bytes, the version, and the name padded with zeros. */
function magicFor(name: string): Uint8Array {
  const known = magics.get(name);
  if (known) return known;
  const padded = name.padEnd(DIGEST_LENGTH_AT - NAME_AT, "\0");
  const bytes = fromCodes(`BLAKEST${String.fromCharCode(VERSION)}${padded}`);
  magics.set(name, bytes);
  return bytes;
}

const magics = /* @__PURE__ */ new Map<string, Uint8Array>();

/** Checks the header and the checksum of the first `size` bytes, before the bytes in between are parsed. */
export function checkFrame(
  call: string,
  frame: Frame,
  size: number,
  name: string,
  minParameters: number,
  maxParameters: number,
): void {
  const { bytes, view } = frame;
  const end = size - CHECKSUM_LENGTH;
  const wanted = magicFor(name);
  requireSame(call, "the magic bytes of a saved state", bytes, wanted, 0, VERSION_AT);
  requireNumber(call, "version", bytes[VERSION_AT] as number, VERSION);
  requireSame(call, `the name ${name}`, bytes, wanted, NAME_AT, DIGEST_LENGTH_AT);
  const parametersLength = parametersLengthOf(frame);
  requireNumber(call, "parameter bytes", parametersLength, minParameters, maxParameters);
  const stateLength = end - HEADER_LENGTH - parametersLength;
  requireNumber(call, "kernel state bytes", view.getUint32(STATE_LENGTH_AT, true), stateLength);
  const isWhole = view.getUint32(end, true) === crc32(frame, end);
  if (!isWhole) throw outOfRange(call, "state must have its own checksum", "damaged bytes");
}

/** Returns the number of parameter bytes in a frame. */
export function parametersLengthOf({ view }: Frame): number {
  return view.getUint32(PARAMETERS_LENGTH_AT, true);
}

/** Returns the digest length in a frame; more than 2^53 - 1 may be rounded. */
export function digestLengthOf({ view }: Frame): number {
  return view.getUint32(DIGEST_LENGTH_AT, true) + 2 ** 32 * view.getUint32(DIGEST_LENGTH_AT + 4, true);
}

/** CRC-32, as in gzip and PNG. A state may hold a key, so no table lookup and no branch depends on its bits. */
function crc32({ bytes, view }: Frame, length: number): number {
  let crc = -1;
  const rest = length % 4;
  for (let at = 0; at < length - rest; at += 4) crc = timesX32(crc ^ view.getUint32(at, true));
  for (let at = length - rest; at < length; at++) crc = (crc >>> 8) ^ timesX32((crc ^ (bytes[at] as number)) << 24);
  return ~crc >>> 0;
}

/**
 * Returns a polynomial times x^32 modulo the one of CRC-32, by Barrett's reduction: three times as fast as bit by bit.
 * Bit 31 is the coefficient of x^0.
 */
function timesX32(word: number): number {
  const pair = word ^ (word << 1);
  const outer = word ^ (word << 6) ^ (word << 12) ^ (word << 16) ^ (word << 26);
  const quotient = outer ^ (pair << 9) ^ (pair << 24) ^ (pair << 28) ^ (pair << 30);
  // The polynomial has x^0, x^1, x^2, x^16, each with the one 10 above; x^4, x^7 and x^22, each with the next.
  const double = quotient ^ (quotient >>> 1);
  const triple = double ^ (quotient >>> 2) ^ (quotient >>> 16);
  return triple ^ (triple >>> 10) ^ (double >>> 4) ^ (double >>> 7) ^ (double >>> 22);
}
