// The errors that every part of the package words alike. Each says what was wanted and what came instead.
import { isBuffer, isDetached } from "./views.js";

/** Says what a value is, for an error message; never its contents, which may be secret. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "number" || typeof value === "boolean") return `${typeof value} ${value}`;
  if (typeof value === "bigint") return `bigint ${value}n`;
  if (typeof value === "string") return `a string of length ${value.length}`;
  if (Array.isArray(value)) return "an array";
  if ((ArrayBuffer.isView(value) || isBuffer(value)) && isDetached(value)) return "one whose buffer is detached";
  return typeof value === "object" ? `an object (${tag(value)})` : `a ${typeof value}`;
}

/** What a value calls itself, such as "Map". */
export function tag(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
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
