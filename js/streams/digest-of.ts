// One call for the digest of anything that yields bytes: streams, blobs, bodies, iterables.
import type { Algorithm } from "../engine/algorithm.js";
import { bytesOf, isBlob, isInMemory, provedSize, slicesOf } from "../input/blobs.js";
import { type ByteInput, toView } from "../input/bytes.js";
import { requireArguments, tag, wrongKind } from "../input/errors.js";
import { boolean, type NotIterable, without } from "../input/options.js";
import { requireSignal } from "../input/signals.js";
import { isBuffer } from "../input/views.js";
import { type Chunk, ChunkHasher, type Chunks } from "./chunks.js";

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

/** The options of `digestOf`, in addition to the algorithm's own. */
export interface DigestOfOptions extends NotIterable {
  /** Stops the read: the source is cancelled, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called after each chunk with the number of bytes so far, and the total if it is known: for bytes, a Blob
   * whose size proves right (a file in Bun does not), and a body whose `Content-Length` can be trusted.
   */
  readonly onProgress?: ((bytesSoFar: number, total: number | undefined) => void) | undefined;
}

/** What `digestOf` and `verified` require of a Response. */
export interface ResponseOptions {
  /**
   * Whether a Response with a status outside 200 to 299 is refused, by default true, since the digest of a server's error
   * page is hardly ever wanted. With false, a body of any status is hashed.
   */
  readonly requireOk?: boolean | undefined;
}

/**
 * Computes the digest of a source's bytes: a ReadableStream, Blob, Response, Request, an iterable or async iterable of
 * chunks (such as a Node stream), or plain bytes. Chunks are bytes of any kind, or strings (as UTF-8). Text alone is not a
 * source: it could be the name of a file. `blake3(text)` hashes text. A byte stream is read into a single reused buffer.
 *
 * A source that is not read to its end, because of the signal or an error, is cancelled. A Response that is not `ok` is
 * refused, and its body left unread, unless `requireOk` is false.
 *
 * @returns the digest's bytes; rejects with a TypeError for any other source or chunk, a locked stream, or a body that
 *   has been used; with the source's own error or the signal's reason; or with what the algorithm's `create` throws for
 *   its options
 * @example
 * const digest = await digestOf(blake3, file, {
 *   signal: AbortSignal.timeout(10_000),
 *   onProgress: (bytes, total) => { bar.value = bytes / (total ?? bytes); },
 * });
 */
export async function digestOf<Options extends object>(
  algorithm: Algorithm<Options>,
  source: Source,
  options?: Options & DigestOfOptions & ResponseOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  requireArguments("digestOf", arguments.length, 3);
  const { requireOk } = holdsOptions(options) ? options : {};
  const open = (name: string): Chunks | Promise<Chunks> => {
    if (requireOk === undefined || boolean(name, "requireOk", requireOk)) refuseFailed(name, "source", source);
    return openSource(name, source);
  };
  const rest = holdsOptions(options) ? (without(options, ["requireOk"]) as typeof options) : options;
  return digestChunks("digestOf", algorithm, open, rest);
}

/** @throws RangeError for a Response that is not `ok`; one that hides its status is refused elsewhere */
export function refuseFailed(name: string, argument: string, source: unknown): void {
  const { ok, status } = Object(source) as Partial<Response>;
  if (ok !== false || typeof status !== "number" || status === 0) return;
  const must = `${argument} must be a Response with a status from 200 to 299`;
  throw new RangeError(`${name}: ${must}, got status ${status}: set requireOk to false to hash it`);
}

/** @throws TypeError for a body that was used, or that is hidden */
export function requireUnread(name: string, argument: string, source: Response | Request): void {
  const kind = "status" in source ? "Response" : "Request";
  if (source.bodyUsed) {
    throw new TypeError(`${name}: ${argument} must be a ${kind} with an unread body, got one that was used`);
  }
  // The body of an opaque response is hidden, not empty.
  if ("type" in source && /^(opaque|error)/.test(source.type)) {
    throw new TypeError(`${name}: ${argument} must be a Response that can be read, got one of type ${source.type}`);
  }
}

/** Hashes the chunks that `open` returns. `open` is called only after the algorithm and options have been checked. */
export async function digestChunks<Options extends object>(
  user: string,
  algorithm: Algorithm<Options>,
  open: (name: string) => Chunks | Promise<Chunks>,
  options: (Options & DigestOfOptions) | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const { signal, onProgress } = holdsOptions(options) ? options : {};
  const parameters = holdsOptions(options) ? without(options, ["signal", "onProgress"]) : options;
  const hasher = new ChunkHasher(user, algorithm, parameters);
  const { name } = hasher;
  try {
    requireSignal(name, signal);
    if (onProgress !== undefined && typeof onProgress !== "function")
      throw wrongKind(name, "onProgress", "a function", onProgress);
    const chunks = await open(name);
    await unlessAborted(signal, chunks, () => hashAll(hasher, chunks, signal, onProgress));
    return hasher.digest();
  } finally {
    hasher.dispose();
  }
}

