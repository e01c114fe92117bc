import { chunksOf } from "./files.js";

/** No algorithm takes a key this long; it bounds what is kept of an endless standard input. */
export const KEY_LIMIT = 1024;

/** All bytes of standard input, or, when there are more, one more than `limit` of them. */
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
