// The digest that a message must have, and the error if it has a different one.
import { records } from "../engine/algorithm.js";
import { type ByteInput, toMessage } from "../input/bytes.js";
import { copyOf } from "../input/caller-bytes.js";
import { describe } from "../input/errors.js";
import { base64Bytes, equal, fromHex, toHex } from "../input/text.js";

/**
 * A digest that a message must have. In all forms it is the whole digest:
 * - bytes;
 * - hexadecimal text, of either case;
 * - base64 or base64url, with or without padding;
 * - base64 after the algorithm's name, as in a script's `integrity`:
 *   `"blake3-6o8WPbOGgpJeRJHF5Y1Ls1Bu+MFOt4qG6QjFYkpnIA8="`;
 * - a line that `b3sum`, `b2sum` or `blakesum` prints, with the file's name, also with `--tag`:
 *   `"BLAKE3 (film.mp4) = ea8f163d…"`.
 *
 * White space around text is ignored.
 */
export type Expected = ByteInput | string;

/** An Error with the name of the class below. It is the result of a pure call, so that bundlers can drop both. */
const NamedError: ErrorConstructor = /* @__PURE__ */ (() => {
  class IntegrityError extends Error {}
  const name = { value: "IntegrityError", configurable: true, writable: true };
  Object.defineProperty(IntegrityError.prototype, "name", name);
  return IntegrityError as ErrorConstructor;
})();

/** A message is not the expected one. */
export class IntegrityError extends NamedError {
  /**
   * The expected digest in hexadecimal. Undefined with a key, a context or a salt: then the right digest may be an
   * authenticator, which must stay secret.
   */
  declare readonly expected: string | undefined;
  /** The digest that the message has, in hexadecimal. Undefined under the same conditions as `expected`. */
  declare readonly actual: string | undefined;

  /** @internal */
  constructor(message: string, digests?: { readonly expected: string; readonly actual: string }) {
    super(message);
    Object.assign(this, digests);
  }
}

/** What is known of a hasher. */
interface Known {
  /** The function or class that hashes, for error messages. */
  readonly name: string;
  /** The algorithm's name. */
  readonly algorithm: string;
  /** In bytes. */
  readonly digestLength: number;
}

/**
 * Reads an expected digest. Returns a function that takes the digest of the message and throws an {@link
 * IntegrityError} if it is a different one. The error contains both unless they are secret.
 *
 * @param from where the message comes from, for the error
 */
export function digestChecker(
  known: Known,
  algorithm: object,
  expected: Expected,
  options: object | undefined,
  from: string | undefined,
): (digest: Uint8Array) => void {
  // Another's algorithm may have a key of its own, and some have a secret salt in place of a key.
  const isKeyed = ["key", "context", "salt"].some((option) => option in Object(options));
  const secret = isKeyed || !records.has(algorithm);
  const digest = expectedDigest(known, expected);
  return (actual) => {
    if (equal(actual, digest)) return;
    const text = `${known.name}: the digest of ${from ?? "the message"} must be`;
    if (secret) throw new IntegrityError(`${text} the expected one, got a different one`);
    const digests = { expected: toHex(digest), actual: toHex(actual) };
    const isShort = digest.length <= MAX_QUOTED;
    const [right, got] = isShort ? [digests.expected, digests.actual] : ["the expected one", "a different one"];
    throw new IntegrityError(`${text} ${right}, got ${got}`, digests);
  };
}

/** The most bytes of digests that the text of an error contains. */
const MAX_QUOTED = 64;

/** Returns the bytes of the expected digest, copied so that the caller cannot change them. */
function expectedDigest(known: Known, expected: Expected): Uint8Array {
  const { name, digestLength } = known;
  // A digest of no bytes would match every message.
  if (digestLength === 0) throw new RangeError(`${name}: length must be at least 1 to verify, got 0`);
  if (typeof expected === "string") return expectedText(known, expected);
  const bytes = toMessage(name, "expected", expected) as Uint8Array;
  const length = bytes.length;
  if (length !== digestLength) throw new RangeError(`${name}: expected must have ${digestLength} bytes, got ${length}`);
  return copyOf(bytes, digestLength);
}

/** Characters that text may have beyond two for each byte: a file's name, of up to PATH_MAX, and more. */
const MOST_BESIDE = 8192;

/**
 * A line of b3sum: the digits, and perhaps a file's name, with a backslash before all if characters of it are escaped.
 */
const LINE = /^\\?([0-9a-f]+)(?: [ *].+)?$/i;

/** The same with `--tag`: the algorithm, perhaps with the digest's length in bits, and the name before the digits. */
const TAGGED = /^\\?([0-9a-z]+)(?:-(\d+))? \(.+\) = ([0-9a-f]+)$/i;

/** Returns the hexadecimal digits of a line; undefined for a line of a different algorithm. */
function hexOfLine(algorithm: string, digestLength: number, line: string): string | undefined {
  const [, tag, bits, digits] = TAGGED.exec(line) ?? [];
  if (digits === undefined) return LINE.exec(line)?.[1];
  const isRight = tag?.toLowerCase() === algorithm && (bits === undefined || Number(bits) === 8 * digestLength);
  return isRight ? digits : undefined;
}

/** Parses hexadecimal digits, or base64 of either alphabet, with or without the algorithm's name before it. */
function expectedText({ name, algorithm, digestLength }: Known, text: string): Uint8Array {
  const line = text.length > 2 * digestLength + MOST_BESIDE ? "" : text.trim();
  const hex = hexOfLine(algorithm, digestLength, line);
  if (hex?.length === 2 * digestLength) return fromHex(hex);
  const bytes = bytesOfBase64(line.startsWith(`${algorithm}-`) ? line.slice(algorithm.length + 1) : line);
  if (bytes?.length === digestLength) return bytes;
  const base64 = `${Math.ceil((4 * digestLength) / 3)} of base64, after "${algorithm}-" or without it`;
  const got = line === "" || /^[\w+/=-]*$/.test(line) ? describe(text) : "text with other characters";
  const digits = `${2 * digestLength} hexadecimal digits, alone or before two spaces and a name`;
  throw new RangeError(`${name}: expected must be ${digits}, or ${base64}, got ${got}`);
}

/** Decodes base64 or base64url; undefined unless an encoder would write it like this. */
const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  text === "" ? undefined : base64Bytes(text.replaceAll("-", "+").replaceAll("_", "/"));
