// Checks of option values. Each error names the call, the option, the allowed values, and what was passed.
import { type ByteInput, type Input, toKey, toMessage } from "./bytes.js";
import { outOfRange, tag, wrongKind } from "./errors.js";
import { encodeText } from "./utf8.js";

/** The key under which {@link without} stores the names that it has hidden, for errors to list. */
const HIDDEN = /* @__PURE__ */ Symbol();

interface Hiding {
  readonly [HIDDEN]?: readonly string[];
}

/** Base of all option types: text, bytes and arrays have a `length` too, and must not pass for options. */
export interface NotIterable {
  readonly [Symbol.iterator]?: never;
}

export const MAX_UINT64 = 0xffff_ffff_ffff_ffffn;

/** The options of a call without any. Frozen and without a prototype, so that nobody can add one. */
export const NO_OPTIONS = /* @__PURE__ */ Object.freeze({ __proto__: null }) as object;

/**
 * Checks the names of options. What a program adds to `Object.prototype` is no option.
 *
 * @throws TypeError for an unknown option, for one that `Object.prototype` has, and for a value that cannot hold options,
 *   such as text or a Map
 */
export function requireKnown(name: string, options: unknown, known: readonly string[]): void {
  let holds = false;
  if (typeof options === "object") {
    for (const option in options) {
      const isKnown = known.includes(option);
      if (!hasOwn.call(options, option) && option in Object.prototype) {
        if (!isKnown) continue;
        throw new TypeError(`${name}: Object.prototype must not have options, got ${quote(option)}`);
      }
      holds = isKnown;
      if (holds) continue;
      if (tag(options) === "Object") throw unknownOption(name, option, withHidden(options, known));
      break;
    }
  }
  // Last, since it takes longer.
  if (!holds && tag(options) !== "Object") throw wrongKind(name, "options", "a plain object", options);
}

/** The only such check that V8 makes free in `for...in`. */
const hasOwn = Object.prototype.hasOwnProperty;

const withHidden = (options: Hiding, known: readonly string[]): string[] => [...known, ...(options[HIDDEN] ?? [])];

/** Quotes the name of an option, or the beginning of one that is longer than any. */
const quote = (option: string): string => JSON.stringify(option.slice(0, 40));

/** Returns the error for an unknown option. It suggests the name that was meant, if it is one of other packages. */
export function unknownOption(name: string, option: string, known: readonly string[]): TypeError {
  const meant = option
    .slice(0, 40)
    .replace(/^(dklen|size|(output|digest)length)$/i, "length")
    .replace(/^person.*/i, "personal");
  const right = known.find((each) => each.toLowerCase() === meant.toLowerCase());
  const advice = right ? `did you mean "${right}"?` : `allowed are ${known.join(", ")}`;
  return new TypeError(`${name}: unknown option ${quote(option)}; ${advice}`);
}

/** Returns the options without some names, which errors still list as allowed. */
export function without(options: object, names: readonly string[]): object {
  const hidden = Object.fromEntries(names.map((name) => [name, { value: undefined }]));
  return Object.create(options, { ...hidden, [HIDDEN]: { value: names } });
}

/** Returns the error for a number or bigint that is not an integer from `min` to `max`. */
function notInRange(
  name: string,
  option: string,
  value: number | bigint,
  min: number,
  max: number | bigint,
): RangeError {
  return outOfRange(name, `${option} must be an integer from ${min} to ${max}`, value);
}

/** Returns an integer from `min` to `max`; the fallback, if there is one, for an absent option. */
export function integer(
  name: string,
  option: string,
  value: number | undefined,
  min: number,
  max: number,
  fallback?: number,
): number {
  if (value === undefined && fallback !== undefined) return fallback;
  if (typeof value !== "number") throw wrongKind(name, option, "a number", value);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw notInRange(name, option, value, min, max);
}

/** Returns an integer from 0 to `max`. A number above 2^53 - 1 is an error, since it may have been rounded. */
export function wholeNumber(name: string, option: string, value: number | bigint, max: bigint): number | bigint {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) {
    if (value >= 0 && value <= max) return value;
  } else if (typeof value !== "number") {
    throw wrongKind(name, option, "a number or a bigint", value);
  } else if (Number.isInteger(value)) {
    throw outOfRange(name, `${option} must be a bigint above 2^53 - 1`, `number ${value}`);
  }
  throw notInRange(name, option, value, 0, max);
}

/** Returns a boolean; false for an absent option. */
export function boolean(name: string, option: string, value: boolean | undefined): boolean {
  if (value === undefined || typeof value === "boolean") return value ?? false;
  throw wrongKind(name, option, "a boolean", value);
}

/**
 * Returns the error for a key or a context that is there but undefined or null, as after a lookup that failed: ignoring
 * it would give an unkeyed hash. Each algorithm checks with `in` by itself, as `in` allocates where it has seen more
 * than four kinds of objects.
 */
export function missingSecret(call: string, option: "key" | "context", value: null | undefined): TypeError {
  const must = option === "key" ? "bytes" : "text or bytes";
  return wrongKind(call, option, must, value, `leave it out for a hash without a ${option}`);
}

/** Returns the bytes of a key, which must not be text; undefined for an absent one. */
export function optionalKey(name: string, key: ByteInput | undefined): Uint8Array | undefined {
  return key === undefined ? undefined : toKey(name, "key", key);
}

/** Returns the bytes of an option, text as UTF-8; undefined for an absent option. */
export function optionalBytes(name: string, option: string, value: Input | undefined): Uint8Array | undefined {
  if (value === undefined) return undefined;
  if (value === null) throw wrongKind(name, option, "text, bytes or left out", value);
  const message = toMessage(name, option, value);
  return typeof message === "string" ? encodeText(message) : message;
}

/** Returns the length of an option's bytes, 0 for an absent option. */
export function optionLength(
  name: string,
  option: string,
  bytes: Uint8Array | undefined,
  min: number,
  max: number,
): number {
  if (bytes === undefined) return 0;
  const length = bytes.length;
  if (length >= min && length <= max) return length;
  throw outOfRange(
    name,
    `${option} must have ${min === max ? max : `${min} to ${max}`} bytes`,
    length || "0: leave it out",
  );
}
