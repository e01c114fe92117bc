// What a message can be read from: bytes, streams, Blobs, bodies and iterables, each as chunks.
import { bytesOf, isBlob, isInMemory, provedSize, sizeOf, slicesOf, streamOf } from "../input/blobs.js";
import { type ByteInput, toBytes } from "../input/bytes.js";
import { isBuffer, lengthOf } from "../input/caller-bytes.js";
import { tag, wrongKind } from "../input/errors.js";
import type { Chunk } from "./chunks.js";

/** The sources that `digestOf` reads a message from. */
export type Source =
  | ByteInput
  | ReadableStream<Chunk>
  | Blob
  | Response
  | Request
  | AsyncIterable<Chunk>
  // Text is an iterable of text, but not an object.
  | (object & Iterable<Chunk | Promise<Chunk>>);

/** What `digestOf` and `verified` require of a Response. */
export interface ResponseOptions {
  /**
   * Whether a Response with a status outside 200 to 299 is refused, by default true, since the digest of a server's error
   * page is hardly ever wanted. With false, a body of any status is hashed.
   */
  readonly requireOk?: boolean | undefined;
}

/** Chunks in their order. */
export interface Chunks {
  next(): IteratorResult<unknown> | PromiseLike<IteratorResult<unknown>>;
  /** Called once the last chunk has been read. */
  readonly end: (() => void) | undefined;
  /** Stops reading early. */
  cancel(reason: unknown): unknown;
  /** Returns the number of bytes in all chunks, if it is known. */
  readonly total: (() => number | undefined) | undefined;
}

/** @throws RangeError for a Response that is not `ok`; one that hides its status is refused elsewhere */
export function refuseFailed(name: string, argument: string, source: unknown): void {
  const { ok, status } = Object(source) as Partial<Response>;
  if (typeof status !== "number" || status === 0 || (ok ?? (status >= 200 && status <= 299))) return;
  const must = `${argument} must be a Response with a status from 200 to 299`;
  throw new RangeError(`${name}: ${must}, got status ${status}: set requireOk to false to hash it`);
}

/** @throws TypeError for a body that was used, or that is hidden */
export function requireUnread(name: string, argument: string, source: Response | Request): void {
  if (source.bodyUsed) throw wasUsed(name, argument, "status" in source ? "Response" : "Request");
  // The body of an opaque response is hidden, not empty.
  if ("type" in source && /^(opaque|error)/.test(source.type)) {
    throw new TypeError(`${name}: ${argument} must be a Response that can be read, got one of type ${source.type}`);
  }
}

function wasUsed(name: string, argument: string, kind: string): TypeError {
  return new TypeError(`${name}: ${argument} must be a ${kind} with an unread body, got one that was used`);
}

/** Cancels a source after a failure. Its own errors are ignored, as they would hide the first one. */
export async function cancel(chunks: Chunks, reason: unknown): Promise<void> {
  try {
    await chunks.cancel(reason);
  } catch {}
}

const SOURCES = "bytes, a ReadableStream, a Blob, a Response, a Request or an iterable of chunks, async or not";
const ADVICE = "blake3(text) hashes text, and hashFile of blake-simd/node a file";

export function openSource(name: string, source: unknown, progress: boolean): Chunks | Promise<Chunks> {
  if (ArrayBuffer.isView(source)) return new Whole(name, source);
  return isBlob(Object(source)) ? blobChunks(name, source as Blob, progress) : chunksOf(name, source);
}

function chunksOf(name: string, source: unknown): Chunks {
  if (typeof source === "object" && source !== null && tag(source) !== "String") {
    if (isStream(source)) return streamChunks(name, source);
    if (isBody(source)) return bodyChunks(name, source);
    // After these: what throws inside takes twice as long as a short body.
    if (isBuffer(source)) return new Whole(name, source);
    // A Node stream that somebody has read to its end, such as a parser of requests, would have no bytes.
    if ((source as { readableEnded?: unknown }).readableEnded === true) throw wasUsed(name, "source", "stream");
    const iterator = iteratorOf(source);
    if (iterator) return iteratorChunks(iterator, source);
  }
  throw wrongKind(name, "source", SOURCES, source, ADVICE);
}

/** Bytes that are here already: what reads them need not wait for a chunk. */
export class Whole implements Chunks {
  readonly whole: ByteInput;
  readonly #length: number;
  readonly end = undefined;
  #done = false;

  /** @throws TypeError for a detached or shrunk buffer */
  constructor(name: string, bytes: ByteInput) {
    this.#length = lengthOf(toBytes(name, "source", bytes));
    this.whole = bytes;
  }

  next(): IteratorResult<unknown> {
    const done = this.#done;
    this.#done = true;
    return { done, value: this.whole };
  }

  total(): number {
    return this.#length;
  }

  cancel(): void {}
}

// Recognized by their members, so that objects from other realms and polyfills work too.
const isStream = (source: object): source is ReadableStream => typeof Reflect.get(source, "getReader") === "function";
const isBody = (source: object): source is Response | Request =>
  "bodyUsed" in source && typeof Reflect.get(source, "arrayBuffer") === "function";

/** Blobs that say that they have at most this many bytes are read at once, whatever they have. */
export const SHORT = 65536;

function blobChunks(name: string, blob: Blob, progress: boolean): Chunks | Promise<Chunks> {
  if (progress || sizeOf(blob) > SHORT || typeof blob.stream !== "function") return measuredChunks(name, blob);
  return shortChunks(name, streamOf(name, blob));
}

