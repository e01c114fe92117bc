// DigestStream: hashes what is written to it.
import type { Algorithm } from "../engine/algorithm.js";
import { requireArguments } from "../input/errors.js";
import { type Chunk, ChunkHasher } from "./chunks.js";
import { PromisedDigest } from "./promised-digest.js";

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
export class DigestStream<Options extends object = object> extends WritableStream<Chunk> {
  /** The digest of all bytes. Rejects with the reason if the stream fails or is aborted. */
  readonly digest: Promise<Uint8Array<ArrayBuffer>>;

  constructor(algorithm: Algorithm<Options>, options?: Options) {
    requireArguments("DigestStream", arguments.length, 2);
    const digest = new PromisedDigest(new ChunkHasher("DigestStream", algorithm, options));
    const attempt = (step: () => void): void => {
      try {
        step();
      } catch (error) {
        digest.fail(error);
        throw error;
      }
    };
    super({
      write: (chunk) => attempt(() => digest.update(chunk)),
      close: () => attempt(() => digest.fulfil(digest.digest())),
      abort: (reason) => void digest.fail(reason),
    });
    this.digest = digest.promise;
  }
}
