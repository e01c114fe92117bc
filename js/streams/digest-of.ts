// One call for the digest of anything that yields bytes: streams, blobs, bodies, iterables.
import type { Algorithm } from "../engine/algorithm.js";
import { bytesOf, isBlob, isInMemory, isOwn, provedSize, sizeOf, slicesOf, streamOf, wholeOf } from "../input/blobs.js";
import { type ByteInput, type Bytes, toBytes } from "../input/bytes.js";
import { isBuffer, isUint8Array, lengthOf } from "../input/caller-bytes.js";
import { requireAlgorithm, requireArguments, tag, wrongKind } from "../input/errors.js";
import { yieldToEventLoop } from "../input/event-loop.js";
import { boolean, NO_OPTIONS, type NotIterable, without } from "../input/options.js";
import { onAbort, requireSignal, unlessAborted } from "../input/signals.js";
import { type Chunk, ChunkHasher, type Chunks } from "./chunks.js";

const CALL = "digestOf";

/** Blobs that say that they have at most this many bytes are read at once, whatever they have. */
const SHORT = 65536;

/** Bytes in a first chunk of which a copy is kept until the next one has been read. */
const KEPT = 1024;

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
   * whose size proves right (a file in Bun does not), and a body whose `Content-Length` can be trusted. Called once for a source
   * without a chunk.
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
 *   onProgress: (bytes, total) => { bar.value = total ? bytes / total : 1; },
 * });
 */
export function digestOf<Options extends object>(
  algorithm: Algorithm<Options>,
  source: Source,
  options?: Options & DigestOfOptions & ResponseOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  if (options === undefined && arguments.length <= 3 && typeof algorithm === "function")
    return digestPlain(algorithm, source);
  const open = (name: string, given: (ResponseOptions & DigestOfOptions) | undefined): Chunks | Promise<Chunks> => {
    const { requireOk, onProgress } = given ?? {};
    if (requireOk === undefined || boolean(name, "requireOk", requireOk)) refuseFailed(name, "source", source);
    return openSource(name, source, onProgress !== undefined);
  };
  return digestChunks(CALL, arguments.length, algorithm, open, options, ["requireOk"]);
}

/** The digest of a source without options. What is here already, or is one short chunk, needs no hasher. */
async function digestPlain(algorithm: Algorithm<never>, source: Source): Promise<Bytes> {
  requireAlgorithm(CALL, algorithm, "blake3");
  if (ArrayBuffer.isView(source)) {
    toBytes(CALL, "source", source);
    return algorithm(source);
  }
  const bytes = isOwn(source) ? await wholeOf(source, SHORT) : undefined;
  if (bytes) return algorithm(bytes);
  refuseFailed(CALL, "source", source);
  const opened = openSource(CALL, source, false);
  const chunks = opened instanceof Promise ? await opened : opened;
  if (chunks instanceof Whole) return algorithm(chunks.whole);
  const result = await chunks.next();
  const ahead = [result];
  // The result that ends a byte stream has a view, too.
  const first = result.done ? undefined : shortChunk(result.value);
  if (first) {
    const second = await chunks.next();
    if (second.done) {
      chunks.end?.();
      return algorithm(first);
    }
    ahead[0] = { done: false, value: first };
    ahead.push(second);
  }
  const next = () => ahead.shift() ?? chunks.next();
  const rest: Chunks = { next, end: () => chunks.end?.(), cancel: (reason) => chunks.cancel(reason) };
  return digestChunks(CALL, 2, algorithm, () => rest, undefined);
}

/** Returns a copy of a chunk of a few bytes: whoever gave it can change it before the next one is read. An empty one may be detached. */
function shortChunk(chunk: unknown): Bytes | undefined {
  const length = isUint8Array(chunk) ? lengthOf(chunk) : 0;
  return length > 0 && length <= KEPT ? new Uint8Array(chunk as Uint8Array) : undefined;
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
  const kind = "status" in source ? "Response" : "Request";
  if (source.bodyUsed) {
    throw new TypeError(`${name}: ${argument} must be a ${kind} with an unread body, got one that was used`);
  }
  // The body of an opaque response is hidden, not empty.
  if ("type" in source && /^(opaque|error)/.test(source.type)) {
    throw new TypeError(`${name}: ${argument} must be a Response that can be read, got one of type ${source.type}`);
  }
}

