// The options of `blake-simd/node`: an algorithm's own, a Node stream's, and node:crypto's `outputLength`.
import type { TransformOptions } from "node:stream";
import type { Blake1Options } from "../algorithms/blake1.js";
import type { Blake2ExtendableOptions, Blake2Options, Blake2ParallelOptions } from "../algorithms/blake2.js";
import type { Blake3Options } from "../algorithms/blake3.js";
import { describe, wrongKind } from "../input/errors.js";
import { NO_OPTIONS, requireOwn, unknownOption, without } from "../input/options.js";
import { withCode } from "./error-codes.js";
import { lowerCase, type Named, OPENSSL_NAMES } from "./names.js";

const STREAM_OPTIONS = [
  "highWaterMark",
  "readableHighWaterMark",
  "writableHighWaterMark",
  "defaultEncoding",
  "encoding",
  "emitClose",
  "autoDestroy",
  "allowHalfOpen",
  "signal",
] as const;

export type StreamOptions = Pick<TransformOptions, (typeof STREAM_OPTIONS)[number]>;

/** Extra options of `createHash`. */
interface OutputLength<Length extends number = number> {
  /** Digest length in bytes, as node:crypto calls it: another name for `length`. */
  readonly outputLength?: Length | undefined;
}

type FixedLength<Length extends number> = Omit<Blake2Options, "length"> &
  OutputLength<Length> & { readonly length?: Length | undefined };

/** The options that go with each name. */
interface OptionsByName {
  blake224: Blake1Options;
  blake256: Blake1Options;
  blake384: Blake1Options;
  blake512: Blake1Options;
  blake2b: Blake2Options & OutputLength;
  blake2s: Blake2Options & OutputLength;
  blake2bp: Blake2ParallelOptions & OutputLength;
  blake2sp: Blake2ParallelOptions & OutputLength;
  blake2xb: Blake2ExtendableOptions & OutputLength;
  blake2xs: Blake2ExtendableOptions & OutputLength;
  blake3: Blake3Options & OutputLength;
  blake2b512: FixedLength<64>;
  "blake2b-512": FixedLength<64>;
  blake2s256: FixedLength<32>;
  "blake2s-256": FixedLength<32>;
}

/** The names that `createHash` accepts, in upper or lower case; so to the compiler any string is one. */
export type HashName = keyof OptionsByName | (string & {});

/** The options of `createHash` for a name that the compiler does not know: those of every algorithm. */
export interface HashOptions extends Blake2Options, Blake3Options, StreamOptions, OutputLength {}

/** The options of `createHash` for a name: the algorithm's own, a Node stream's, and `outputLength`. */
export type HashOptionsOf<Name extends string> = Name extends keyof OptionsByName
  ? OptionsByName[Name] & StreamOptions
  : HashOptions;

function requireLength(name: string, option: string, value: unknown): asserts value is number {
  if (typeof value !== "number") {
    throw withCode(
      new TypeError(`${name}: ${option} must be a number, got ${describe(value)}`),
      "ERR_INVALID_ARG_TYPE",
    );
  }
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 32) return;
  throw withCode(
    new RangeError(`${name}: ${option} must be an integer from 0 to ${2 ** 32 - 1}, got ${value}`),
    "ERR_OUT_OF_RANGE",
  );
}

export function requireFixedLength(
  { name, fixedLength }: Omit<Named, "algorithm">,
  option: string,
  value: unknown,
): void {
  if (fixedLength === undefined || value === undefined || value === fixedLength) return;
  const free = OPENSSL_NAMES[lowerCase(name)]?.[0];
  const advice = free && typeof value === "number" ? `: use createHash("${free}", { ${option}: ${value} })` : "";
  throw withCode(
    new RangeError(`${name}: ${option} must be ${fixedLength}, got ${describe(value)}${advice}`),
    "ERR_OUT_OF_RANGE",
  );
}

function requireEncoding(name: string, encoding: unknown): void {
  if (typeof encoding === "string") {
    if (encoding === "" || encoding === "buffer" || Buffer.isEncoding(encoding)) return;
    const text = `${name}: encoding must be one of Node's, got ${JSON.stringify(encoding)}`;
    throw withCode(new TypeError(text), "ERR_UNKNOWN_ENCODING");
  }
  if (encoding === undefined || encoding === null) return;
  throw withCode(wrongKind(name, "encoding", "a string", encoding), "ERR_INVALID_ARG_TYPE");
}

/** Separates a stream's options from a hash's. */
export function splitOptions(name: string, options: HashOptions | null | undefined) {
  if (options !== undefined && (typeof options !== "object" || Array.isArray(options))) {
    throw withCode(
      new TypeError(`${name}: options must be an object, got ${describe(options)}`),
      "ERR_INVALID_ARG_TYPE",
    );
  }
  const given: HashOptions = options ?? NO_OPTIONS;
  for (const option in given) requireOwn(name, option);
  const { outputLength } = given;
  if (outputLength !== undefined) requireLength(name, "outputLength", outputLength);
  const stream: Record<string, unknown> = Object.create(null);
  for (const option of STREAM_OPTIONS) if (option in given) stream[option] = given[option];
  requireEncoding(name, stream.encoding);
  // As in node:crypto, bytes, although streams do not know the name.
  if (stream.encoding === "buffer") stream.encoding = undefined;
  const hash: HashOptions = without(given, [...STREAM_OPTIONS, "outputLength"]);
  return { stream: stream as StreamOptions, hash, outputLength };
}

export function withLength(hash: HashOptions, length: number): HashOptions {
  return Object.create(hash, { length: { value: length, enumerable: true } });
}

export function requireNoMore(call: string, hash: HashOptions): void {
  for (const option in hash) {
    throw unknownOption(call, option, [...STREAM_OPTIONS, "outputLength"]);
  }
}
