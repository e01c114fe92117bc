// Bytes in and out: what counts as input, and the small conversions that every user of a hash needs.

/** What can be hashed: text (as UTF-8), or any buffer or view of one (its bytes as they lie in memory). */
export type Input = string | ArrayBufferLike | ArrayBufferView;

/** Makes UTF-8 of text. */
export const encoder = /* @__PURE__ */ new TextEncoder();

// For all messages of no bytes: a view of each would take 35 ns.
const EMPTY = /* @__PURE__ */ new Uint8Array();

const INPUT_KINDS = "a string, an ArrayBuffer, a SharedArrayBuffer or a view of one";

/** Tells what a value is, for an error message; never its contents, which may be secret. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "number" || typeof value === "boolean") return `${typeof value} ${value}`;
  if (typeof value === "bigint") return `bigint ${value}n`;
  if (typeof value === "string") return `a string of length ${value.length}`;
  if (Array.isArray(value)) return "an array";
  if (hasBytes(value) && isStale(value)) return "one whose buffer is detached";
  return typeof value === "object" ? `an object (${tag(value)})` : `a ${typeof value}`;
}

/** The error for a value of a wrong kind. */
export function wrongKind(name: string, argument: string, wanted: string, value: unknown): TypeError {
  return new TypeError(`${name}: ${argument} must be ${wanted}, got ${describe(value)}`);
}

/** The error for a value of the right kind that is out of range. */
export function outOfRange(name: string, must: string, got: unknown): RangeError {
  return new RangeError(`${name}: ${must}, got ${got}`);
}

/** The error for a call after `dispose`. */
export function disposed(name: string, method: string, what: string): Error {
  return new Error(`${name}: ${method} must be called before dispose, got a disposed ${what}`);
}

/** What a value calls itself, such as "Map". */
export function tag(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Whether a value is an ArrayBuffer or SharedArrayBuffer, of whichever realm. */
export function isBuffer(value: unknown): value is ArrayBufferLike {
  return value instanceof ArrayBuffer || ["ArrayBuffer", "SharedArrayBuffer"].includes(tag(value));
}

/**
 * Views a message's bytes in place; text stays text.
 *
 * @param name whose argument it is, for an error message
 * @param argument the argument's or option's name
 * @param index which one of several
 * @throws TypeError for anything that is not an {@link Input}, or whose buffer is detached
 */
export function toMessage(name: string, argument: string, input: Input, index?: number): Uint8Array | string {
  if (typeof input === "string") return input;
  if (hasBytes(input)) {
    // A class that extends Uint8Array may have a `length` of its own.
    if (input instanceof Uint8Array && input.length > 0 && input.length === input.byteLength) return input;
    if (!isStale(input)) {
      if (input.byteLength === 0) return EMPTY;
      return ArrayBuffer.isView(input)
        ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
        : new Uint8Array(input);
    }
  }
  throw wrongKind(name, index === undefined ? argument : `${argument}[${index}]`, INPUT_KINDS, input);
}

/**
 * Views the bytes of several messages in place.
 *
 * @throws TypeError for what is not iterable, and for an element that is not an {@link Input}
 */
export function toMessages(name: string, inputs: Iterable<Input>): (Uint8Array | string)[] {
  if (typeof inputs === "string" || typeof inputs?.[Symbol.iterator] !== "function") {
    throw wrongKind(name, "inputs", "an array or another iterable of inputs", inputs);
  }
  const list = Array.isArray(inputs) ? (inputs as readonly Input[]) : [...inputs];
  const messages: (Uint8Array | string)[] = [];
  for (let i = 0; i < list.length; i++) messages.push(toMessage(name, "inputs", list[i] as Input, i));
  return messages;
}

function hasBytes(value: unknown): value is ArrayBufferLike | ArrayBufferView {
  return ArrayBuffer.isView(value) || isBuffer(value);
}

// What is detached or out of bounds has length 0, as what is empty has; only methods tell them apart. A DataView of what
// only calls itself a buffer cannot be had either.
function isStale(value: ArrayBufferLike | ArrayBufferView): boolean {
  try {
    if (!ArrayBuffer.isView(value)) new DataView(value);
    else if ("at" in value) (value as Uint8Array).at(0);
    return value.byteLength < 0;
  } catch {
    return true;
  }
}

// Newer engines have these built in: 70 ns for 32 bytes instead of 220 to 290.
type NewerBytes = Uint8Array & { toHex?(): string; toBase64?(): string };

// Bytes spelled at a time; an engine takes at least this many arguments in a call.
const PIECE = 8192;

const HEX = Array.from({ length: 256 }, (_, byte) => (256 + byte).toString(16).slice(1));

/**
 * Writes bytes as lower-case hexadecimal text.
 *
 * @throws TypeError for what is not a Uint8Array
 * @example
 * toHex(Uint8Array.of(1, 171)); // "01ab"
 */
export function toHex(bytes: Uint8Array): string {
  requireBytes("toHex", "bytes", bytes);
  // Not the array's own: a class that extends Uint8Array may spell otherwise.
  return (Uint8Array.prototype as NewerBytes).toHex?.call(bytes) ?? inPieces(bytes, hexPiece);
}

function hexPiece(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++) text += HEX[bytes[i] as number];
  return text;
}

