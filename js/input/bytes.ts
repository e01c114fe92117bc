// What counts as input.
import { outOfRange, wrongKind } from "./errors.js";
import { hasLength, isBuffer, isDetached, isUint8Array, lengthOf, trueLength, viewBytes } from "./views.js";

/** What can be hashed: text (as UTF-8), or any buffer or view of one (its bytes as they lie in memory). */
export type Input = string | ArrayBufferLike | ArrayBufferView;

/** Makes UTF-8 of text. */
export const encoder = /* @__PURE__ */ new TextEncoder();

// For all messages of no bytes: a view of each would take 35 ns.
const EMPTY = /* @__PURE__ */ new Uint8Array();

const INPUT_KINDS = "a string, an ArrayBuffer, a SharedArrayBuffer or a view of one";

/**
 * Views a message's bytes in place; text stays text. No code of the user's runs for an input that is accepted.
 *
 * @param name whose argument it is, for an error message
 * @param argument the argument's or option's name
 * @param index which one of several
 * @throws TypeError for anything that is not an {@link Input}, or whose buffer is detached
 */
export function toMessage(name: string, argument: string, input: Input, index?: number): Uint8Array | string {
  if (typeof input === "string") return input;
  if (isUint8Array(input) && input.length > 0) return input;
  if ((ArrayBuffer.isView(input) || isBuffer(input)) && !isDetached(input)) {
    const bytes = ArrayBuffer.isView(input) ? viewBytes(input) : new Uint8Array(input);
    return bytes.length === 0 ? EMPTY : bytes;
  }
  throw wrongKind(name, index === undefined ? argument : `${argument}[${index}]`, INPUT_KINDS, input);
}

/**
 * A message's length: in bytes, or of text in UTF-16 code units, each of which takes at least one byte. A getter of the
 * user's may be asked for it first, so this is not for use while a kernel is open.
 */
export function unitsOf(message: Uint8Array | string): number {
  return typeof message === "string" ? message.length : lengthOf(message);
}

/**
 * @throws TypeError for a message that was detached since its length was read, RangeError for one of another length; no code
 *   of the user's runs
 */
export function requireUnits(name: string, message: Uint8Array | string, units: number, index?: number): void {
  if (typeof message === "string" || hasLength(message, units)) return;
  const argument = index === undefined ? "input" : `inputs[${index}]`;
  if (isDetached(message)) throw wrongKind(name, argument, INPUT_KINDS, message);
  throw outOfRange(name, `${argument} must keep its ${units} bytes while options are read`, trueLength(message));
}

/**
 * Views the bytes of several messages in place.
 *
 * @throws TypeError for a value that is not iterable, and for an element that is not an {@link Input}
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

/** @throws TypeError for a value that is not a Uint8Array, or a detached one */
export function requireBytes(name: string, argument: string, value: unknown): asserts value is Uint8Array {
  if (isUint8Array(value) && (value.length > 0 || !isDetached(value))) return;
  throw wrongKind(name, argument, "a Uint8Array", value);
}
