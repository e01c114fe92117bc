// VerifyStream: passes chunks through, and fails if their digest is not the expected one.
import type { Algorithm } from "../engine/algorithm.js";
import { type Input, toMessage } from "../input/bytes.js";
import { describe, requireArguments } from "../input/errors.js";
import { encode, equal, fromBase64, fromHex } from "../input/text.js";
import { type CallerBytes, copyOf, lengthOf } from "../input/views.js";
import { type Chunk, type ChunkHasher, PromisedDigest } from "./chunks.js";
import { type Forwarding, HashingTransformStream } from "./hashing-pair.js";

/**
 * A message is not the expected one. The error contains neither digest: under a key, the right digest is an
 * authenticator that must stay secret.
 */
export class IntegrityError extends Error {
  static {
    Object.defineProperty(IntegrityError.prototype, "name", {
      value: "IntegrityError",
      configurable: true,
      writable: true,
    });
  }
}

/**
 * Passes chunks through as {@link HashStream} does, and fails with an {@link IntegrityError} at the end if their digest
 * is not the expected one. The comparison takes constant time.
 *
 * If the readable side closes, the consumer has received exactly the expected message; until then, everything that it
 * has received is unverified. The last non-empty chunk is held back until the digest is known to match, so a consumer
 * never receives the whole of a wrong message, and receives nothing of a one-chunk message before it is verified. A
 * consumer that acts on the first bytes at once should be able to undo that, or verify first. The reader gets copies of what
 * was hashed, so the writer can use its memory again once a chunk has been written.
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
    const hasher = new PromisedDigest("VerifyStream", algorithm, options);
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
    holds: true,
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

/** Returns the bytes of the expected digest, copied so that the caller cannot change them. */
function expectedDigest({ name, algorithm, digestLength }: ChunkHasher, expected: Input): Uint8Array {
  // A digest of no bytes would match every message.
  if (digestLength === 0) throw new RangeError(`${name}: length must be at least 1 to verify, got 0`);
  if (typeof expected === "string") return expectedText(name, algorithm, digestLength, expected);
  const bytes = toMessage(name, "expected", expected) as CallerBytes;
  const length = lengthOf(bytes);
  if (length !== digestLength) throw new RangeError(`${name}: expected must have ${digestLength} bytes, got ${length}`);
  return copyOf(bytes, digestLength);
}

/** Parses hexadecimal digits, or base64 of either alphabet, with or without the algorithm's name before it. */
function expectedText(name: string, algorithm: string, digestLength: number, text: string): Uint8Array {
  if (text.length === 2 * digestLength && /^[0-9a-f]*$/i.test(text)) return fromHex(text);
  const bytes = bytesOfBase64(text.startsWith(`${algorithm}-`) ? text.slice(algorithm.length + 1) : text);
  if (bytes?.length === digestLength) return bytes;
  const base64 = `${Math.ceil((4 * digestLength) / 3)} of base64, after "${algorithm}-" or without it`;
  const got = /^[\w+/=-]*$/.test(text) ? describe(text) : "text with other characters";
  throw new RangeError(`${name}: expected must be ${2 * digestLength} hexadecimal digits, or ${base64}, got ${got}`);
}

/** Decodes base64 or base64url; undefined unless an encoder would write it like this. */
function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text
    .replace(/={1,2}$/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  if (!/^[0-9a-z+/]+$/i.test(digits) || digits.length % 4 === 1) return undefined;
  const bytes = fromBase64(digits);
  return encode(bytes, "base64").replace(/=+$/, "") === digits ? bytes : undefined;
}
