// Converts bytes to text and back, and compares them.

import { requireBytes } from "./bytes.js";
import { describe, outOfRange, wrongKind } from "./errors.js";
import { lengthOf } from "./views.js";

// Built into newer engines, where they are several times faster.
type NewerBytes = Uint8Array & { toHex?(): string; toBase64?(): string };

// Bytes encoded at a time.
const PIECE = 8192;

const HEX = /* @__PURE__ */ spellings((byte) => (256 + byte).toString(16).slice(1));

/** Returns the text of each byte. */
function spellings(spell: (byte: number) => string): string[] {
  return Array.from({ length: 256 }, (_, byte) => spell(byte));
}

/**
 * Returns bytes as lowercase hexadecimal text.
 *
 * @throws TypeError for a value that is not a Uint8Array
 * @example
 * toHex(Uint8Array.of(1, 171)); // "01ab"
 */
export function toHex(bytes: Uint8Array): string {
  requireBytes("toHex", "bytes", bytes);
  // Not `bytes.toHex`, which a subclass may override.
  return (Uint8Array.prototype as NewerBytes).toHex?.call(bytes) ?? spell(bytes, HEX);
}

// Megabytes of text grown byte by byte can exhaust the heap, as the string is a chain of small ones; pieces are flat.
function spell(bytes: Uint8Array, spellings: readonly string[]): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    let text = "";
    for (const end = Math.min(at + PIECE, bytes.length); at < end; at++) text += spellings[bytes[at] as number];
    pieces.push(text);
  }
  return pieces.join("");
}

/**
 * Parses hexadecimal text of either case.
 *
 * @throws TypeError for a value that is not a string; RangeError for an odd length or a character that is not a hex
 *   digit
 * @example
 * fromHex("01AB"); // Uint8Array [1, 171]
 */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  if (typeof text !== "string") throw wrongKind("fromHex", "text", "a string", text);
  if (text.length % 2) throw outOfRange("fromHex", "text must have an even length", text.length);
  const bad = text.search(/[^0-9a-f]/i);
  if (bad >= 0)
    throw new RangeError(`fromHex: text must have only hex digits (0-9, a-f), got another character at index ${bad}`);
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

/**
 * Returns whether two Uint8Arrays have the same bytes, in a time that depends only on their lengths. Compare authentication
 * codes with it.
 *
 * @throws TypeError for a value that is not a Uint8Array
 * @example
 * equal(blake3("a"), blake3("a")); // true
 */
export function equal(a: Uint8Array, b: Uint8Array): boolean {
  requireDecoded("a", a);
  requireDecoded("b", b);
  const length = lengthOf(a);
  return length === lengthOf(b) && sameBytes(a, b, length);
}

/** Compares the first bytes of two arrays, which are known to have so many. */
export function sameBytes(a: Uint8Array, b: Uint8Array, length: number): boolean {
  let difference = 0;
  for (let i = 0; i < length; i++) difference |= (a[i] as number) ^ (b[i] as number);
  return difference === 0;
}

function requireDecoded(argument: string, value: unknown): void {
  if (typeof value === "string") {
    const advice = "decode it first, for example with fromHex";
    throw new TypeError(`equal: ${argument} must be a Uint8Array, got ${describe(value)}: ${advice}`);
  }
  requireBytes("equal", argument, value);
}

/** The text encodings of `digest`. */
export type Encoding = "hex" | "base64" | "base64url";

/** Returns bytes as text in a valid encoding. */
export function encode(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === "hex") return toHex(bytes);
  const base64 = toBase64(bytes);
  return encoding === "base64" ? base64 : base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function toBase64(bytes: Uint8Array): string {
  return (
    (bytes as NewerBytes).toBase64?.() ??
    btoa(
      spell(
        bytes,
        spellings((byte) => String.fromCharCode(byte)),
      ),
    )
  );
}

/** Returns the bytes whose values are the character codes of a text. */
export function fromCodes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text as unknown as ArrayLike<string>, (character) => character.charCodeAt(0));
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Returns the bytes of valid Base64 without padding. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const digit = (at: number) => DIGITS.indexOf(text[at] as string);
  return Uint8Array.from({ length: (text.length * 3) >> 2 }, (_, i) => {
    const at = Math.floor((i * 4) / 3);
    const bits = 2 + 2 * (i % 3);
    return (digit(at) << bits) | (digit(at + 1) >> (6 - bits));
  });
}

export function requireEncoding(name: string, value: unknown): asserts value is Encoding {
  if (value === "hex" || value === "base64" || value === "base64url") return;
  const got = typeof value === "string" ? JSON.stringify(value) : describe(value);
  throw new TypeError(`${name}: encoding must be "hex", "base64" or "base64url", got ${got}`);
}
