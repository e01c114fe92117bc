// HMAC (RFC 2104, FIPS 198-1) over the public API of an algorithm.
import type { Algorithm } from "../engine/algorithm.js";
import { Disposable } from "../engine/disposable.js";
import type { Hasher } from "../engine/hasher.js";
import { type ByteInput, type Bytes, copyOfKey, type Input, toMessage } from "../input/bytes.js";
import { disposed, requireAlgorithm, requireArguments } from "../input/errors.js";
import { type Encoding, encode, requireEncoding } from "../input/text.js";
import { pooledSecret, secretBytes } from "../input/views.js";

// RFC 2104, section 2: what the key is combined with for the inner and the outer hash.
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

interface Creator {
  readonly algorithm: string;
  readonly blockLength: number;
  create(): Hasher;
}

/** Returns the key padded to a block; a key longer than a block is hashed first (RFC 2104, section 2). */
function keyBlock(user: string, algorithm: Creator, key: ByteInput): Bytes {
  const block = pooledSecret(algorithm.blockLength);
  const bytes = copyOfKey(user, "key", key);
  if (bytes.length <= block.length) {
    block.set(bytes);
  } else {
    const hasher = algorithm.create();
    hasher.update(bytes).digestInto(block);
    hasher.dispose();
  }
  bytes.fill(0);
  return block;
}

/** Returns a hasher of the block under a pad, and leaves the block as it was. */
function keyedHasher(algorithm: Creator, block: Bytes, pad: number): Hasher {
  padBlock(block, pad);
  const hasher = algorithm.create().update(block);
  padBlock(block, pad);
  return hasher;
}

function padBlock(block: Bytes, pad: number): void {
  for (let i = 0; i < block.length; i++) block[i] = (block[i] as number) ^ pad;
}

/**
 * Computes an HMAC incrementally; created by `hmac.create`. You can keep updating after a digest.
 *
 * @example
 * const mac = hmac.create(blake2s, key);
 * for (const piece of pieces) mac.update(piece);
 * mac.digest("hex");
 */
export class Hmac extends Disposable {
  /** The HMAC's name, such as `"hmac-blake2s"`. */
  readonly algorithm: string;
  /** The length of the HMAC, in bytes: that of the algorithm's default digest. */
  readonly digestLength: number;
  /** The algorithm's block length, in bytes. */
  readonly blockLength: number;
  /** The inner hash after the key, from which every message starts. */
  readonly #start: Hasher;
  readonly #outer: Hasher;
  #inner: Hasher | undefined;

  /** Calls `dispose`; enables `using`. */
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
   * @throws TypeError for a value that is not an {@link Input}, or is detached; Error after `dispose`
   */
  update(input: Input): this {
    this.#requireArguments("update", arguments.length, 1);
    const inner = this.#live("update");
    toMessage(`${this.algorithm}.update`, "input", input);
    inner.update(input);
    return this;
  }

  /**
   * Returns the HMAC of the message so far, as bytes or as encoded text.
   *
   * @throws TypeError for an unknown encoding; Error after `dispose`
   */
  digest(): Uint8Array<ArrayBuffer>;
  digest(encoding: Encoding): string;
  digest(encoding?: Encoding): Uint8Array<ArrayBuffer> | string {
    this.#requireArguments("digest", arguments.length, 1);
    this.#live("digest");
    if (encoding !== undefined) requireEncoding(`${this.algorithm}.digest`, encoding);
    const code = this.digestInto(secretBytes(this.digestLength));
    return encoding === undefined ? code : encode(code, encoding);
  }

  /** @internal Writes the HMAC of the message so far to an array of its length, which is returned. */
  digestInto(code: Bytes): Bytes {
    const outer = this.#outer.clone();
    // The inner digest first.
    this.#live("digest").digestInto(code);
    outer.update(code).digestInto(code);
    outer.dispose();
    return code;
  }

