// The names of algorithms that `blake-simd/node` takes, its own and OpenSSL's, and the options that go with them: an
// algorithm's own, a Node stream's, and node:crypto's `outputLength`.
import type { TransformOptions } from "node:stream";
import { algorithms } from "../algorithms/all.js";
import type { Blake2Options } from "../algorithms/blake2.js";
import type { Blake3Options } from "../algorithms/blake3.js";
import type { Algorithm } from "../engine/algorithm.js";
import { builtin } from "../input/builtin.js";
import { describe, requireArguments, wrongKind } from "../input/errors.js";
import { requireKnown, without } from "../input/options.js";
import { invalidType, withCode } from "./error-codes.js";

/** OpenSSL's names, which fix the digest's length in bytes. */
const OPENSSL_NAMES = {
  blake2b512: ["blake2b", 64],
  "blake2b-512": ["blake2b", 64],
  blake2s256: ["blake2s", 32],
  "blake2s-256": ["blake2s", 32],
} as const;

/** An algorithm, and the name that the caller gave for it. */
export interface Named {
  readonly name: string;
  readonly algorithm: Algorithm;
  /** The only digest length that the name allows, in bytes; undefined if it allows any. */
  readonly fixedLength: number | undefined;
}

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

/** Options of streams that change nothing for bytes, and are taken as node:crypto takes them. */
const IGNORED_OPTIONS = [
  "objectMode",
  "readableObjectMode",
  "writableObjectMode",
  "decodeStrings",
  "captureRejections",
] as const;

export type StreamOptions = Pick<TransformOptions, (typeof STREAM_OPTIONS)[number]>;

/** Extra options of `createHash`. */
interface OutputLength<Length extends number = number> {
  /** Digest length in bytes, as node:crypto calls it: another name for `length`. */
  readonly outputLength?: Length | undefined;
}

type Algorithms = typeof algorithms;
type OwnOptions<Name extends keyof Algorithms> = NonNullable<Parameters<Algorithms[Name]["create"]>[0]>;

/** The options that go with each name. */
type OptionsByName = {
  [Name in keyof Algorithms]: OwnOptions<Name> & ("length" extends keyof OwnOptions<Name> ? OutputLength : object);
} & {
  [Name in keyof typeof OPENSSL_NAMES]: FixedLength<(typeof OPENSSL_NAMES)[Name][1]>;
};

type FixedLength<Length extends number> = Omit<Blake2Options, "length"> &
  OutputLength<Length> & { readonly length?: Length | undefined };

/** The names that `createHash` accepts, in upper or lower case; so to the compiler any string is one. */
export type HashName = keyof OptionsByName | (string & {});

/** The options of `createHash` for a name that the compiler does not know: those of every algorithm. */
export type HashOptions = Blake2Options & Blake3Options & StreamOptions & OutputLength;

/** The options of `createHash` for a name: the algorithm's own, a Node stream's, and `outputLength`. */
export type HashOptionsOf<Name extends string> = Name extends keyof OptionsByName
  ? OptionsByName[Name] & StreamOptions
  : HashOptions;

/** Returns a name in lower case, A to Z alone (the Kelvin sign is no k). No algorithm's name has 20 characters. */
const lowerCase = (name: string): string => name.slice(0, 20).replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** What was looked up by names in lower case, which are few. */
const cache = /* @__PURE__ */ new Map<unknown, Named>();

/** The algorithm and length that one of OpenSSL's names stands for. */
const opensslName = (name: string): readonly [algorithm: string, length: number] | undefined =>
  Object.hasOwn(OPENSSL_NAMES, name) ? OPENSSL_NAMES[name as keyof typeof OPENSSL_NAMES] : undefined;

export function algorithmNamed(user: string, name: unknown): Named {
  return cache.get(name) ?? lookUp(user, name);
}

