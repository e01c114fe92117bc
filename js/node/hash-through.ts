// A pass-through stream of Node's that hashes.
import { Transform, type TransformCallback } from "node:stream";
import type { Algorithm } from "../engine/algorithm.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { ChunkHasher } from "../streams/chunk-hasher.js";

/** Called with the digest before the stream ends. If it throws or rejects, the stream fails. */
export type OnDigest = (digest: Buffer<ArrayBuffer>) => unknown;

class HashThrough extends Transform {
  readonly #hasher: ChunkHasher;
  readonly #onDigest: OnDigest;

  constructor(hasher: ChunkHasher, onDigest: OnDigest) {
    super({ highWaterMark: 65_536 });
    this.#hasher = hasher;
    this.#onDigest = onDigest;
  }

  /** So that Vue does not wrap it. */
  get [Symbol.toStringTag](): string {
    return "HashThrough";
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let own: Buffer;
    try {
      this.#hasher.update(chunk);
      // A copy, since it waits for the reader, while the writer may use its memory.
      own = Buffer.from(chunk);
    } catch (error) {
      done(error as Error);
      return;
    }
    done(null, own);
  }

  override _flush(done: TransformCallback): void {
    this.#report().then(
      () => done(),
      // Node takes a falsy reason, such as that of Promise.reject(), for none.
      (reason: unknown) => done((reason as Error) || new Error("hashThrough: onDigest failed without a reason")),
    );
  }

  async #report(): Promise<void> {
    await this.#onDigest(Buffer.from(this.#hasher.digest().buffer));
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#hasher.dispose();
    done(error);
  }
}

/**
 * A Node stream that passes its bytes through unchanged and hashes them. After the last byte it calls `onDigest` with
 * the digest, and ends once that has returned, or its promise is fulfilled. If `onDigest` throws or rejects, the
 * pipeline fails: that is how to refuse a wrong digest.
 *
 * @param options the algorithm's own
 * @throws TypeError for a wrong algorithm or function; the errors of the algorithm's `create` for its options
 * @example
 * await pipeline(request, hashThrough(blake3, (digest) => console.log(toHex(digest))), createWriteStream(path));
 */
export function hashThrough<Options extends object>(
  algorithm: Algorithm<Options>,
  onDigest: OnDigest,
  options?: Options,
): Transform {
  requireArguments("hashThrough", arguments.length, 3);
  if (typeof onDigest !== "function") throw wrongKind("hashThrough", "onDigest", "a function", onDigest);
  return new HashThrough(new ChunkHasher("hashThrough", algorithm, options), onDigest);
}