async function measuredChunks(name: string, blob: Blob): Promise<Chunks> {
  if (typeof blob.stream !== "function") return new Whole(name, await bytesOf(name, blob, blob.size));
  const size = await provedSize(blob);
  const inSlices = size !== undefined && (await isInMemory(blob));
  const chunks = inSlices ? iteratorChunks(slicesOf(name, blob, size)) : streamChunks(name, streamOf(name, blob));
  return { ...chunks, total: () => size };
}

function bodyChunks(name: string, source: Response | Request): Chunks {
  requireUnread(name, "source", source);
  const { body } = source;
  if (!body) return wholeBody(source);
  const chunks = isStream(body) ? shortChunks(name, body) : chunksOf(name, body);
  return {
    next: () => chunks.next(),
    // It stays locked, as after `arrayBuffer()`: to release it takes Deno as long as to read a short one.
    end: undefined,
    cancel: (reason) => chunks.cancel(reason),
    total: () => contentLength(source),
  };
}

/** A body that is null, or in an engine without Request.body. */
function wholeBody(source: Response | Request): Chunks {
  let total: number | undefined;
  async function* read(): AsyncGenerator<ArrayBuffer> {
    const bytes = await source.arrayBuffer();
    total = bytes?.byteLength;
    yield bytes;
  }
  return { ...iteratorChunks(read()), total: () => total };
}

/** A body's length, if its header counts the bytes that will be read: not encoded, and not hidden by CORS. */
function contentLength(source: Response | Request): number | undefined {
  const { headers } = source;
  const hidden = "type" in source && source.type === "cors";
  if (hidden || !headers?.has("content-length") || headers.has("content-encoding")) return undefined;
  const length = Number(headers.get("content-length"));
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined;
}

type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>;

function iteratorOf(source: object): AnyIterator | undefined {
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = source as AsyncIterable<unknown> &
    Iterable<unknown>;
  if (typeof later === "function") return later.call(source);
  return typeof now === "function" ? now.call(source) : undefined;
}

export function iteratorChunks(iterator: AnyIterator, source?: { destroy?(): void }): Chunks {
  let isOver = false;
  const chunks: Chunks = {
    async next() {
      let result: IteratorResult<unknown> | undefined;
      try {
        result = await iterator.next();
        return { done: result.done, value: await result.value } as IteratorResult<unknown>;
      } catch (error) {
        // The iterator does not know that what it gave has failed.
        if (result && !result.done) await cancel(chunks, error);
        isOver = true;
        throw error;
      }
    },
    cancel() {
      // Once, though both an error and a signal may end the read, and not if the source has ended by itself.
      if (isOver) return;
      isOver = true;
      // On its own, a Node stream's iterator returns only after the next chunk has arrived.
      source?.destroy?.();
      return iterator.return?.();
    },
    end: undefined,
    total: undefined,
  };
  return chunks;
}

function streamChunks(name: string, stream: ReadableStream): Chunks {
  requireUnlocked(name, stream);
  const reader = byobReader(stream);
  return reader ? byobChunks(reader) : readerChunks(stream.getReader());
}

/** Chunks that are read before a stream counts as a long one: the only one, and its end. */
const SHORT_READS = 2;

/** The chunks of a stream that is probably short: its first by a default reader, which takes half the time and no buffer. */
function shortChunks(name: string, stream: ReadableStream): Chunks {
  requireUnlocked(name, stream);
  const reader = stream.getReader();
  let chunks = readerChunks(reader);
  let reads = 0;
  return {
    next() {
      if (reads++ === SHORT_READS) {
        reader.releaseLock();
        chunks = streamChunks(name, stream);
      }
      return chunks.next();
    },
    end: () => chunks.end?.(),
    cancel: (reason) => chunks.cancel(reason),
    total: undefined,
  };
}

function requireUnlocked(name: string, stream: ReadableStream): void {
  if (stream.locked) throw new TypeError(`${name}: source must be a stream that is not locked, got a locked one`);
}

function byobReader(stream: ReadableStream): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

function readerChunks(
  reader: ReadableStreamDefaultReader | ReadableStreamBYOBReader,
  next: Chunks["next"] = () => (reader as ReadableStreamDefaultReader).read() as Promise<IteratorResult<unknown>>,
): Chunks {
  return {
    next,
    end: () => reader.releaseLock(),
    cancel(reason) {
      // Not awaited: a source whose cancellation never completes would hold up the error.
      reader.cancel(reason).catch(() => {});
      reader.releaseLock();
    },
    total: undefined,
  };
}

/** Bytes in the buffer that a byte stream is read into. */
const BUFFER_SIZE = 65536;

/** Readers with a read in progress. Chromium collects one that nothing else refers to, and its read never ends. */
const reading = new Set<ReadableStreamBYOBReader>();

function byobChunks(reader: ReadableStreamBYOBReader): Chunks {
  let buffer = new ArrayBuffer(BUFFER_SIZE);
  let end: (result: ReadableStreamReadResult<unknown>) => void = () => {};
  // A source can close without settling the read in progress. The timeout lets a result that is on its way arrive
  // first.
  reader.closed.then(
    () => setTimeout(() => end({ done: true, value: undefined }), 0),
    () => {},
  );
  return readerChunks(reader, async () => {
    reading.add(reader);
    const result = await new Promise<ReadableStreamReadResult<unknown>>((resolve, reject) => {
      end = resolve;
      reader.read(new Uint8Array(buffer)).then(resolve, reject);
    }).finally(() => reading.delete(reader));
    if (!result.done) buffer = (result.value as Uint8Array<ArrayBuffer>).buffer;
    return result;
  });
}
