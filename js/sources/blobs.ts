// Blobs and Files as sources.
import { builtin } from "../input/builtin.js";
import type { Chunks } from "./chunks.js";
import { wholeChunks } from "./iterables.js";
import { readerChunks, streamChunks } from "./streams.js";

/** Returns whether a value is a Blob or File, of any realm or polyfill: happy-dom's, too, which have no tag. */
export function isBlob(value: unknown): value is Blob {
  const { slice, type } = Object(value) as Partial<Blob>;
  return typeof slice === "function" && typeof type === "string";
}

export const inBrowser = (): boolean => builtin("node:worker_threads") === undefined;

/**
 * Opens a Blob. Its stream has all of its bytes even where its size is wrong: in Node, that of a file of 4 GiB or more
 * is too small (https://github.com/nodejs/node/issues/52585).
 */
export async function blobChunks(call: string, blob: Blob): Promise<Chunks> {
  // In Bun, a file that was asked for its size has no more bytes from then on, but a slice of it may be asked
  // (https://github.com/oven-sh/bun/issues/4930).
  const { size } = "Bun" in globalThis ? blob.slice() : blob;
  if (typeof blob.stream !== "function") return wholeChunks(await allBytes(blob));
  const stream = blob.stream();
  return (inBrowser() && size > BUFFER_SIZE && byobChunks(stream, size)) || streamChunks(call, stream, size);
}

/** Bytes in the buffer that a long Blob is read into. */
const BUFFER_SIZE = 65536;

/** Streams that are being read. Chromium collects one that nothing else refers to, and its read never ends. */
const reading = new Set<ReadableStream>();

/**
 * The chunks of a Blob's stream, all in the same memory: in Firefox and Chromium a default reader takes 1.2 to 1.5 times
 * as long for 150 MB, in Node it is faster. Undefined for the stream of a polyfill, which may not be one of bytes.
 */
function byobChunks(stream: ReadableStream, total: number): Chunks | undefined {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = stream.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
  reading.add(stream);
  const forget = (): void => void reading.delete(stream);
  reader.closed.then(forget, forget);
  let buffer = new ArrayBuffer(BUFFER_SIZE);
  const next = async (): Promise<IteratorResult<unknown>> => {
    const result = await reader.read(new Uint8Array(buffer));
    if (result.value) buffer = result.value.buffer;
    return result as IteratorResult<unknown>;
  };
  return readerChunks(reader, next, total);
}

/** Reads a Blob of jsdom before 28, which has no `arrayBuffer` (https://github.com/jsdom/jsdom/issues/2555, 4197). */
function allBytes(blob: Blob): Promise<ArrayBuffer> {
  if (typeof blob.arrayBuffer === "function") return blob.arrayBuffer();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as ArrayBuffer);
    reader.onerror = () => reject(reader.error);
    reader.readAsArrayBuffer(blob);
  });
}
