// VerifyStream: passes chunks through, and fails if their digest is not the expected one.
import type { Algorithm } from "../engine/algorithm.js";
import { type Input, toMessage } from "../input/bytes.js";
import { type CallerBytes, copyOf, lengthOf } from "../input/caller-bytes.js";
import { describe, requireArguments } from "../input/errors.js";
import { encode, equal, fromBase64, fromHex } from "../input/text.js";
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
 * @param expected the digest, whole: bytes, hexadecimal text, a line of `b3sum` with a file's name behind it, base64 or
 *   base64url, or base64 after the algorithm's name, as in a script's `integrity`:
 *   `"blake3-6o8WPbOGgpJeRJHF5Y1Ls1Bu+MFOt4qG6QjFYkpnIA8="`. White space around it is ignored.
 * @throws TypeError for a value that is not an algorithm, or an expected digest of the wrong type; RangeError for one of a
 *   different length; what the algorithm's `create` throws for its options
 * @example
 * const readable = file.stream().pipeThrough(new VerifyStream(blake3, "ea8f163d…"));
 * await readable.pipeTo(file); // rejects with an IntegrityError if the file is not the expected one
 */
export class VerifyStream<
  C extends Chunk = Uint8Array<ArrayBuffer>,
  Options extends object = object,
> extends HashingTransformStream<C> {
  constructor(algorithm: Algorithm<Options>, expected: Input, options?: Options) {
    requireArguments("VerifyStream", arguments.length, 3);
    super(...verifying<C>("VerifyStream", algorithm, expected, options));
  }
}

/** Returns what a {@link HashingTransformStream} that verifies is made of. */
export function verifying<C extends Chunk>(
  name: string,
  algorithm: { create(options?: object): unknown },
  expected: Input,
  options: object | undefined,
): [PromisedDigest, Forwarding<C>] {
  const hasher = new PromisedDigest(name, algorithm as Algorithm<object>, options);
  try {
    return [hasher, forwardVerified<C>(hasher.name, expectedDigest(hasher, expected))];
  } catch (error) {
    // The hasher may hold a key.
    hasher.dispose();
    throw error;
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

/** Characters that text may have beyond two for each byte of the digest: the name of a file, of up to PATH_MAX, and more. */
const MOST_BESIDE = 8192;

/** A line of b3sum: the digits, and perhaps a file's name, with a backslash before all if characters of it are escaped. */
const LINE = /^\\?([0-9a-f]+)(?: [ *].+)?$/i;

/** Parses hexadecimal digits, or base64 of either alphabet, with or without the algorithm's name before it. */
function expectedText(name: string, algorithm: string, digestLength: number, text: string): Uint8Array {
  const line = text.length > 2 * digestLength + MOST_BESIDE ? "" : text.trim();
  const hex = LINE.exec(line)?.[1];
  if (hex?.length === 2 * digestLength) return fromHex(hex);
  const bytes = bytesOfBase64(line.startsWith(`${algorithm}-`) ? line.slice(algorithm.length + 1) : line);
  if (bytes?.length === digestLength) return bytes;
  const base64 = `${Math.ceil((4 * digestLength) / 3)} of base64, after "${algorithm}-" or without it`;
  const got = line === "" || /^[\w+/=-]*$/.test(line) ? describe(text) : "text with other characters";
  const digits = `${2 * digestLength} hexadecimal digits, alone or before two spaces and a name`;
  throw new RangeError(`${name}: expected must be ${digits}, or ${base64}, got ${got}`);
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
