// HMAC (RFC 2104, FIPS 198-1) and HKDF (RFC 5869) over the public API of an algorithm.
// For projects whose own lib has no Symbol.dispose:
/// <reference lib="esnext.disposable" preserve="true" />
import type { Algorithm } from "../engine/algorithm.js";
import { Disposable } from "../engine/disposable.js";
import type { Hasher } from "../engine/hasher.js";
import { encoder, type Input, toMessage } from "../input/bytes.js";
import { describe, disposed } from "../input/errors.js";
import { integer, requireKnown } from "../input/options.js";
import { type Encoding, encode, requireEncoding } from "../input/text.js";

type Bytes = Uint8Array<ArrayBuffer>;

// RFC 2104, section 2: what the key is combined with for the inner and the outer hash.
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/** HKDF's output has at most this many digests (RFC 5869, section 2.3): the block number is one byte. */
const MAX_BLOCKS = 255;

interface Creator {
  readonly algorithm: string;
  readonly blockLength: number;
  create(): Hasher;
}

function requireAlgorithm(user: string, algorithm: unknown): asserts algorithm is Creator {
  if (typeof (algorithm as Partial<Creator> | null | undefined)?.create === "function") return;
  throw new TypeError(`${user}: algorithm must be one of this package's, such as blake2s, got ${describe(algorithm)}`);
}

/** Copies bytes, or makes UTF-8 of text, so that what is wiped afterwards is nobody else's. */
function copyBytes(name: string, argument: string, input: Input): Bytes {
  const message = toMessage(name, argument, input);
  return typeof message === "string" ? encoder.encode(message) : new Uint8Array(message);
}

/** The key as a whole block: a longer one is hashed first (RFC 2104, section 2). */
function keyBlock(name: string, algorithm: Creator, key: Input): Bytes {
  const block = new Uint8Array(algorithm.blockLength);
  const bytes = copyBytes(name, "key", key);
  if (bytes.length <= block.length) {
    block.set(bytes);
  } else {
    const hasher = algorithm.create();
    block.set(hasher.update(bytes).digest());
    hasher.dispose();
  }
  bytes.fill(0);
  return block;
}

function keyedHasher(algorithm: Creator, block: Bytes, pad: number): Hasher {
  const padded = block.map((byte) => byte ^ pad);
  const hasher = algorithm.create().update(padded);
  padded.fill(0);
  return hasher;
}

/**
 * An HMAC whose message comes in pieces. `digest` does not end it: more `update`s may follow. `hmac.create` makes it.
 *
 * @example
 * const mac = hmac.create(blake2s, key);
 * for (const piece of pieces) mac.update(piece);
 * mac.digest("hex");
 */
export class Hmac extends Disposable {
  /** The HMAC's name, such as `"hmac-blake2s"`. */
  readonly algorithm: string;
  /** Bytes in each digest: as many as the algorithm's own digests have. */
  readonly digestLength: number;
  /** Bytes in each block of the algorithm. */
  readonly blockLength: number;
  /** After the key's block: what a new message starts from. */
  readonly #start: Hasher;
  readonly #outer: Hasher;
  #inner: Hasher | undefined;

  /** The same as `dispose`, for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** @internal */
  constructor(algorithm: string, start: Hasher, inner: Hasher, outer: Hasher) {
    super();
    this.algorithm = algorithm;
    this.digestLength = start.digestLength;
    this.blockLength = start.blockLength;
    this.#start = start;
    this.#inner = inner;
    this.#outer = outer;
  }

  /**
   * Appends to the message.
   *
   * @throws TypeError for what is not an {@link Input} or is detached; Error after `dispose`
   */
  update(input: Input): this {
    const inner = this.#live("update");
    const message = toMessage(this.algorithm, "input", input);
    inner.update(message);
    return this;
  }

  /**
   * The code of the message so far: bytes, or text in an encoding.
   *
   * @throws TypeError for another encoding; Error after `dispose`
   */
  digest(): Uint8Array<ArrayBuffer>;
  digest(encoding: Encoding): string;
  digest(encoding?: Encoding): Uint8Array<ArrayBuffer> | string {
    const inner = this.#live("digest");
    if (encoding !== undefined) requireEncoding(this.algorithm, encoding);
    const outer = this.#outer.clone();
    const middle = inner.digest();
    const code = outer.update(middle).digest();
    outer.dispose();
    middle.fill(0);
    return encoding === undefined ? code : encode(code, encoding);
  }