/** Whether a value can hold options; the algorithm reports any other. */
export function holdsOptions<Options extends object>(options: Options | undefined): options is Options {
  return typeof options === "object" && options !== null && !Array.isArray(options);
}

async function hashAll(
  hasher: ChunkHasher,
  chunks: Chunks,
  signal: AbortSignal | undefined,
  onProgress: DigestOfOptions["onProgress"],
): Promise<void> {
  for (;;) {
    const { done, value } = await chunks.next();
    if (done || signal?.aborted) return;
    try {
      hasher.update(value);
      onProgress?.(hasher.bytesHashed, chunks.total);
    } catch (error) {
      await cancel(chunks, error);
      throw error;
    }
  }
}

/** Runs the work, but rejects as soon as the signal is aborted: the work may wait for a chunk that never comes. */
function unlessAborted(signal: AbortSignal | undefined, chunks: Chunks, work: () => Promise<void>): Promise<void> {
  if (!signal) return work();
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      void cancel(chunks, signal.reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Cancels a source after a failure. Its own errors are ignored, as they would hide the first one. */
async function cancel(chunks: Chunks, reason: unknown): Promise<void> {
  try {
    await chunks.cancel(reason);
  } catch {}
}

const SOURCES = "bytes, a ReadableStream, a Blob, a Response, a Request or an iterable of chunks, async or not";
const ADVICE = "blake3(text) hashes text, and hashFile of blake-simd/node a file";

function openSource(name: string, source: unknown): Chunks | Promise<Chunks> {
  return isBlob(Object(source)) ? blobChunks(name, source as Blob) : chunksOf(name, source);
}

function chunksOf(name: string, source: unknown): Chunks {
  if (typeof source === "object" && source !== null && tag(source) !== "String") {
    if (ArrayBuffer.isView(source) || isBuffer(source)) {
      return { ...oneChunk(source), total: toView(name, "source", source).length };
    }
    if (isStream(source)) return streamChunks(name, source);
    if (isBody(source)) return bodyChunks(name, source);
    const iterator = iteratorOf(source);
    if (iterator) return iteratorChunks(iterator, source);
  }
  throw wrongKind(name, "source", SOURCES, source, ADVICE);
}

// Recognized by their members, so that objects from other realms and polyfills work too.
const isStream = (source: object): source is ReadableStream => typeof Reflect.get(source, "getReader") === "function";
const isBody = (source: object): source is Response | Request =>
  typeof Reflect.get(source, "bodyUsed") === "boolean" && typeof Reflect.get(source, "arrayBuffer") === "function";

async function blobChunks(name: string, blob: Blob): Promise<Chunks> {
  if (typeof blob.stream !== "function") return oneChunk(await bytesOf(name, blob, blob.size));
  const total = await provedSize(blob);
  const inSlices = total !== undefined && (await isInMemory(blob));
  const chunks = inSlices ? iteratorChunks(slicesOf(name, blob, total)) : streamChunks(name, blob.stream());
  return { ...chunks, total };
}

function oneChunk(chunk: Chunk): Chunks {
  return iteratorChunks([chunk].values());
}

function bodyChunks(name: string, source: Response | Request): Chunks {
  requireUnread(name, "source", source);
  if (source.body) return { ...chunksOf(name, source.body), total: contentLength(source) };
  return iteratorChunks(wholeBody(source));
}

/** For a body that is null, and for engines without Request.body. */
function* wholeBody(source: Response | Request): Generator<Promise<ArrayBuffer>> {
  yield source.arrayBuffer();
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
  const chunks: Chunks = {
    async next() {
      const { done, value } = await iterator.next();
      try {
        return { done, value: await value } as IteratorResult<unknown>;
      } catch (error) {
        // The iterator does not know that what it gave has failed.
        if (!done) await cancel(chunks, error);
        throw error;
      }
    },
    cancel() {
      // On its own, a Node stream's iterator returns only after the next chunk has arrived.
      source?.destroy?.();
      return iterator.return?.();
    },
  };
  return chunks;
}

function streamChunks(name: string, stream: ReadableStream): Chunks {
  if (stream.locked) throw new TypeError(`${name}: source must be a stream that is not locked, got a locked one`);
  const reader = byobReader(stream);
  return reader ? byobChunks(reader) : defaultChunks(stream);
}

function defaultChunks(stream: ReadableStream): Chunks {
  return readerChunks(stream.getReader(), (each) => each.read());
}

function byobReader(stream: ReadableStream): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

type AnyReader = ReadableStreamDefaultReader | ReadableStreamBYOBReader;

function readerChunks<R extends AnyReader>(
  reader: R,
  read: (reader: R) => Promise<ReadableStreamReadResult<unknown>>,
): Chunks {
  return {
    async next() {
      const result = await read(reader);
      if (result.done) reader.releaseLock();
      return result as IteratorResult<unknown>;
    },
    cancel(reason) {
      // Not awaited: a source whose cancellation never completes would hold up the error.
      reader.cancel(reason).catch(() => {});
      reader.releaseLock();
    },
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
