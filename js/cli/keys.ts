import { chunksOf } from "./files.js";

/** Longer than any algorithm's key; limits how much of an endless standard input is kept. */
export const KEY_LIMIT = 1024;

/** Reads all of standard input, but at most `limit` + 1 bytes. */
export function readKey(limit: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const bytes of chunksOf("-")) {
    parts.push(bytes.slice());
    length += bytes.length;
    if (length > limit) break;
  }
  return Buffer.concat(parts).subarray(0, limit + 1);
}
