// One call for the digest of anything that yields bytes: streams, Blobs, bodies, iterables.
import type { Algorithm } from "../engine/algorithm.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { boolean, NO_OPTIONS, type NotIterable, without } from "../input/options.js";
import { requireSignal, unlessAborted } from "../input/signals.js";
import { type Chunks, cancel, eachChunk } from "../sources/chunks.js";
import { openSource, type Source } from "../sources/open.js";
import { ChunkHasher } from "./chunk-hasher.js";

/** The options of `digestOf`, in addition to the algorithm's own. */
export interface DigestOfOptions extends NotIterable {
  /** Stops the read: the source is cancelled, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called after each chunk with the number of bytes so far, and the total if it is known: for bytes, a Blob, and a
   * body whose `Content-Length` can be trusted. Called once for a source without a chunk.
   */
  readonly onProgress?: ((bytesSoFar: number, total: number | undefined) => void) | undefined;
}

/** What `digestOf` and `verified` require of a Response. */
export interface ResponseOptions {
  /**
   * Whether a Response with a status outside 200 to 299 is refused, by default true, since the digest of a server's
   * error page is hardly ever wanted. With false, a body of any status is hashed.
   */
  readonly requireOk?: boolean | undefined;
}

/** @throws RangeError for a Response that is not `ok`; one that hides its status is refused elsewhere */
export function refuseFailed(name: string, argument: string, source: unknown): void {
  const { ok, status } = Object(source) as Partial<Response>;
  if (typeof status !== "number" || status === 0 || (ok ?? (status >= 200 && status <= 299))) return;
  const must = `${argument} must be a Response with a status from 200 to 299`;
  throw new RangeError(`${name}: ${must}, got status ${status}: set requireOk to false to hash it`);
}

/**
 * Computes the digest of a source's bytes: a ReadableStream, Blob, Response, Request, an iterable or async iterable of
 * chunks (such as a Node stream), or plain bytes. Chunks are bytes of any kind, or strings (as UTF-8). Text alone is
 * not a source: it could be the name of a file. `blake3(text)` hashes text. Each chunk is hashed before the next one is
 * asked for.
 *
 * A source that is not read to its end, because of the signal or an error, is cancelled. A Response that is not `ok` is
 * refused, and its body left unread, unless `requireOk` is false.
 *
 * @returns the digest's bytes; rejects with a TypeError for any other source or chunk, a locked stream, or a body or a
 *   Node stream that has been used; with the source's own error or the signal's reason; or with what the algorithm's
 *   `create` throws for its options
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
  return digestSource("digestOf", arguments.length, algorithm, source, options);
}

/** `digestOf` for another function: `call` names it in errors. */
export function digestSource<Options extends object>(
  call: string,
  count: number,
  algorithm: Algorithm<Options>,
  source: unknown,
  options: (Options & DigestOfOptions & ResponseOptions) | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const open = (name: string, given: ResponseOptions | undefined): Chunks | Promise<Chunks> => {
    const requireOk = given?.requireOk;
    if (requireOk === undefined || boolean(name, "requireOk", requireOk)) refuseFailed(name, "source", source);
    return openSource(name, source);
  };
  return digestChunks(call, count, algorithm, open, options, ["requireOk"]);
}

/**
 * Hashes the chunks that `open` returns. `open` is called only after the algorithm and options have been checked.
 *
 * @param count how many arguments the call had
 * @param more the names of options that `open` reads
 */
export async function digestChunks<Options extends object, More extends object>(
  call: string,
  count: number,
  algorithm: Algorithm<Options>,
  open: (name: string, options: (More & DigestOfOptions) | undefined) => Chunks | Promise<Chunks>,
  options: (Options & DigestOfOptions & More) | undefined,
  more: readonly string[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  requireArguments(call, count, 3);
  const given = holdsOptions(options) ? options : undefined;
  const own = given ? without(given, ["signal", "onProgress", ...more]) : options;
  const { signal, onProgress }: DigestOfOptions = given ?? NO_OPTIONS;
  const hasher = new ChunkHasher(call, algorithm, own);
  try {
    requireSignal(call, signal);
    if (onProgress !== undefined && typeof onProgress !== "function")
      throw wrongKind(call, "onProgress", "a function", onProgress);
    // Async, so that what `open` throws becomes a rejection.
    const opening = (async () => open(call, given))();
    const chunks = await unlessAborted(signal, opening, cancel);
    const chunkCount = await eachChunk(chunks, signal, (chunk) => {
      hasher.update(chunk);
      onProgress?.(hasher.bytesHashed, chunks.total);
    });
    if (chunkCount === 0) onProgress?.(0, 0);
    // `onProgress` may have aborted it in its last call.
    signal?.throwIfAborted();
    return hasher.digest();
  } finally {
    hasher.dispose();
  }
}

/** Whether a value can hold options; the algorithm reports any other. */
export function holdsOptions<Options extends object>(options: Options | undefined): options is Options {
  return typeof options === "object" && options !== null && !Array.isArray(options);
}
