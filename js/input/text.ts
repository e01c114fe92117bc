// Converts bytes to text and back, and compares them.

import { requireBytes } from "./bytes.js";
import { describe, outOfRange, wrongKind } from "./errors.js";
import { readGlobal } from "./globals.js";

/** The text of each byte, made for the first call that needs it. */
let hexPairs: string[] | undefined;

const BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Returns bytes as lowercase hexadecimal text.
 *
 * @throws TypeError for a value that is not a Uint8Array
 * @example
 * toHex(Uint8Array.of(1, 171)); // "01ab"
 */
export function toHex(bytes: Uint8Array): string {
  const text = builtIn("toHex", "hexSlice", bytes);
  if (text !== undefined) return text;
  hexPairs ??= Array.from({ length: 256 }, (_, byte) => (256 + byte).toString(16).slice(1));
  return spell(bytes, 8, hexPairs);
}

/**
 * Returns bytes as base64 text (RFC 4648, section 4), with padding.
 *
 * @throws TypeError for a value that is not a Uint8Array
 * @example
 * toBase64(Uint8Array.of(251, 255)); // "+/8="
 */
export function toBase64(bytes: Uint8Array): string {
  return (
    builtIn("toBase64", "base64Slice", bytes) ?? spell(bytes, 6, BASE64_DIGITS) + "==".slice((bytes.length + 2) % 3)
  );
}

/**
 * Returns bytes as base64url text (RFC 4648, section 5), without padding.
 *
 * @throws TypeError for a value that is not a Uint8Array
 * @example
 * toBase64url(Uint8Array.of(251, 255)); // "-_8"
 */
export function toBase64url(bytes: Uint8Array): string {
  requireBytes("toBase64url", "bytes", bytes);
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

type Class = { readonly prototype: Readonly<Record<string, { call(bytes: Uint8Array): string } | undefined>> };

/** Uses the methods of newer engines, or of Node's Buffers: several times faster than {@link spell}. */
function builtIn(call: "toHex" | "toBase64", slice: `${Encoding}Slice`, bytes: Uint8Array): string | undefined {
  requireBytes(call, "bytes", bytes);
  // Not a method of the bytes themselves, which a subclass may override.
  const { prototype } = Uint8Array as unknown as Class;
  const method = prototype[call] ?? readGlobal(() => (globalThis as { Buffer?: Class }).Buffer?.prototype[slice]);
  return method?.call(bytes);
}

/** Writes bytes in digits of so many bits each. */
function spell(bytes: Uint8Array, bits: number, digits: string | readonly string[]): string {
  const mask = (1 << bits) - 1;
  let text = "";
  let group = 0;
  let held = 0;
  for (const byte of bytes) {
    group = (group << 8) | byte;
    for (held += 8; held >= bits; ) {
      held -= bits;
      text += digits[(group >> held) & mask];
    }
  }
  return held ? text + digits[(group << (bits - held)) & mask] : text;
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
  const bytes = new Uint8Array(text.length / 2);
  let digits = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = (digitOf(text.charCodeAt(2 * i)) << 4) | digitOf(text.charCodeAt(2 * i + 1));
    digits |= byte;
    bytes[i] = byte;
  }
  if (digits >> 8 === 0) return bytes;
  const bad = text.search(/[^0-9a-f]/i);
  throw new RangeError(`fromHex: text must have only hex digits (0-9, a-f), got another character at index ${bad}`);
}

/** Returns the value of a hex digit, or a negative number. */
function digitOf(code: number): number {
  if (code < 58) return code - 48;
  const letter = (code | 32) - 96;
  return letter > 0 && letter < 7 ? letter + 9 : -1;
}

/**
 * Returns whether two Uint8Arrays have the same bytes, in a time that depends only on their lengths. Compare
 * authentication codes with it.
 *
 * @throws TypeError for a value that is not a Uint8Array
 * @example
 * equal(blake3("a"), blake3("a")); // true
 */
