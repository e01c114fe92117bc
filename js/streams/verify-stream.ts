// VerifyStream: passes chunks through, and fails if their digest is not the expected one.
import type { Algorithm } from "../engine/algorithm.js";
import type { Input } from "../input/bytes.js";
import { requireArguments } from "../input/errors.js";
import { equal } from "../input/text.js";
import { type Chunk, ChunkHasher } from "./chunks.js";
import { expectedDigest } from "./expected-digest.js";
import { type Forwarding, HashingTransformStream } from "./hashing-pair.js";
import { IntegrityError } from "./integrity-error.js";

/**
 * Passes chunks through as {@link HashStream} does, and fails with an {@link IntegrityError} at the end if their digest
 * is not the expected one. The comparison takes constant time.
 *
 * If the readable side closes, the consumer has received exactly the expected message; until then, everything that it
 * has received is unverified. The last non-empty chunk is held back until the digest is known to match, so a consumer
 * never receives the whole of a wrong message, and receives nothing of a one-chunk message before it is verified. A
 * consumer that acts on the first bytes at once should be able to undo that, or verify first. Chunks are forwarded as
 * the same objects, so the writer must not change them afterwards.
 *
 * @param expected the digest, whole: bytes, hexadecimal text, base64 or base64url, or base64 after the algorithm's name, as
 *   in a script's `integrity`: `"blake3-6o8WPbOGgpJeRJHF5Y1Ls1Bu+MFOt4qG6QjFYkpnIA8="`
 * @throws TypeError for a value that is not an algorithm, or an expected digest of the wrong type; RangeError for one of a
 *   different length; what the algorithm's `create` throws for its options
 * @example
 * const readable = response.body.pipeThrough(new VerifyStream(blake3, "ea8f163d…"));
 * await readable.pipeTo(file); // rejects with an IntegrityError if the body is not the expected one
 */
export class VerifyStream<
  C extends Chunk = Uint8Array<ArrayBuffer>,
  Options extends object = object,
> extends HashingTransformStream<C> {
  constructor(algorithm: Algorithm<Options>, expected: Input, options?: Options) {
    requireArguments("VerifyStream", arguments.length, 3);
    const hasher = new ChunkHasher("VerifyStream", algorithm, options);
    try {
      super(hasher, forwardVerified<C>(hasher.name, expectedDigest(hasher, expected)));
    } catch (error) {
      // The hasher may hold a key.
      hasher.dispose();
      throw error;
    }
  }
}

/** Holds back the last non-empty chunk until the digest is known to match. */
function forwardVerified<C extends Chunk>(name: string, expected: Uint8Array): Forwarding<C> {
  let held: C | undefined;
  return {
    pass(chunk, empty, send) {
      if (empty || held !== undefined) send(empty ? chunk : (held as C));
      if (!empty) held = chunk;
    },
    end(digest, send) {
      if (!equal(digest, expected)) {
        throw new IntegrityError(`${name}: the message's digest must be the expected one, got a different one`);
      }
      if (held !== undefined) send(held);
    },
  };
}