function lookUp(user: string, name: unknown): Named {
  if (typeof name !== "string") throw invalidType(user, "name", "a string", name);
  const lower = lowerCase(name);
  const [own, fixedLength] = opensslName(lower) ?? [lower, undefined];
  const known: Readonly<Record<string, Algorithm>> = algorithms;
  const algorithm = Object.hasOwn(known, own) ? known[own] : undefined;
  if (algorithm) {
    const result = { name, algorithm, fixedLength };
    if (name === lower) cache.set(name, result);
    return result;
  }
  const wanted = `one of ${getHashes().join(", ")}`;
  const error = isHash(lower)
    ? new TypeError(`${user}: name must be ${wanted}, got "${lower}"${adviceFor(lower)}`)
    : wrongKind(user, "name", wanted, name);
  throw withCode(error, "ERR_CRYPTO_INVALID_DIGEST");
}

/** Whether a name is a known hash's. Any other is not repeated: if arguments were swapped, it is a password. */
const isHash = (lower: string): boolean =>
  /^blake\d{0,3}[a-z]{0,2}-?\d{0,4}$/.test(lower) ||
  builtin("node:crypto")
    ?.getHashes()
    .some((each) => each.toLowerCase() === lower) === true;

/** Says how to get what a name stands for. */
function adviceFor(lower: string): string {
  const [, own = "", bits = ""] = /^(blake(?:2[bsx]+p?|2[bs]p|3))-?(\d{1,4})$/.exec(lower) ?? [];
  if (Object.hasOwn(algorithms, own) && Number(bits) % 8 === 0) {
    return `: use createHash("${own}", { length: ${Number(bits) / 8} })`;
  }
  return lower.startsWith("blake") ? "" : ", which createHash of node:crypto has";
}

/**
 * Returns the names that `createHash` and `createHmac` accept, in lower case.
 *
 * @example
 * getHashes(); // ["blake224", "blake256", …, "blake2s-256"]
 */
export function getHashes(): string[] {
  requireArguments("getHashes", arguments.length, 0);
  return [...Object.keys(algorithms), ...Object.keys(OPENSSL_NAMES)];
}

function requireLength(name: string, option: string, value: unknown): asserts value is number {
  if (typeof value !== "number") throw invalidType(name, option, "a number", value);
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
  const free = opensslName(lowerCase(name))?.[0];
  const isNumber = typeof value === "number";
  const advice = free && isNumber ? `: use createHash("${free}", { ${option}: ${value} })` : "";
  const got = isNumber ? `number ${value}` : describe(value);
  throw withCode(new RangeError(`${name}: ${option} must be ${fixedLength}, got ${got}${advice}`), "ERR_OUT_OF_RANGE");
}

function requireEncoding(name: string, encoding: unknown): void {
  if (typeof encoding === "string") {
    if (encoding === "" || encoding === "buffer" || Buffer.isEncoding(encoding)) return;
    throw withCode(wrongKind(name, "encoding", "one of Node's", encoding), "ERR_UNKNOWN_ENCODING");
  }
  if (encoding === undefined || encoding === null) return;
  throw invalidType(name, "encoding", "a string", encoding);
}

const NONE = { stream: undefined, hash: undefined, outputLength: undefined };

/**
 * Separates a stream's options from a hash's, and from node:crypto's `outputLength`.
 *
 * @param call that takes no options of a hash, if it takes none
 */
export function splitOptions(name: string, options: HashOptions | null | undefined, call?: string) {
  // A number is no options, so that createHash can be the callback of `map`.
  if (options === undefined || options === null || typeof options === "number") return NONE;
  if (typeof options !== "object" || Array.isArray(options) || ArrayBuffer.isView(options)) {
    throw invalidType(name, "options", "an object", options);
  }
  // Errors list only the second set of names as allowed.
  const hash: HashOptions = without(without(options, IGNORED_OPTIONS), [...STREAM_OPTIONS, "outputLength"]);
  const { outputLength } = options;
  if (outputLength !== undefined) requireLength(name, "outputLength", outputLength);
  const stream: Record<string, unknown> = Object.create(null);
  for (const option of STREAM_OPTIONS) if (option in options) stream[option] = options[option];
  requireEncoding(name, stream.encoding);
  // As in node:crypto, bytes, although streams do not know the name.
  if (stream.encoding === "buffer") stream.encoding = undefined;
  if (call !== undefined) requireKnown(call, hash, []);
  return { stream: stream as StreamOptions, hash, outputLength };
}

export function withLength(hash: HashOptions, length: number): HashOptions {
  return Object.create(hash, { length: { value: length, enumerable: true } });
}