/**
 * Hashes the chunks that `open` returns. `open` is called only after the algorithm and options have been checked.
 *
 * @param count how many arguments the user was called with
 * @param more the names of options that `open` reads
 */
export async function digestChunks<Options extends object, More extends object>(
  user: string,
  count: number,
  algorithm: Algorithm<Options>,
  open: (name: string, options: (More & DigestOfOptions) | undefined) => Chunks | Promise<Chunks>,
  options: (Options & DigestOfOptions & More) | undefined,
  more: readonly string[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  requireArguments(user, count, 3);
  const given = holdsOptions(options) ? options : undefined;
  const { signal, onProgress }: DigestOfOptions = given ?? NO_OPTIONS;
  const own = given ? ["signal", "onProgress", ...more] : [];
  const hasher = new ChunkHasher(user, algorithm, given ? without(user, given, own) : options, own);
  const { name } = hasher;
  try {
    requireSignal(name, signal);
    if (onProgress !== undefined && typeof onProgress !== "function")
      throw wrongKind(name, "onProgress", "a function", onProgress);
    const opened = open(name, given);
    const drop = (late: Chunks): void => void cancel(late, signal?.reason);
    const chunks = opened instanceof Promise ? await unlessAborted(signal, opened, drop) : opened;
    if (signal) await untilAborted(signal, chunks, () => hashAll(hasher, chunks, signal, onProgress));
    else if (chunks instanceof Whole) hashChunk(hasher, chunks, chunks.whole, onProgress);
    else await hashAll(hasher, chunks, signal, onProgress);
    return hasher.digest();
  } finally {
    hasher.dispose();
  }
}

function hashChunk(
  hasher: ChunkHasher,
  chunks: Chunks,
  chunk: unknown,
  onProgress: DigestOfOptions["onProgress"],
): void {
  hasher.append(chunk);
  onProgress?.(hasher.bytesHashed, chunks.total);
}

/** Whether a value can hold options; the algorithm reports any other. */
export function holdsOptions<Options extends object>(options: Options | undefined): options is Options {
  return typeof options === "object" && options !== null && !Array.isArray(options);
}

/** Milliseconds after which a signal's timer can fire, even if the source never waits for the event loop. */
const TURN = 100;

async function hashAll(
  hasher: ChunkHasher,
  chunks: Chunks,
  signal: AbortSignal | undefined,
  onProgress: DigestOfOptions["onProgress"],
): Promise<void> {
  let turnAt = Date.now() + TURN;
  for (let count = 0; ; count++) {
    if (signal && Date.now() >= turnAt) {
      await yieldToEventLoop();
      turnAt = Date.now() + TURN;
    }
    const { done, value } = await chunks.next();
    if (signal?.aborted) return;
    if (done) {
      chunks.end?.();
      return count === 0 ? onProgress?.(0, 0) : undefined;
    }
    try {
      hashChunk(hasher, chunks, value, onProgress);
    } catch (error) {
      await cancel(chunks, error);
      throw error;
    }
  }
}

/** Runs the work, but rejects as soon as the signal is aborted: the work may wait for a chunk that never comes. */
function untilAborted(signal: AbortSignal, chunks: Chunks, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const stop = (reason: unknown): void => {
      isOver = true;
      reject(reason);
      void cancel(chunks, reason);
    };
    const end = onAbort(signal, stop);
    // Another listener may have kept the event from this one.
    const settle = () => (signal.aborted ? stop(signal.reason) : resolve());
    if (isOver) end();
    else work().then(settle, reject).finally(end).catch(reject);
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

function openSource(name: string, source: unknown, progress: boolean): Chunks | Promise<Chunks> {
  if (ArrayBuffer.isView(source)) return new Whole(name, source);
  return isBlob(Object(source)) ? blobChunks(name, source as Blob, progress) : chunksOf(name, source);
}

function chunksOf(name: string, source: unknown): Chunks {
  if (typeof source === "object" && source !== null && tag(source) !== "String") {
    if (isStream(source)) return streamChunks(name, source);
    if (isBody(source)) return bodyChunks(name, source);
    // After these: what throws inside takes twice as long as a short body.
    if (isBuffer(source)) return new Whole(name, source);
    const iterator = iteratorOf(source);
    if (iterator) return iteratorChunks(iterator, source);
  }
  throw wrongKind(name, "source", SOURCES, source, ADVICE);
}

/** Bytes that are here already. */
export class Whole implements Chunks {
  readonly whole: ByteInput;
  readonly total: number;
  readonly end = undefined;
  #done = false;

  /** @throws TypeError for a detached or shrunk buffer */
  constructor(name: string, bytes: ByteInput) {
    this.total = lengthOf(toBytes(name, "source", bytes));
    this.whole = bytes;
  }

  next(): IteratorResult<unknown> {
    const done = this.#done;
    this.#done = true;
    return { done, value: this.whole };
  }

  cancel(): void {}
}

// Recognized by their members, so that objects from other realms and polyfills work too.
const isStream = (source: object): source is ReadableStream => typeof Reflect.get(source, "getReader") === "function";
const isBody = (source: object): source is Response | Request =>
  "bodyUsed" in source && typeof Reflect.get(source, "arrayBuffer") === "function";

function blobChunks(name: string, blob: Blob, progress: boolean): Chunks | Promise<Chunks> {
  if (progress || sizeOf(blob) > SHORT || typeof blob.stream !== "function") return measuredChunks(name, blob);
  return shortChunks(name, streamOf(name, blob));
}

async function measuredChunks(name: string, blob: Blob): Promise<Chunks> {
  if (typeof blob.stream !== "function") return new Whole(name, await bytesOf(name, blob, blob.size));
  const total = await provedSize(blob);
  const inSlices = total !== undefined && (await isInMemory(blob));
  const chunks = inSlices ? iteratorChunks(slicesOf(name, blob, total)) : streamChunks(name, streamOf(name, blob));
  return { ...chunks, total };
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
    get total() {
      return contentLength(source);
    },
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
  const { next, end, cancel } = iteratorChunks(read());
  return {
    next,
    end,
    cancel,
    get total() {
      return total;
    },
  };
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
  let isCancelled = false;
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
    end: undefined,
    cancel() {
      // Once, though both an error and a signal may end the read.
      if (isCancelled) return;
      isCancelled = true;
      // On its own, a Node stream's iterator returns only after the next chunk has arrived.
      source?.destroy?.();
      return iterator.return?.();
    },
  };
  return chunks;
}

function streamChunks(name: string, stream: ReadableStream): Chunks {
  requireUnlocked(name, stream);
  const reader = byobReader(stream);
  return reader ? byobChunks(reader) : defaultChunks(stream.getReader());
}

/** Chunks that are read before a stream counts as a long one: the only one, and its end. */
const SHORT_READS = 2;

/** The chunks of a stream that is probably short: its first by a default reader, which takes half the time and no buffer. */
function shortChunks(name: string, stream: ReadableStream): Chunks {
  requireUnlocked(name, stream);
  const reader = stream.getReader();
  let chunks = defaultChunks(reader);
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
  };
}

function requireUnlocked(name: string, stream: ReadableStream): void {
  if (stream.locked) throw new TypeError(`${name}: source must be a stream that is not locked, got a locked one`);
}

function defaultChunks(reader: ReadableStreamDefaultReader): Chunks {
  return readerChunks(reader, (each) => each.read());
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
    next: () => read(reader) as Promise<IteratorResult<unknown>>,
    end: () => reader.releaseLock(),
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
