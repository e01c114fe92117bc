// The digest that VerifyStream expects, from bytes or from text in one of several encodings.
import { type Input, toMessage } from "../input/bytes.js";
import { describe } from "../input/errors.js";
import { encode, fromBase64, fromHex } from "../input/text.js";
import { type CallerBytes, copyOf, lengthOf } from "../input/views.js";
import type { ChunkHasher } from "./chunks.js";

/** Returns the bytes of the expected digest, copied so that the caller cannot change them. */
export function expectedDigest({ name, algorithm, digestLength }: ChunkHasher, expected: Input): Uint8Array {
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
