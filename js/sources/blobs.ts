// Blobs and Files as sources.
import type { Chunks } from "./chunks.js";
import { wholeChunks } from "./iterables.js";
import { streamChunks } from "./streams.js";

/** Returns whether a value is a Blob or File, of any realm or polyfill: happy-dom's, too, which have no tag. */
export function isBlob(value: unknown): value is Blob {
  const { slice, type } = Object(value) as Partial<Blob>;
  return typeof slice === "function" && typeof type === "string";
}

/**
 * Opens a Blob. Its stream has all of its bytes even where its size is wrong: in Node, that of a file of 4 GiB or more
 * is too small (https://github.com/nodejs/node/issues/52585).
 */
export async function blobChunks(call: string, blob: Blob): Promise<Chunks> {
  // In Bun, a file that was asked for its size has no more bytes from then on, but a slice of it may be asked
  // (https://github.com/oven-sh/bun/pull/33659).
  const { size } = "Bun" in globalThis ? blob.slice() : blob;
  if (typeof blob.stream === "function") return streamChunks(call, blob.stream(), size);
  return wholeChunks(await allBytes(blob));
}

/**
 * Reads a Blob of known length.
 *
 * @throws Error for another number of bytes, as of a file that has changed
 */
export async function bytesOf(call: string, blob: Blob, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await allBytes(blob));
  if (bytes.length === length) return bytes;
  throw new Error(`${call}: the Blob changed while it was being hashed: expected ${length} bytes, got ${bytes.length}`);
}

const allBytes = (blob: Blob): Promise<ArrayBuffer> =>
  typeof blob.arrayBuffer === "function" ? blob.arrayBuffer() : readByReader(blob);

/** Reads a Blob of jsdom before 28, which has no `arrayBuffer` (https://github.com/jsdom/jsdom/issues/2555). */
function readByReader(blob: Blob): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as ArrayBuffer);
    reader.onerror = () => reject(reader.error);
    reader.readAsArrayBuffer(blob);
  });
}
