// Accepts inputs of every kind as bytes or text.

import { copyOf, isDetached, isLocalUint8Array, isUint8Array, viewOf } from "./caller-bytes.js";
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

/**
 * An {@link Input} that was checked. Read its length once, before a call of a kernel begins: a class of the caller's may
 * have a getter for it. To copy its bytes runs no code of theirs.
 */
export type Message = Uint8Array | string;

/** Arrays of up to this many bytes are copied to a kernel at once: what a hasher has buffered fits before them. */
const ONE_COPY = 0xe000;

/**
 * Returns whether a value is bytes as they are: an array that is not empty. A longer array is copied in pieces, which
 * takes views of it: `toBytes` makes one of its own before, since those of a subclass may run its code.
 */
function areBytes(value: unknown): value is Uint8Array {
  return isLocalUint8Array(value) && value.length > 0 && value.length <= ONE_COPY;
}

/** Returns whether an input is a message as it is. */
export function isMessage(input: Input): input is Message {
  return typeof input === "string" || areBytes(input);
}

/**
 * Returns the message of an input.
 *
 * @param name the call to name in an error
 * @param argument the name of the argument or option
 * @param index the position of the input if there are several
 * @throws TypeError for a value that is not an {@link Input}, or is detached
 */
export function toMessage(name: string, argument: string, input: Input, index?: number): Message {
  return isMessage(input) ? input : toBytes(name, argument, input, INPUT_KINDS, index);
}

/** The same for bytes alone. */
export function toBytes(
  name: string,
  argument: string,
  input: unknown,
  kinds = BYTE_KINDS,
  index?: number,
): Uint8Array {
  if (areBytes(input)) return input;
  // A value that is neither a view nor a buffer counts as detached.
  if (isDetached(input as Uint8Array)) {
    throw wrongKind(name, index === undefined ? argument : `${argument}[${index}]`, kinds, input);
  }
  return viewOf(input as ArrayBufferLike);
}

/**
 * Returns the bytes of a key, which cannot be text: hex digits or a password would be valid keys of BLAKE2, but the
 * wrong ones.
 *
 * @throws TypeError for a value that is not a {@link ByteInput}, or is detached
 */
export function toKey(name: string, argument: string, key: unknown): Uint8Array {
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

/** @throws TypeError if a value is not an iterable of inputs */
export function toInputs(name: string, inputs: Iterable<Input>): Input[] {
  if (typeof inputs === "string" || typeof inputs?.[Symbol.iterator] !== "function") {
    throw wrongKind(name, "inputs", "an array or another iterable of inputs", inputs);
  }
  return [...inputs];
}

/** @throws TypeError for a value that is not a Uint8Array, or is detached */
export function requireBytes(name: string, argument: string, value: unknown): asserts value is Uint8Array {
  if (isUint8Array(value) && (value.length > 0 || !isDetached(value))) return;
  throw wrongKind(name, argument, "a Uint8Array", value);
}

/**
 * Returns a copy of a Uint8Array with exactly `length` bytes.
 *
 * @throws TypeError for a value that is not a Uint8Array, or is detached; RangeError for another length
 */
export function copyOfBytes(name: string, argument: string, value: unknown, length: number): Uint8Array<ArrayBuffer> {
  requireBytes(name, argument, value);
  const got = value.length;
  if (got !== length) throw outOfRange(name, `${argument} must have ${length} bytes`, got);
  return copyOf(value, length);
}
