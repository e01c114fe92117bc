// The header of encodings and outboards: the content's length, 8 bytes, little-endian.
import { IntegrityError } from "./errors.js";

/** The length of a header in bytes. */
export const HEADER = 8;
const HALF = 2 ** 32;

/**
 * Returns the length that a header claims, which is proven only when the content's last chunk has been verified.
 *
 * @throws IntegrityError for a length of 2^53 or more, or a truncated header
 */
export function readLength(name: string, bytes: Uint8Array): number {
  if (bytes.length < HEADER) throw new IntegrityError(name, "truncated", 0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER);
  const length = view.getUint32(4, true) * HALF + view.getUint32(0, true);
  if (length > Number.MAX_SAFE_INTEGER) throw new IntegrityError(name, "length", 0);
  return length;
}

export function writeLength(bytes: Uint8Array, length: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER);
  view.setUint32(0, length % HALF, true);
  view.setUint32(4, Math.floor(length / HALF), true);
}
