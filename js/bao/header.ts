// The header of encodings and outboards: the content's length, 8 bytes, little-endian.
import { IntegrityError } from "./errors.js";

/** Bytes in a header. */
export const HEADER = 8;
const HALF = 2 ** 32;

/**
 * The length that a header claims. Until the content's last chunk is verified, it is nothing but a claim.
 *
 * @throws IntegrityError for one of 2^53 or more, or a header that is cut
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
