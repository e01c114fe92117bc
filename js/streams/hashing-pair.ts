// The two sides of a stream that hashes the chunks that pass through it.
import type { Bytes } from "../input/bytes.js";
import { OwnPromise } from "../input/promises.js";
import type { Chunk } from "../sources/chunks.js";
import { copyOfChunk, isShared, type PromisedDigest } from "./chunks.js";
import { LazyTransformStream } from "./lazy-base.js";

/** Decides when hashed chunks are forwarded to the reader. */
export interface Forwarding<C> {
  /**
   * Whether chunks are held after they have been written: as copies, since the writer may then use its memory again.
   */
  readonly holds: boolean;
  pass(chunk: C, empty: boolean, send: (chunk: C) => void): void;
  /** Called after the last chunk. If it throws, the stream fails. */
  end(digest: Bytes, send: (chunk: C) => void): void;
}

/**
 * A writable side and a readable side with a hasher between them, and the back-pressure of a TransformStream: a chunk
 * is accepted when the reader asks for one. Not every engine notifies a TransformStream's transformer that the reader
 * has cancelled, but all notify a ReadableStream's source.
 */
function hashingPair<C>(digest: PromisedDigest, forwarding: Forwarding<C>): ReadableWritablePair<C, C> {
  let source: ReadableStreamDefaultController<C>;
  let sink: WritableStreamDefaultController;
  /** Whether the reader is waiting for a chunk. */
  let isWanted = false;
  /** The chunk that is waiting for the reader, none if it was forwarded, and the functions that settle its write. */
  let waiting: { chunk?: C; written(): void; fail(error: unknown): void } | undefined;
  let isSettled = false;
  /** The reason why the stream failed. */
  let failure: unknown;

  function pull(): void {
    isWanted = true;
    const write = waiting;
    waiting = undefined;
    if (!write) return;
    try {
      if ("chunk" in write) take(write.chunk as C);
      if (isQueued()) waiting = { written: write.written, fail: write.fail };
      else write.written();
    } catch (error) {
      write.fail(error);
    }
  }

  function write(chunk: C): Promise<void> | undefined {
    const taken = isWanted || isSettled;
    if (taken) take(chunk);
    if (taken && !isQueued()) return;
    return new OwnPromise((written, fail) => {
      waiting = taken ? { written, fail } : { chunk, written, fail };
    });
  }

  function take(chunk: C): void {
    attempt(() => {
      const own = forwarding.holds || isShared(chunk) ? copyOfChunk(digest.name, chunk) : chunk;
      forwarding.pass(own, digest.update(own), send);
    });
  }

  /** Whether a chunk was forwarded to a reader that has left. Until the next one comes, its write goes on. */
  const isQueued = (): boolean => (source.desiredSize ?? 0) < 0;

  function close(): void {
    attempt(() => {
      const bytes = digest.digest();
      forwarding.end(bytes, send);
      isSettled = true;
      digest.fulfil(bytes);
      source.close();
    });
  }

  function send(chunk: C): void {
    // Before enqueue, which may call pull for the next chunk.
    isWanted = false;
    source.enqueue(chunk);
  }

  function attempt(step: () => void): void {
    if (isSettled) throw failure;
    try {
      step();
    } catch (error) {
      fail(error);
      throw error;
    }
  }

  function fail(reason: unknown): void {
    if (isSettled) return;
    isSettled = true;
    failure = digest.fail(reason);
    waiting?.fail(failure);
    // Not before the calls in progress have returned: a `cancel` after an `abort`, or the other way round, would
    // reject.
    OwnPromise.resolve().then(() => {
      source.error(failure);
      sink.error(failure);
    });
  }

  const readable = new ReadableStream<C>(
    {
      start(controller) {
        source = controller;
      },
      pull,
      cancel: fail,
    },
    { highWaterMark: 0 },
  );
  const writable = new WritableStream<C>({
    start(controller) {
      sink = controller;
      // The sink's abort is called only after the write in progress, which may be waiting for the reader.
      controller.signal?.addEventListener("abort", () => fail(controller.signal.reason));
    },
    write,
    close,
    abort: fail,
  });
  return { readable, writable };
}

/** The base of HashStream and VerifyStream: a TransformStream whose two sides are those of a hashing pair. */
export class HashingTransformStream<C extends Chunk> extends LazyTransformStream<C, C> {
  /** The digest of all bytes. Rejects with the reason if the stream fails, is aborted, or is cancelled. */
  readonly digest: Promise<Uint8Array<ArrayBuffer>>;

  /** @internal */
  constructor(digest: PromisedDigest, forwarding: Forwarding<C>) {
    super();
    // The original sides are unused; the lock keeps them from being transferred by mistake.
    this.readable.getReader();
    const { readable, writable } = hashingPair(digest, forwarding);
    Object.defineProperties(this, { readable: { value: readable }, writable: { value: writable } });
    this.digest = digest.promise;
  }
}
