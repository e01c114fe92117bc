// Accepts inputs of every kind as bytes or text.
import { outOfRange, wrongKind } from "./errors.js";
import { hasLength, isDetached, isUint8Array, lengthOf, trueLength, viewBytes } from "./views.js";

/** What can be hashed: text (as UTF-8), or any buffer or view (its bytes in memory order). */
export type Input = string | ArrayBufferLike | ArrayBufferView;

/** Encodes text as UTF-8. */
export const encoder = /* @__PURE__ */ new TextEncoder();

const INPUT_KINDS = "a string, an ArrayBuffer, a SharedArrayBuffer or a view of one";

/**
 * Returns a view of a message's bytes, or text unchanged; undefined for a value that is not an {@link Input}, or is
 * detached. Runs no user code if the input is accepted.
 */
export function messageOf(input: Input): Uint8Array | string | undefined {
  if (typeof input === "string") return input;
  if (isUint8Array(input) && input.length > 0) return input;
  // A value that is neither a view nor a buffer counts as detached.
  if (isDetached(input)) return undefined;
  return ArrayBuffer.isView(input) ? viewBytes(input) : new Uint8Array(input);
}

/**
 * Returns what `messageOf` does.
 *
 * @param name the call to name in an error
 * @param argument the name of the argument or option
 * @param index the position of the input if there are several
 * @throws TypeError for a value that is not an {@link Input}, or is detached
 */
export function toMessage(name: string, argument: string, input: Input, index?: number): Uint8Array | string {
  // As in `messageOf`, without its call.
  if (typeof input === "string" || (isUint8Array(input) && input.length > 0)) return input;
  const message = messageOf(input);
  if (message !== undefined) return message;
  throw wrongKind(name, index === undefined ? argument : `${argument}[${index}]`, INPUT_KINDS, input);
}

/**
 * Returns a message's length in bytes, or for text in UTF-16 code units, each of which takes at least one byte. It may
 * call a user's getter, so no kernel may be open.
 */
export function unitsOf(message: Uint8Array | string): number {
  return typeof message === "string" ? message.length : lengthOf(message);
}

/**
 * Checks that a message still has the length that was read earlier. Runs no user code.
 *
 * @throws TypeError if it has been detached; RangeError if it has a different length
 */
export function requireUnits(name: string, message: Uint8Array | string, units: number, index?: number): void {
  if (typeof message === "string" || hasLength(message, units)) return;
  const argument = index === undefined ? "input" : `inputs[${index}]`;
  if (isDetached(message)) throw wrongKind(name, argument, INPUT_KINDS, message);
  throw outOfRange(name, `${argument} must keep its ${units} bytes while options are read`, trueLength(message));
}

/**
 * Returns views of the bytes of several messages, or their texts.
 *
 * @throws TypeError if `inputs` is not iterable, or an element is not an {@link Input}
 */
export function toMessages(name: string, inputs: Iterable<Input>): (Uint8Array | string)[] {
  if (typeof inputs === "string" || typeof inputs?.[Symbol.iterator] !== "function") {
    throw wrongKind(name, "inputs", "an array or another iterable of inputs", inputs);
  }
  return [...inputs].map((input, i) => toMessage(name, "inputs", input, i));
}

/** @throws TypeError for a value that is not a Uint8Array, or is detached */
export function requireBytes(name: string, argument: string, value: unknown): asserts value is Uint8Array {
  if (isUint8Array(value) && (value.length > 0 || !isDetached(value))) return;
  throw wrongKind(name, argument, "a Uint8Array", value);
}