export function equal(a: Uint8Array, b: Uint8Array): boolean {
  requireDecoded("a", a);
  requireDecoded("b", b);
  const length = a.length;
  return length === b.length && sameBytes(a, b, length);
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

/** Writes the bytes of an array from one offset to another as text, as Node's Buffers do. */
export type Encoder = Record<`${Encoding}Slice`, (start: number, end: number) => string>;

/**
 * Returns an encoder of an array whose contents will change: a Buffer over it, where there are Buffers. V8 calls methods
 * of one object directly, and would have to move a new array out of its heap first.
 */
export function encoderOf(bytes: Uint8Array): Encoder {
  const buffer = readGlobal(() => globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  if (buffer && "hexSlice" in buffer && "base64urlSlice" in buffer) return buffer as unknown as Encoder;
  return {
    hexSlice: (start, end) => toHex(bytes.subarray(start, end)),
    base64Slice: (start, end) => toBase64(bytes.subarray(start, end)),
    base64urlSlice: (start, end) => toBase64url(bytes.subarray(start, end)),
  };
}

/** Returns the first `length` bytes as text. */
export function encoded(encoder: Encoder, length: number, encoding: Encoding): string {
  return encoding === "hex" ? encoder.hexSlice(0, length) : encoder[`${encoding}Slice`](0, length);
}

/** Returns bytes as text in a valid encoding. */
export function encode(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === "hex") return toHex(bytes);
  return encoding === "base64" ? toBase64(bytes) : toBase64url(bytes);
}

/** Returns the bytes whose values are the character codes of a text. */
export function fromCodes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text as unknown as ArrayLike<string>, (character) => character.charCodeAt(0));
}

/**
 * Parses base64 text (RFC 4648, section 4), with or without padding.
 *
 * @throws TypeError for a value that is not a string; RangeError for text that no encoder writes: with white space,
 *   characters of another alphabet, or bits after the last byte
 * @example
 * fromBase64("+/8="); // Uint8Array [251, 255]
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return decoded("fromBase64", "base64", text, text);
}

/**
 * Parses base64url text (RFC 4648, section 5), with or without padding.
 *
 * @throws TypeError for a value that is not a string; RangeError for text that no encoder writes: with white space,
 *   characters of another alphabet, or bits after the last byte
 * @example
 * fromBase64url("-_8"); // Uint8Array [251, 255]
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const plain = typeof text === "string" && !/[+/]/.test(text) ? text.replaceAll("-", "+").replaceAll("_", "/") : "-";
  return decoded("fromBase64url", "base64url", text, plain);
}

/** @param plain the same in base64's alphabet */
function decoded(call: string, encoding: Encoding, text: unknown, plain: string): Uint8Array<ArrayBuffer> {
  if (typeof text !== "string") throw wrongKind(call, "text", "a string", text);
  const bytes = base64Bytes(plain);
  if (bytes) return bytes;
  throw outOfRange(call, `text must be ${encoding} as an encoder writes it`, describe(text));
}

/** Decodes base64, with or without padding; undefined for text that no encoder writes. */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text.length % 4 === 0 ? text.replace(/={1,2}$/, "") : text;
  if (digits.length % 4 === 1) return undefined;
  const bytes = new Uint8Array((digits.length * 3) >> 2);
  let [held, bits, at] = [0, 0, 0];
  for (let i = 0; i < digits.length; i++) {
    const value = BASE64_DIGITS.indexOf(digits[i] as string);
    if (value < 0) return undefined;
    held = (held << 6) | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = held >> bits;
    held &= (1 << bits) - 1;
  }
  return held === 0 ? bytes : undefined;
}

export const isEncoding = (value: unknown): value is Encoding =>
  value === "hex" || value === "base64" || value === "base64url";

export function wrongEncoding(name: string, value: unknown): TypeError {
  return wrongKind(name, "encoding", '"hex", "base64" or "base64url"', value);
}
