// Errors in one wording for the whole package: the call, what is allowed, and what was passed.
import { isDetached } from "./caller-bytes.js";

/** Describes a value for an error message by its kind and length: what it holds may be secret, or megabytes. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return `a string of length ${value.length}`;
  if (typeof value !== "object") return `a ${typeof value}`;
  if (Array.isArray(value)) return "an array";
  const kind = tag(value);
  const isBuffer = ArrayBuffer.isView(value) || kind.endsWith("ArrayBuffer");
  if (isBuffer && isDetached(value as ArrayBuffer)) return "a detached or shrunk buffer";
  // An object may call itself anything, even by a secret: only what a global is called is said.
  return `an object (${(kind.split(".")[0] as string) in globalThis ? kind : "Object"})`;
}

/** Returns the class name that a value reports, such as "Map". */
export function tag(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Returns the error for a value of the wrong type, with advice if there is any. */
export function wrongKind(name: string, argument: string, wanted: string, value: unknown, advice = ""): TypeError {
  return new TypeError(`${name}: ${argument} must be ${wanted}, got ${describe(value)}${advice && `: ${advice}`}`);
}

/** Returns the error for a value of the right type that is out of range. `got` is not secret. */
export function outOfRange(name: string, must: string, got: string | number | bigint): RangeError {
  // The digits of a bigint of megabits would take seconds.
  const isLong = typeof got === "bigint" && BigInt.asIntN(256, got) !== got;
  return new RangeError(`${name}: ${must}, got ${isLong ? "a bigint of more than 256 bits" : got}`);
}

/** @throws TypeError for a call with more than `most` arguments */
export function requireArguments(call: string, count: number, most: number): void {
  if (count > most) throw new TypeError(`${call}: arguments must be at most ${most}, got ${count}`);
}

/** Returns the error for a call after `dispose`. */
export function disposed(call: string, what: string): Error {
  return new Error(`${call}: the ${what} was disposed`);
}

/** Returns the error for a call after an update that was interrupted. */
export function interrupted(call: string): Error {
  return new Error(`${call}: an update of the hasher was interrupted`);
}

/** Returns the error for a call on a Proxy of an object, which has none of its private fields. */
export function proxied(): Error {
  return new TypeError("blake-simd: the object must not be a Proxy");
}

/**
 * The members by which an algorithm of this package is known, maybe of another copy of it. Those of other packages lack
 * some.
 */
interface AlgorithmLike {
  create(): unknown;
  readonly algorithm: string;
  readonly digestLength: number;
  readonly blockLength: number;
}

/** @throws TypeError for a value that is not an algorithm */
export function requireAlgorithm(
  user: string,
  algorithm: unknown,
  example: string,
): asserts algorithm is AlgorithmLike {
  const { create, algorithm: name, digestLength, blockLength } = Object(algorithm) as Partial<AlgorithmLike>;
  const lengths = [digestLength, blockLength];
  if (typeof create === "function" && typeof name === "string" && lengths.every(Number.isInteger)) return;
  throw wrongKind(user, "algorithm", `one of this package's, such as ${example}`, algorithm, "it comes first");
}
