// HKDF (RFC 5869) over HMAC.
import type { Algorithm } from "../engine/algorithm.js";
import { type ByteInput, type Bytes, type Input, toKey, viewOfInput } from "../input/bytes.js";
import { copyOf, secretBytes } from "../input/caller-bytes.js";
import { requireAlgorithm, requireArguments } from "../input/errors.js";
import { integer, NO_OPTIONS, type NotIterable, requireKnown } from "../input/options.js";
import { createFor, type Hmac } from "./hmac.js";

/** HKDF's output has at most this many digests (RFC 5869, section 2.3): the block number is one byte. */
const MAX_BLOCKS = 255;

/** The parameters of HKDF (RFC 5869, section 2). */
export interface HkdfOptions extends NotIterable {
  /** A random value strengthens the extraction; it need not be secret. By default a digest's length of zeros. */
  readonly salt?: Input | undefined;
  /** The purpose of the output: different purposes, different outputs. Empty by default. */
  readonly info?: Input | undefined;
  /** Output length in bytes: 1 to 255 times the digest length, by default the digest length. */
  readonly length?: number | undefined;
}

/** The type of {@link hkdf}, whose members are its two steps. */
export interface HkdfFunction {
  (algorithm: Algorithm<never>, material: ByteInput, options?: HkdfOptions): Uint8Array<ArrayBuffer>;
  /**
   * Returns a pseudorandom key of the digest length: the first step (RFC 5869, section 2.2).
   *
   * @throws TypeError for a value that is not an algorithm, or a material or salt of the wrong type
   */
  extract(algorithm: Algorithm<never>, material: ByteInput, salt?: Input): Uint8Array<ArrayBuffer>;
  /**
   * Returns `length` bytes, by default the digest length: the second step (RFC 5869, section 2.3).
   *
   * @throws TypeError for a value that is not an algorithm, or an argument of the wrong type; RangeError for a length
   *   out of range
   */
  expand(algorithm: Algorithm<never>, key: ByteInput, info?: Input, length?: number): Uint8Array<ArrayBuffer>;
}

function extract(algorithm: Algorithm<never>, material: ByteInput, salt?: Input): Bytes {
  requireArguments("hkdf.extract", arguments.length, 3);
  return extractFor("hkdf.extract", algorithm, material, salt);
}

function extractFor(user: string, algorithm: Algorithm<never>, material: ByteInput, salt: Input = ""): Bytes {
  requireAlgorithm(user, algorithm, "blake2s");
  const saltBytes = viewOfInput(user, "salt", salt);
  toKey(user, "material", material);
  const mac = createFor(user, algorithm, saltBytes);
  try {
    return mac.update(material).digestInto(secretBytes(mac.digestLength));
  } finally {
    mac.dispose();
  }
}

function expand(algorithm: Algorithm<never>, key: ByteInput, info?: Input, length?: number): Bytes {
  requireArguments("hkdf.expand", arguments.length, 4);
  return expandFor("hkdf.expand", algorithm, key, info, length);
}

function expandFor(
  user: string,
  algorithm: Algorithm<never>,
  key: ByteInput,
  info: Input = "",
  length?: number,
): Bytes {
  requireAlgorithm(user, algorithm, "blake2s");
  toKey(user, "key", key);
  const infoBytes = copyOf(viewOfInput(user, "info", info));
  const mac = createFor(user, algorithm, key);
  try {
    const size = mac.digestLength;
    return expandWith(mac, infoBytes, integer(user, "length", length, 1, MAX_BLOCKS * size, size));
  } finally {
    mac.dispose();
    infoBytes.fill(0);
  }
}

/** Computes T(1) | T(2) | …: T(n) is the HMAC of T(n - 1), the info and n. */
function expandWith(mac: Hmac, info: Bytes, length: number): Bytes {
  const output = secretBytes(length);
  const block = secretBytes(mac.digestLength);
  for (let at = 0, n = 1; at < length; at += block.length, n++) {
    mac.reset();
    if (n > 1) mac.update(block);
    mac.update(info).update(Uint8Array.of(n)).digestInto(block);
    output.set(block.subarray(0, length - at), at);
  }
  block.fill(0);
  return output;
}

const HKDF_OPTIONS: readonly string[] = ["salt", "info", "length"];

function derive(algorithm: Algorithm<never>, material: ByteInput, options: HkdfOptions = NO_OPTIONS): Bytes {
  requireArguments("hkdf", arguments.length, 3);
  requireAlgorithm("hkdf", algorithm, "blake2s");
  requireKnown("hkdf", options, HKDF_OPTIONS);
  const { salt, info, length } = options;
  const key = extractFor("hkdf", algorithm, material, salt);
  try {
    return expandFor("hkdf", algorithm, key, info, length);
  } finally {
    key.fill(0);
  }
}

/**
 * HKDF (RFC 5869): derives keys from secret material that is not uniformly random, such as a Diffie-Hellman result.
 *
 * Use it for protocols that require it. Otherwise BLAKE3's `context` option derives keys in one step.
 *
 * @returns `length` bytes
 * @throws TypeError for a value that is not an algorithm, an unknown option, or a value of the wrong type; RangeError
 *   for a length out of range
 * @example
 * const key = hkdf(blake2s, shared, { salt, info: "example.com session", length: 32 });
 */
export const hkdf: HkdfFunction = /* @__PURE__ */ Object.assign(
  /* @__PURE__ */ Object.defineProperty(derive, "name", { value: "hkdf" }),
  { extract, expand },
);
