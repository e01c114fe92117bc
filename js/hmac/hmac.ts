// HMAC (RFC 2104, FIPS 198-1) over the public API of an algorithm.
import type { Algorithm } from "../engine/algorithm.js";
import { Disposable } from "../engine/disposable.js";
import type { Hasher } from "../engine/hasher.js";
import { type ByteInput, type Bytes, type Input, toKey, toMessage } from "../input/bytes.js";
import { copyBytes, isLocalUint8Array, pooledCopy, pooledSecret, viewOf } from "../input/caller-bytes.js";
import { disposed, proxied, requireAlgorithm, requireArguments } from "../input/errors.js";
import { type Encoding, encode, isEncoding, wrongEncoding } from "../input/text.js";

// RFC 2104, section 2: what the key is combined with for the inner and the outer hash.
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/** The most bytes of a message that is hashed in one piece with the inner block. */
const MOST_IN_ONE = 4096;

/** Writes the key's block (RFC 2104, section 2) under either pad to zeros, the inner one last; hashes a longer key. */
function writeBlocks(algorithm: Algorithm, key: Uint8Array, inner: Bytes, outer: Bytes): void {
  writeKey(algorithm, key, outer);
  for (let i = 0, { blockLength } = algorithm; i < blockLength; i++) {
    const byte = outer[i] as number;
    inner[i] = byte ^ INNER_PAD;
    outer[i] = byte ^ OUTER_PAD;
  }
}

function writeKey(algorithm: Algorithm, key: Uint8Array, block: Bytes): void {
  const length = key.length;
  if (length <= algorithm.blockLength) {
    copyBytes(block, 0, key, length);
    return;
  }
  const hasher = algorithm.create();
  try {
    hasher.update(viewOf(key, 0, length)).digestInto(block);
  } finally {
    hasher.dispose();
  }
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
  readonly #source: Algorithm;
  /** The key's block under the inner pad. To hash it again takes no longer than to copy the state after it. */
  readonly #innerBlock: Bytes;
  /** What is hashed last: the key's block under the outer pad, and the digest of the inner hash, zeros until then. */
  readonly #outer: Bytes;
  readonly #innerDigest: Bytes;
  /** The hash of the inner block and the message so far; undefined after `dispose`. */
  #inner: Hasher | undefined;

  /** Calls `dispose`; enables `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** @internal */
  constructor(source: Algorithm, innerBlock: Bytes, outer: Bytes, inner?: Hasher) {
    super();
    this.algorithm = `hmac-${source.algorithm}`;
    this.blockLength = source.blockLength;
    this.digestLength = source.digestLength;
    this.#source = source;
    this.#innerBlock = innerBlock;
    this.#outer = outer;
    this.#innerDigest = outer.subarray(source.blockLength);
    this.#inner = inner ?? source.create().update(innerBlock);
  }

  /**
   * Appends to the message.
   *
   * @throws TypeError for a value that is not an {@link Input}, or is detached; Error after `dispose`
   */
  update(input: Input): this {
    const message = toMessage(`${this.algorithm}.update`, "input", input);
    this.held("update", arguments.length, 1).update(message as Input);
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
    this.held("digest", arguments.length, 1);
    if (encoding !== undefined && !isEncoding(encoding)) throw wrongEncoding(`${this.algorithm}.digest`, encoding);
    if (encoding === "hex") return this.#finish((outer) => this.#source.hex(outer));
    const code = this.#finish((outer) => this.#source(outer));
    return encoding === undefined ? code : encode(code, encoding);
  }

  /** @internal Writes the HMAC of the message so far to an array of its length, which is returned. */
  digestInto(code: Bytes): Bytes {
    return this.#finish((outer) => this.#source.into(outer, code));
  }

  /** Computes the outer hash. */
  #finish<Result>(hash: (outer: Bytes) => Result): Result {
    const inner = this.held("digest");
    try {
      inner.digestInto(this.#innerDigest);
      return hash(this.#outer);
    } finally {
      this.#innerDigest.fill(0);
    }
  }

  /**
   * Returns an independent HMAC with the same message so far and the same key.
   *
   * @throws Error after `dispose`
   */
  clone(): Hmac {
    const inner = this.held("clone", arguments.length);
    return new Hmac(this.#source, pooledCopy(this.#innerBlock), pooledCopy(this.#outer), inner.clone());
  }

  /**
   * Wipes the message so far and starts a new one with the same key.
   *
   * @throws Error after `dispose`
   */
  reset(): this {
    this.held("reset", arguments.length).reset().update(this.#innerBlock);
    return this;
  }

  /** Wipes the state and the key. Every later call throws, except `dispose`. */
  dispose(): void {
    const inner = this.#inner;
    this.#inner = undefined;
    this.#innerBlock.fill(0);
    this.#outer.fill(0);
    inner?.dispose();
  }

  /** @internal Returns the inner hasher; throws after `dispose`, and for more than `most` arguments. */
  held(method: string, given = 0, most = 0): Hasher {
    if (given > most) requireArguments(`${this.algorithm}.${method}`, given, most);
    try {
      if (this.#inner) return this.#inner;
    } catch {
      throw proxied();
    }
    throw disposed(`${this.algorithm}.${method}`, "HMAC");
  }
}

/** Creates an HMAC on behalf of a call, whose name its errors begin with. */
export function createFor(user: string, algorithm: Algorithm<never>, key: ByteInput): Hmac {
  requireAlgorithm(user, algorithm, "blake2s");
  const bytes = toKey(user, "key", key);
  const inner = pooledSecret(algorithm.blockLength);
  const outer = pooledSecret(algorithm.blockLength + algorithm.digestLength);
  try {
    writeBlocks(algorithm as Algorithm, bytes, inner, outer);
    return new Hmac(algorithm as Algorithm, inner, outer);
  } catch (error) {
    inner.fill(0);
    outer.fill(0);
    throw error;
  }
}

function create(algorithm: Algorithm<never>, key: ByteInput): Hmac {
  requireArguments("hmac.create", arguments.length, 2);
  return createFor("hmac.create", algorithm, key);
}

/** The HMAC of a short message: two one-shots, and nothing of the caller's runs. */
function ofShort(algorithm: Algorithm, key: Uint8Array, message: Uint8Array, length: number): Bytes {
  const { blockLength, digestLength } = algorithm;
  const inner = pooledSecret(blockLength + length);
  const outer = pooledSecret(blockLength + digestLength);
  try {
    writeBlocks(algorithm, key, inner, outer);
    copyBytes(inner, blockLength, message, length);
    algorithm.into(inner, inner);
    for (let i = 0; i < digestLength; i++) outer[blockLength + i] = inner[i] as number;
    return algorithm(outer);
  } finally {
    inner.fill(0);
    outer.fill(0);
  }
}

function oneShot(algorithm: Algorithm<never>, key: ByteInput, message: Input): Bytes {
  requireArguments("hmac", arguments.length, 3);
  if (isLocalUint8Array(message) && message.length <= MOST_IN_ONE) {
    requireAlgorithm("hmac", algorithm, "blake2s");
    return ofShort(algorithm as Algorithm, toKey("hmac", "key", key), message, message.length);
  }
  const mac = createFor("hmac", algorithm, key);
  try {
    toMessage("hmac", "input", message);
    return mac.update(message).digest();
  } finally {
    mac.dispose();
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
 * Use it for protocols that require it, such as Noise and WireGuard (HMAC-BLAKE2s). Otherwise the `key` option of
 * BLAKE2 and BLAKE3 is the better authentication code: it is designed for that, and hashes once instead of twice.
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
