// The frame of a saved state: what was saved, and a checksum (format: docs/states.md).
import { fromCodes } from "../input/text.js";
import { viewOf } from "./memory.js";
import { requireNumber, requireSameAt } from "./saved-state-checks.js";

// The layout of a saved state, which begins with BLAKEST, the version and the name of what was saved.
const VERSION = 1;
const VERSION_AT = 7;
const NAME_AT = 8;
export const DIGEST_LENGTH_AT = 16;
export const PARAMETERS_LENGTH_AT = 24;
const STATE_LENGTH_AT = 28;
export const HEADER_LENGTH = 32;
export const CHECKSUM_LENGTH = 4;

/**
 * Returns a saved state.
 *
 * @param inUse the number of bytes of `parameters` that are saved
 */
export function writeFrame(
  name: string,
  digestLength: number,
  parameters: Uint8Array,
  inUse: number,
  state: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const split = HEADER_LENGTH + inUse;
  const end = split + state.length;
  const saved = new Uint8Array(end + CHECKSUM_LENGTH);
  const view = viewOf(saved);
  saved.set(beginning(name));
  view.setBigUint64(DIGEST_LENGTH_AT, BigInt(digestLength), true);
  view.setUint32(PARAMETERS_LENGTH_AT, inUse, true);
  view.setUint32(STATE_LENGTH_AT, state.length, true);
  for (let i = 0; i < inUse; i++) saved[HEADER_LENGTH + i] = parameters[i] as number;
  saved.set(state, split);
  view.setUint32(end, crc32(saved, end), true);
  return saved;
}

/** Returns the magic bytes, the version, and the name padded with zeros. */
function beginning(name: string): Uint8Array {
  const bytes =
    beginnings.get(name) ??
    fromCodes(`BLAKEST${String.fromCharCode(VERSION)}${name.padEnd(DIGEST_LENGTH_AT - NAME_AT, "\0")}`);
  beginnings.set(name, bytes);
  return bytes;
}

const beginnings = /* @__PURE__ */ new Map<string, Uint8Array>();

/** Checks the header and the checksum, before the bytes in between are parsed. */
export function checkFrame(
  name: string,
  nameWanted: string,
  minParameters: number,
  maxParameters: number,
  saved: Uint8Array,
): void {
  const view = viewOf(saved);
  const end = saved.length - CHECKSUM_LENGTH;
  const wanted = beginning(name);
  requireSameAt(name, "the magic bytes of a saved state", saved, wanted, 0, VERSION_AT);
  requireNumber(name, "version", saved[VERSION_AT] as number, VERSION);
  requireSameAt(name, nameWanted, saved, wanted, NAME_AT, DIGEST_LENGTH_AT);
  const parametersLength = view.getUint32(PARAMETERS_LENGTH_AT, true);
  requireNumber(name, "parameter bytes", parametersLength, minParameters, maxParameters);
  requireNumber(
    name,
    "kernel state bytes",
    view.getUint32(STATE_LENGTH_AT, true),
    end - HEADER_LENGTH - parametersLength,
  );
  requireNumber(name, "checksum", view.getUint32(end, true), crc32(saved, end));
}

/**
 * CRC-32 of the first `length` bytes, as in gzip and PNG. A state may hold a key, so neither table lookups nor branches
 * depend on its bits. The eight masks of a byte are independent of each other.
 */
function crc32(bytes: Uint8Array, length: number): number {
  let crc = -1;
  for (let i = 0; i < length; i++) {
    const x = crc ^ (bytes[i] as number);
    crc =
      (crc >>> 8) ^
      (((x << 31) >> 31) & 0x77073096) ^
      (((x << 30) >> 31) & 0xee0e612c) ^
      (((x << 29) >> 31) & 0x076dc419) ^
      (((x << 28) >> 31) & 0x0edb8832) ^
      (((x << 27) >> 31) & 0x1db71064) ^
      (((x << 26) >> 31) & 0x3b6e20c8) ^
      (((x << 25) >> 31) & 0x76dc4190) ^
      (((x << 24) >> 31) & 0xedb88320);
  }
  return ~crc >>> 0;
}
