// The names of algorithms that `blake-simd/node` takes, its own and OpenSSL's.
import { algorithms } from "../algorithms/all.js";
import type { Algorithm } from "../engine/algorithm.js";
import { describe, requireArguments } from "../input/errors.js";
import { withCode } from "./error-codes.js";

/** OpenSSL's names, which fix the digest's length in bytes. */
export const OPENSSL_NAMES: Readonly<Record<string, readonly [algorithm: string, length: number]>> = {
  blake2b512: ["blake2b", 64],
  "blake2b-512": ["blake2b", 64],
  blake2s256: ["blake2s", 32],
  "blake2s-256": ["blake2s", 32],
};

/** An algorithm, and the name that the caller gave for it. */
export interface Named {
  readonly name: string;
  readonly algorithm: Algorithm;
  /** The only digest length that the name allows, in bytes; undefined if it allows any. */
  readonly fixedLength: number | undefined;
}

/** Returns a name in lower case: only A to Z have one here, as the Kelvin sign would else be a k. */
export const lowerCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

export function named(user: string, name: unknown): Named {
  if (typeof name !== "string") {
    throw withCode(new TypeError(`${user}: name must be a string, got ${describe(name)}`), "ERR_INVALID_ARG_TYPE");
  }
  const lower = lowerCase(name);
  const [own, fixedLength] = Object.hasOwn(OPENSSL_NAMES, lower) ? OPENSSL_NAMES[lower]! : [lower, undefined];
  const known: Readonly<Record<string, Algorithm>> = algorithms;
  const algorithm = Object.hasOwn(known, own) ? known[own] : undefined;
  if (algorithm) return { name, algorithm, fixedLength };
  const names = getHashes().join(", ");
  throw withCode(
    new TypeError(`${user}: name must be one of ${names}, got ${JSON.stringify(name)}`),
    "ERR_CRYPTO_INVALID_DIGEST",
  );
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