// A text grown byte by byte is a chain of small strings, which for megabytes exhausts the heap: each piece is flat.
function inPieces(bytes: Uint8Array, spell: (piece: Uint8Array) => string): string {
  if (bytes.length <= PIECE) return spell(bytes);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) pieces.push(spell(bytes.subarray(at, at + PIECE)));
  return pieces.join("");
}

/**
 * Reads hexadecimal text of either case.
 *
 * @throws TypeError for what is not a string; RangeError for an odd length or a character that is not a hex digit
 * @example
 * fromHex("01AB"); // Uint8Array [1, 171]
 */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  if (typeof text !== "string") throw wrongKind("fromHex", "text", "a string", text);
  if (text.length % 2) throw outOfRange("fromHex", "text must have an even length", text.length);
  const bad = text.search(/[^0-9a-f]/i);
  if (bad >= 0) throw new RangeError(`fromHex: text must have only digits 0-9 and a-f, got another at ${bad}`);
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

/**
 * Compares two byte strings in a time that depends on their lengths alone, as verifying a keyed hash needs it.
 *
 * @returns whether lengths and bytes are the same
 * @throws TypeError for what is not a Uint8Array
 * @example
 * equal(blake3("a"), blake3("a")); // true
 */
export function equal(a: Uint8Array, b: Uint8Array): boolean {
  requireBytes("equal", "a", a);
  requireBytes("equal", "b", b);
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] as number);
  return difference === 0;
}

export function requireBytes(name: string, argument: string, value: unknown): asserts value is Uint8Array {
  // Another realm's Uint8Array is told by its tag, which costs 80 ns: most are this realm's.
  if (ArrayBuffer.isView(value) && (value instanceof Uint8Array || tag(value) === "Uint8Array")) {
    if (value.byteLength > 0 || !isStale(value)) return;
  }
  throw wrongKind(name, argument, "a Uint8Array", value);
}

/** How `digest` can spell its bytes. */
export type Encoding = "hex" | "base64" | "base64url";

/** Spells bytes as text, in an encoding that has been checked. */
export function encode(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === "hex") return toHex(bytes);
  const base64 = toBase64(bytes);
  return encoding === "base64" ? base64 : base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function toBase64(bytes: Uint8Array): string {
  return (bytes as NewerBytes).toBase64?.() ?? btoa(inPieces(bytes, (piece) => String.fromCharCode(...piece)));
}

/** The bytes that a text spells, one by the code of each character. */
export function fromCodes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return fromCodes(atob(text));
}

export function requireEncoding(name: string, value: unknown): asserts value is Encoding {
  if (value === "hex" || value === "base64" || value === "base64url") return;
  const got = typeof value === "string" ? JSON.stringify(value) : describe(value);
  throw new TypeError(`${name}: encoding must be "hex", "base64" or "base64url", got ${got}`);
}
