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
class HashingPair<C> {
  readonly readable: ReadableStream<C>;
  readonly writable: WritableStream<C>;
  readonly #digest: PromisedDigest;
  readonly #forwarding: Forwarding<C>;
  #source!: ReadableStreamDefaultController<C>;
  #sink!: WritableStreamDefaultController;
  /** Whether the reader is waiting for a chunk. */
  #wanted = false;
  /** The chunk that is waiting for the reader, none if it was forwarded, and the functions that settle its write. */
  #waiting: { chunk?: C; written(): void; fail(error: unknown): void } | undefined;
  #settled = false;
  /** The reason why the stream failed. */
  #error: unknown;

  constructor(digest: PromisedDigest, forwarding: Forwarding<C>) {
    this.#digest = digest;
    this.#forwarding = forwarding;
    this.readable = new ReadableStream<C>(
      {
        start: (controller) => {
          this.#source = controller;
        },
        pull: () => this.#pull(),
        cancel: (reason) => this.#fail(reason),
      },
      { highWaterMark: 0 },
    );
    this.writable = new WritableStream<C>({
      start: (controller) => this.#start(controller),
      write: (chunk) => this.#write(chunk),
      close: () => this.#close(),
      abort: (reason) => this.#fail(reason),
    });
  }

  #start(controller: WritableStreamDefaultController): void {
    this.#sink = controller;
    // The sink's abort is called only after the write in progress, which may be waiting for the reader.
    controller.signal?.addEventListener("abort", () => this.#fail(controller.signal.reason));
  }

  #pull(): void {
    this.#wanted = true;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting) return;
    try {
      if ("chunk" in waiting) this.#take(waiting.chunk as C);
      if (this.#isQueued()) this.#waiting = { written: waiting.written, fail: waiting.fail };
      else waiting.written();
    } catch (error) {
      waiting.fail(error);
    }
  }

  #write(chunk: C): Promise<void> | undefined {
    const taken = this.#wanted || this.#settled;
    if (taken) this.#take(chunk);
    if (taken && !this.#isQueued()) return;
    return new OwnPromise((written, fail) => {
      this.#waiting = taken ? { written, fail } : { chunk, written, fail };
    });
  }

  #take(chunk: C): void {
    this.#attempt(() => {
      const own = this.#forwarding.holds || isShared(chunk) ? copyOfChunk(this.#digest.name, chunk) : chunk;
      this.#forwarding.pass(own, this.#digest.update(own), this.#send);
    });
  }

  /** Whether a chunk was forwarded to a reader that has left. Until the next one comes, its write goes on. */
  #isQueued(): boolean {
    return (this.#source.desiredSize ?? 0) < 0;
  }

  #close(): void {
    this.#attempt(() => {
      const digest = this.#digest.digest();
      this.#forwarding.end(digest, this.#send);
      this.#settled = true;
      this.#digest.fulfil(digest);
      this.#source.close();
    });
  }

  readonly #send = (chunk: C): void => {
    // Before enqueue, which may call pull for the next chunk.
    this.#wanted = false;
    this.#source.enqueue(chunk);
  };

  #attempt(step: () => void): void {
    if (this.#settled) throw this.#error;
    try {
      step();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  #fail(reason: unknown): void {
    if (this.#settled) return;
    this.#settled = true;
    const error = this.#digest.fail(reason);
    this.#error = error;
    this.#waiting?.fail(error);
    // Not before the calls in progress have returned: a `cancel` after an `abort`, or the other way round, would
    // reject.
    OwnPromise.resolve().then(() => {
      this.#source.error(error);
      this.#sink.error(error);
    });
  }
}

/** The base of HashStream and VerifyStream: a TransformStream whose two sides are those of a HashingPair. */
export class HashingTransformStream<C extends Chunk> extends LazyTransformStream<C, C> {
  /** The digest of all bytes. Rejects with the reason if the stream fails, is aborted, or is cancelled. */
  readonly digest: Promise<Uint8Array<ArrayBuffer>>;

  /** @internal */
  constructor(digest: PromisedDigest, forwarding: Forwarding<C>) {
    super();
    // The original sides are unused; the lock keeps them from being transferred by mistake.
    this.readable.getReader();
    const { readable, writable } = new HashingPair(digest, forwarding);
    Object.defineProperties(this, { readable: { value: readable }, writable: { value: writable } });
    this.digest = digest.promise;
  }
}
