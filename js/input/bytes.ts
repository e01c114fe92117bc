// Accepts inputs of every kind as bytes or text.

import {
  type CallerBytes,
  copyOf,
  isDetached,
  isLocalUint8Array,
  isUint8Array,
  lengthOf,
  viewOf,
} from "./caller-bytes.js";
import { outOfRange, wrongKind } from "./errors.js";
import { encodeText } from "./utf8.js";

/** Any buffer or view: its bytes in memory order. */
export type ByteInput = ArrayBufferLike | ArrayBufferView;

/** What can be hashed: text (as UTF-8), or any buffer or view. */
export type Input = string | ByteInput;

/** Bytes of an ArrayBuffer. Those that calls return are never views of memory that is used again. */
export type Bytes = Uint8Array<ArrayBuffer>;

const BYTE_KINDS = "an ArrayBuffer, a SharedArrayBuffer or a view";
const INPUT_KINDS = "a string, an ArrayBuffer, a SharedArrayBuffer or a view of one";

/** An {@link Input} that was checked: text, or bytes that others can change. */
export type Message = CallerBytes | string;

/**
 * Returns the length of an input that needs no conversion, text or a Uint8Array, as {@link inputLength} does.
 * Returns 0 for an empty input and for any other value: call {@link toMessage} then. Faster for short messages, but it
 * may call a user's getter, so no kernel may be busy.
 */
export function quickLengthOf(input: Input): number {
  if (typeof input === "string") return input.length;
  if (!isLocalUint8Array(input)) return 0;
  const said: unknown = input.length;
  // No getter can falsify this, nor change it afterwards.
  return typeof said === "number" && input[said] === undefined && input[said - 1] !== undefined ? said : 0;
}

/**
 * Returns the message of an input. Runs no user code if the input is accepted.
 *
 * @param name the call to name in an error
 * @param argument the name of the argument or option
 * @param index the position of the input if there are several
 * @throws TypeError for a value that is not an {@link Input}, or is detached
 */
export function toMessage(name: string, argument: string, input: Input, index?: number): Message {
  return typeof input === "string" ? input : toBytes(name, argument, input, INPUT_KINDS, index);
}

/** The same for bytes alone. */
export function toBytes(
  name: string,
  argument: string,
  input: unknown,
  kinds = BYTE_KINDS,
  index?: number,
): CallerBytes {
  if (isUint8Array(input) && lengthOf(input) > 0) return input;
  // A value that is neither a view nor a buffer counts as detached.
  if (isDetached(input as Uint8Array)) {
    throw wrongKind(name, index === undefined ? argument : `${argument}[${index}]`, kinds, input);
  }
  return isUint8Array(input) ? input : viewOf(input as ArrayBufferLike);
}

/**
 * Returns the bytes of a key, which cannot be text: hex digits or a password would be valid keys of BLAKE2, but the
 * wrong ones.
 *
 * @throws TypeError for a value that is not a {@link ByteInput}, or is detached
 */
export function toKey(name: string, argument: string, key: unknown): CallerBytes {
  if (typeof key !== "string") return toBytes(name, argument, key);
  throw wrongKind(name, argument, BYTE_KINDS, key, "decode it first, for example with fromHex");
}

/** Returns a view of fixed length of the bytes of a buffer or a view. */
export function toView(name: string, argument: string, input: unknown): Uint8Array {
  return viewOf(toBytes(name, argument, input));
}

/** The same for an {@link Input}, text as UTF-8. */
export function viewOfInput(name: string, argument: string, input: Input): Uint8Array {
  const message = toMessage(name, argument, input);
  return typeof message === "string" ? encodeText(message) : viewOf(message);
}

/** Returns a message's length in bytes, or for text in UTF-16 code units, each of which takes at least one byte. */
export function inputLength(message: Message): number {
  return typeof message === "string" ? message.length : lengthOf(message);
}

/** @throws TypeError if a value is not an iterable of inputs */
export function toInputs(name: string, inputs: Iterable<Input>): Input[] {
  if (typeof inputs === "string" || typeof inputs?.[Symbol.iterator] !== "function") {
    throw wrongKind(name, "inputs", "an array or another iterable of inputs", inputs);
  }
  return [...inputs];
}

/** @throws TypeError for a value that is not a Uint8Array, or is detached */
export function requireBytes(name: string, argument: string, value: unknown): asserts value is Uint8Array {
  if (isUint8Array(value) && (lengthOf(value) > 0 || !isDetached(value))) return;
  throw wrongKind(name, argument, "a Uint8Array", value);
}

/**
 * Returns a copy of a Uint8Array with exactly `length` bytes.
 *
 * @throws TypeError for a value that is not a Uint8Array, or is detached; RangeError for another length
 */
export function copyOfBytes(name: string, argument: string, value: unknown, length: number): Uint8Array<ArrayBuffer> {
  requireBytes(name, argument, value);
  const got = lengthOf(value);
  if (got !== length) throw outOfRange(name, `${argument} must have ${length} bytes`, got);
  return copyOf(value, length);
}