  /**
   * An HMAC of its own that goes on from this one's message and key.
   *
   * @throws Error after `dispose`
   */
  clone(): Hmac {
    const inner = this.#live("clone");
    return new Hmac(this.algorithm, this.#start.clone(), inner.clone(), this.#outer.clone());
  }

  /**
   * Wipes the message so far and starts a new one under the same key.
   *
   * @throws Error after `dispose`
   */
  reset(): this {
    this.#live("reset").dispose();
    this.#inner = this.#start.clone();
    return this;
  }

  /** Wipes the message's state and the key. Any later call but this one throws. */
  dispose(): void {
    for (const hasher of [this.#inner, this.#start, this.#outer]) hasher?.dispose();
    this.#inner = undefined;
  }

  #live(method: string): Hasher {
    if (this.#inner) return this.#inner;
    throw disposed(this.algorithm, method, "HMAC");
  }
}

function create(algorithm: Algorithm<never>, key: Input): Hmac {
  requireAlgorithm("hmac", algorithm);
  const name = `hmac-${algorithm.algorithm}`;
  const block = keyBlock(name, algorithm, key);
  const start = keyedHasher(algorithm, block, INNER_PAD);
  const outer = keyedHasher(algorithm, block, OUTER_PAD);
  block.fill(0);
  return new Hmac(name, start, start.clone(), outer);
}

function oneShot(algorithm: Algorithm<never>, key: Input, message: Input): Bytes {
  const mac = create(algorithm, key);
  try {
    return mac.update(message).digest();
  } finally {
    mac.dispose();
  }
}

/** {@link hmac}: a function with a member. */
export interface HmacFunction {
  (algorithm: Algorithm<never>, key: Input, message: Input): Uint8Array<ArrayBuffer>;
  /**
   * Starts an HMAC whose message comes in pieces.
   *
   * @throws TypeError for what is no algorithm of this package, or a wrong kind of key
   * @example
   * hmac.create(blake2s, key).update("a").update("b").digest("hex");
   */
  create(algorithm: Algorithm<never>, key: Input): Hmac;
}

/**
 * HMAC (RFC 2104) of a whole message, over any algorithm of this package with its default options. The key may have any
 * length; one that is longer than a block is hashed first.
 *
 * Use it for protocols that are built on it, such as Noise and WireGuard (HMAC-BLAKE2s). For anything else the `key`
 * option of BLAKE2 and BLAKE3 is the better authentication code: it is made for that, and hashes
 * once where HMAC hashes twice.
 *
 * @returns as many bytes as the algorithm's digests have
 * @throws TypeError for what is no algorithm of this package, or a wrong kind of key or message
 * @example
 * toHex(hmac(blake2s, key, "message"));
 */
export const hmac: HmacFunction = /* @__PURE__ */ Object.assign(oneShot, { create });

/** The parameters of HKDF (RFC 5869, section 2). */
export interface HkdfOptions {
  /** Randomises the extraction, and need not be secret. By default as many zeros as a digest has bytes. */
  readonly salt?: Input | undefined;
  /** Names the use of the output, which depends on it. By default no bytes. */
  readonly info?: Input | undefined;
  /** Output length in bytes: 1 to 255 digests, by default one digest. */
  readonly length?: number | undefined;
}

/** {@link hkdf}: a function with its two steps as members. */
export interface HkdfFunction {
  (algorithm: Algorithm<never>, material: Input, options?: HkdfOptions): Uint8Array<ArrayBuffer>;
  /**
   * The first step (RFC 5869, section 2.2): a pseudorandom key of one digest's length.
   *
   * @throws TypeError for what is no algorithm of this package, or a wrong kind of material or salt
   */
  extract(algorithm: Algorithm<never>, material: Input, salt?: Input): Uint8Array<ArrayBuffer>;
  /**
   * The second step (RFC 5869, section 2.3): `length` bytes, by default one digest.
   *
   * @throws TypeError for what is no algorithm of this package, or a wrong kind of key, info or length; RangeError for a
   *   length out of range
   */
  expand(algorithm: Algorithm<never>, key: Input, info?: Input, length?: number): Uint8Array<ArrayBuffer>;
}

function extract(algorithm: Algorithm<never>, material: Input, salt: Input = new Uint8Array()): Bytes {
  requireAlgorithm("hkdf", algorithm);
  toMessage(hkdfName(algorithm), "salt", salt);
  toMessage(hkdfName(algorithm), "material", material);
  return oneShot(algorithm, salt, material);
}

const hkdfName = ({ algorithm }: { algorithm: string }): string => `hkdf-${algorithm}`;

function expand(algorithm: Algorithm<never>, key: Input, info: Input = "", length?: number): Bytes {
  requireAlgorithm("hkdf", algorithm);
  const name = hkdfName(algorithm);
  toMessage(name, "key", key);
  const infoBytes = copyBytes(name, "info", info);
  const mac = create(algorithm, key);
  try {
    const size = mac.digestLength;
    return expandWith(mac, infoBytes, integer(name, "length", length, 1, MAX_BLOCKS * size, size));
  } finally {
    mac.dispose();
  }
}

/** T(1) | T(2) | …, where T(n) is the code of T(n - 1), the info and n. */
function expandWith(mac: Hmac, info: Bytes, length: number): Bytes {
  const output = new Uint8Array(length);
  let block: Bytes = new Uint8Array();
  for (let at = 0, n = 1; at < length; at += block.length, n++) {
    const next = mac.reset().update(block).update(info).update(Uint8Array.of(n)).digest();
    block.fill(0);
    block = next;
    output.set(block.subarray(0, length - at), at);
  }
  block.fill(0);
  return output;
}

const HKDF_OPTIONS: readonly string[] = ["salt", "info", "length"];

function derive(algorithm: Algorithm<never>, material: Input, options: HkdfOptions = {}): Bytes {
  requireAlgorithm("hkdf", algorithm);
  const name = hkdfName(algorithm);
  requireKnown(name, options, HKDF_OPTIONS);
  const { salt, info, length } = options;
  const key = extract(algorithm, material, salt);
  try {
    return expand(algorithm, key, info, length);
  } finally {
    key.fill(0);
  }
}

/**
 * HKDF (RFC 5869): keys from secret material that is not uniformly random, such as a Diffie-Hellman result.
 *
 * Use it for protocols that are built on it. For anything else BLAKE3's `context` option derives keys in one step.
 *
 * @returns `length` bytes
 * @throws TypeError for what is no algorithm of this package, or a wrong kind of material, option or option value;
 *   RangeError for a length out of range
 * @example
 * const key = hkdf(blake2s, shared, { salt, info: "example.com session", length: 32 });
 */
export const hkdf: HkdfFunction = /* @__PURE__ */ Object.assign(derive, { extract, expand });
