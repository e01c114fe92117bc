// HashStream, which passes chunks through and hashes them, and DigestStream, which only hashes them.
import type { Algorithm } from "../engine/algorithm.js";
import { requireArguments } from "../input/errors.js";
import type { Chunk } from "../sources/chunks.js";
import { PromisedDigest } from "./chunk-hasher.js";
import { HashingTransformStream } from "./hashing-transform.js";
import { LazyWritableStream } from "./lazy-base.js";

/**
 * Passes chunks through unchanged and hashes them. Somebody must read its output: otherwise it waits for ever. To hash
 * only, use {@link DigestStream}.
 *
 * Chunks are bytes of any kind or strings (as UTF-8); any other chunk fails the stream with a TypeError. If the stream
 * fails, is aborted, or is cancelled, `digest` rejects and the hasher is wiped. To send a stream to a worker, transfer
 * its `readable` and `writable`.
 *
 * @throws TypeError for a value that is not an algorithm; what the algorithm's `create` throws for its options
 * @example
 * const hash = new HashStream(blake3);
 * await response.body.pipeThrough(hash).pipeTo(file);
 * toHex(await hash.digest);
 */
export class HashStream<
  C extends Chunk = Uint8Array<ArrayBuffer>,
  Options extends object = object,
> extends HashingTransformStream<C> {
  constructor(algorithm: Algorithm<Options>, options?: Options) {
    requireArguments("HashStream", arguments.length, 2);
    super(new PromisedDigest("HashStream", algorithm, options));
  }
}

/**
 * Hashes what is written to it. Chunks are bytes of any kind or strings (as UTF-8); any other chunk fails the stream
 * with a TypeError.
 *
 * @throws TypeError for a value that is not an algorithm; what the algorithm's `create` throws for its options
 * @example
 * const hash = new DigestStream(blake2b, { length: 32 });
 * await response.body.pipeTo(hash);
 * toHex(await hash.digest);
 */
export class DigestStream<Options extends object = object> extends LazyWritableStream<Chunk> {
  /** The digest of all bytes. Rejects with the reason if the stream fails or is aborted. */
  readonly digest: Promise<Uint8Array<ArrayBuffer>>;

  constructor(algorithm: Algorithm<Options>, options?: Options) {
    requireArguments("DigestStream", arguments.length, 2);
    const digest = new PromisedDigest("DigestStream", algorithm, options);
    const attempt = (step: () => void): void => {
      try {
        step();
      } catch (error) {
        digest.fail(error);
        throw error;
      }
    };
    super({
      write: (chunk) => attempt(() => void digest.update(chunk)),
      close: () => attempt(() => digest.fulfil(digest.digest())),
      abort: (reason) => void digest.fail(reason),
    });
    this.digest = digest.promise;
  }
}
