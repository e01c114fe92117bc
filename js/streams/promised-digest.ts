// A hasher with a promise of its digest.
import type { ChunkHasher } from "./chunks.js";

export type Digest = Uint8Array<ArrayBuffer>;

/** The hasher is disposed of when the promise settles. */
export class PromisedDigest {
  readonly promise: Promise<Digest>;
  readonly #hasher: ChunkHasher;
  #resolve!: (digest: Digest) => void;
  #reject!: (error: unknown) => void;

  constructor(hasher: ChunkHasher) {
    this.#hasher = hasher;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Code that only pipes gets the error from the pipe: an unused digest must not end the process.
    this.promise.catch(() => {});
  }

  /** Returns whether the chunk is empty. */
  update(chunk: unknown): boolean {
    return this.#hasher.update(chunk);
  }

  digest(): Digest {
    return this.#hasher.digest();
  }

  fulfil(digest: Digest): void {
    this.#resolve(digest);
    this.#hasher.dispose();
  }

  /** Rejects with the reason that the stream ended, or an AbortError if there is none. Returns that error. */
  fail(reason: unknown): unknown {
    const error = reason ?? new DOMException(`${this.#hasher.name}: the stream was aborted`, "AbortError");
    this.#reject(error);
    this.#hasher.dispose();
    return error;
  }
}
