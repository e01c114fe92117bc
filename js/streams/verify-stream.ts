// VerifyStream: passes chunks through, and fails if their digest is not the expected one.
import type { Algorithm } from "../engine/algorithm.js";
import { requireArguments } from "../input/errors.js";
import type { Chunk } from "../sources/chunks.js";
import { PromisedDigest } from "./chunk-hasher.js";
import { digestChecker, type Expected } from "./expected.js";
import { HashingTransformStream } from "./hashing-transform.js";

/**
 * Passes chunks through as {@link HashStream} does, and fails with an {@link IntegrityError} at the end if their digest
 * is not the expected one. The comparison takes constant time.
 *
 * If the readable side closes, the consumer has received exactly the expected message; until then, everything that it
 * has received is unverified. The last non-empty chunk is held back until the digest is known to match, so a consumer
 * never receives the whole of a wrong message. The reader gets copies of what was hashed, so the writer can use its
 * memory again once a chunk has been written.
 *
 * @param expected the digest, in any form of {@link Expected}
 * @throws TypeError for a value that is not an algorithm, or an expected digest of the wrong type; RangeError for one
 *   of a different length; what the algorithm's `create` throws for its options
 * @example
 * const readable = file.stream().pipeThrough(new VerifyStream(blake3, "ea8f163d…"));
 * await readable.pipeTo(file); // rejects with an IntegrityError if the file is not the expected one
 */
export class VerifyStream<
  C extends Chunk = Uint8Array<ArrayBuffer>,
  Options extends object = object,
> extends HashingTransformStream<C> {
  constructor(algorithm: Algorithm<Options>, expected: Expected, options?: Options) {
    requireArguments("VerifyStream", arguments.length, 3);
    super(...digestAndChecker("VerifyStream", algorithm, expected, options));
  }
}

/**
 * Returns a digest to be computed, and a function that throws an IntegrityError unless the one it is given is the
 * expected one.
 *
 * @param from where the message comes from, for the error
 */
export function digestAndChecker(
  name: string,
  algorithm: { create(options?: object): unknown },
  expected: Expected,
  options: object | undefined,
  from?: string,
): [PromisedDigest, (digest: Uint8Array) => void] {
  const digest = new PromisedDigest(name, algorithm as Algorithm<object>, options);
  try {
    return [digest, digestChecker(digest, algorithm, expected, options, from)];
  } catch (error) {
    // It may hold a key.
    digest.dispose();
    throw error;
  }
}