  /**
   * Returns an independent HMAC with the same message so far and the same key.
   *
   * @throws Error after `dispose`
   */
  clone(): Hmac {
    this.#requireArguments("clone", arguments.length, 0);
    const inner = this.#live("clone");
    return new Hmac(this.algorithm, this.#start.clone(), inner.clone(), this.#outer.clone());
  }

  /**
   * Wipes the message so far and starts a new one with the same key.
   *
   * @throws Error after `dispose`
   */
  reset(): this {
    this.#requireArguments("reset", arguments.length, 0);
    this.#live("reset").dispose();
    this.#inner = this.#start.clone();
    return this;
  }

  /** Wipes the state and the key. Every later call throws, except `dispose`. */
  dispose(): void {
    for (const hasher of [this.#inner, this.#start, this.#outer]) hasher?.dispose();
    this.#inner = undefined;
  }

  #requireArguments(method: string, count: number, most: number): void {
    requireArguments(`${this.algorithm}.${method}`, count, most);
  }

  #live(method: string): Hasher {
    if (this.#inner) return this.#inner;
    throw disposed(`${this.algorithm}.${method}`, "HMAC");
  }
}

/** Creates an HMAC on behalf of a call, whose name its errors begin with. */
export function createFor(user: string, algorithm: Algorithm<never>, key: ByteInput): Hmac {
  requireAlgorithm(user, algorithm, "blake2s");
  const block = keyBlock(user, algorithm, key);
  const start = keyedHasher(algorithm, block, INNER_PAD);
  const outer = keyedHasher(algorithm, block, OUTER_PAD);
  block.fill(0);
  return new Hmac(`hmac-${algorithm.algorithm}`, start, start.clone(), outer);
}

function create(algorithm: Algorithm<never>, key: ByteInput): Hmac {
  requireArguments("hmac.create", arguments.length, 2);
  return createFor("hmac.create", algorithm, key);
}

function oneShot(algorithm: Algorithm<never>, key: ByteInput, message: Input): Bytes {
  requireArguments("hmac", arguments.length, 3);
  requireAlgorithm("hmac", algorithm, "blake2s");
  return codeOf(algorithm, key, message, (length) => new Uint8Array(length));
}

/** Returns an HMAC in a new array, which is made as the caller needs it. */
export function codeOf(algorithm: Creator, key: ByteInput, message: Input, newArray: (length: number) => Bytes): Bytes {
  const block = keyBlock("hmac", algorithm, key);
  const hasher = algorithm.create();
  const inner = pooledSecret(hasher.digestLength);
  try {
    toMessage("hmac", "input", message);
    padBlock(block, INNER_PAD);
    hasher.update(block).update(message).digestInto(inner);
    padBlock(block, INNER_PAD ^ OUTER_PAD);
    return hasher.reset().update(block).update(inner).digestInto(newArray(inner.length));
  } finally {
    for (const bytes of [block, inner]) bytes.fill(0);
    hasher.dispose();
  }
}

/** The type of {@link hmac}. */
export interface HmacFunction {
  (algorithm: Algorithm<never>, key: ByteInput, message: Input): Uint8Array<ArrayBuffer>;
  /**
   * Returns an HMAC to be computed incrementally.
   *
   * @throws TypeError for a value that is not an algorithm, or a key of the wrong type
   * @example
   * hmac.create(blake2s, key).update("a").update("b").digest("hex");
   */
  create(algorithm: Algorithm<never>, key: ByteInput): Hmac;
}

/**
 * HMAC (RFC 2104) of a whole message, over any algorithm of this package with its default options. The key may have any
 * length; one that is longer than a block is hashed first.
 *
 * Use it for protocols that require it, such as Noise and WireGuard (HMAC-BLAKE2s). Otherwise the `key` option of BLAKE2
 * and BLAKE3 is the better authentication code: it is designed for that, and hashes once instead of twice.
 *
 * @returns as many bytes as the algorithm's default digest has
 * @throws TypeError for a value that is not an algorithm, or a key or message of the wrong type
 * @example
 * toHex(hmac(blake2s, key, "message"));
 */
export const hmac: HmacFunction = /* @__PURE__ */ Object.assign(
  /* @__PURE__ */ Object.defineProperty(oneShot, "name", { value: "hmac" }),
  { create },
);
