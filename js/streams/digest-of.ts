// One call for the digest of anything that yields bytes: streams, blobs, bodies, iterables.
import type { Algorithm } from "../engine/algorithm.js";
import { isOwn, wholeOf } from "../input/blobs.js";
import type { Bytes } from "../input/bytes.js";
import { isUint8Array, lengthOf } from "../input/caller-bytes.js";
import { requireAlgorithm, requireArguments, wrongKind } from "../input/errors.js";
import { yieldToEventLoop } from "../input/event-loop.js";
import { boolean, NO_OPTIONS, type NotIterable, without } from "../input/options.js";
import { requireSignal, unlessAborted } from "../input/signals.js";
import { ChunkHasher } from "./chunks.js";
import {
  type Chunks,
  cancel,
  openSource,
  type ResponseOptions,
  refuseFailed,
  SHORT,
  type Source,
  Whole,
} from "./sources.js";

const CALL = "digestOf";

/** Bytes in a first chunk of which a copy is kept until the next one has been read. */
const KEPT = 1024;

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

/**
 * Computes the digest of a source's bytes: a ReadableStream, Blob, Response, Request, an iterable or async iterable of
 * chunks (such as a Node stream), or plain bytes. Chunks are bytes of any kind, or strings (as UTF-8). Text alone is not a
 * source: it could be the name of a file. `blake3(text)` hashes text. A byte stream is read into a single reused buffer.
 *
 * A source that is not read to its end, because of the signal or an error, is cancelled. A Response that is not `ok` is
 * refused, and its body left unread, unless `requireOk` is false.
 *
 * @returns the digest's bytes; rejects with a TypeError for any other source or chunk, a locked stream, or a body or a Node
 *   stream that has been used; with the source's own error or the signal's reason; or with what the algorithm's `create` throws for
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
  if (ArrayBuffer.isView(source)) return algorithm(new Whole(CALL, source).whole);
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
  const rest: Chunks = { ...chunks, next: () => ahead.shift() ?? chunks.next() };
  return digestChunks(CALL, 2, algorithm, () => rest, undefined);
}

/** Returns a copy of a chunk of a few bytes: whoever gave it can change it before the next one is read. An empty one may be detached. */
function shortChunk(chunk: unknown): Bytes | undefined {
  const length = isUint8Array(chunk) ? lengthOf(chunk) : 0;
  return length > 0 && length <= KEPT ? new Uint8Array(chunk as Uint8Array) : undefined;
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
  const hasher = new ChunkHasher(
    user,
    algorithm,
    given ? without(user, given, ["signal", "onProgress", ...more]) : options,
  );
  const { name } = hasher;
  let chunks: Chunks | undefined;
  try {
    requireSignal(name, signal);
    if (onProgress !== undefined && typeof onProgress !== "function")
      throw wrongKind(name, "onProgress", "a function", onProgress);
    const opened = open(name, given);
    const drop = (late: Chunks): void => void cancel(late, signal?.reason);
    chunks = opened instanceof Promise ? await unlessAborted(signal, opened, drop) : opened;
    signal?.throwIfAborted();
    await unlessAborted(signal, hashAll(hasher, chunks, signal, onProgress));
    return hasher.digest();
  } catch (error) {
    if (chunks) void cancel(chunks, error);
    throw error;
  } finally {
    hasher.dispose();
  }
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
  const hash = (chunk: unknown): void => {
    hasher.append(chunk);
    onProgress?.(hasher.bytesHashed, chunks.total?.());
  };
  if (chunks instanceof Whole) return hash(chunks.whole);
  let turnAt = Date.now() + TURN;
  for (let count = 0; !signal?.aborted; count++) {
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
    hash(value);
  }
}
