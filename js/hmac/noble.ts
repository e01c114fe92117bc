// This package's algorithms in the shape that @noble/hashes and @noble/curves take a hash in.
import type { Algorithm } from "../engine/algorithm.js";
import type { Hasher } from "../engine/hasher.js";
import { describe } from "../input/errors.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** An incremental hash with the members that @noble/hashes gives its own. */
export class NobleHasher {
  /** Bytes in each block. */
  readonly blockLen: number;
  /** Bytes in each digest. */
  readonly outputLen: number;
  readonly canXOF: boolean = false;
  #hasher: Hasher;

  /** @internal */
  constructor(hasher: Hasher) {
    this.#hasher = hasher;
    this.blockLen = hasher.blockLength;
    this.outputLen = hasher.digestLength;
  }

  /** Appends to the message. */
  update(bytes: Uint8Array): this {
    this.#hasher.update(bytes);
    return this;
  }

  /** The digest of the message so far. */
  digest(): Uint8Array<ArrayBuffer> {
    return this.#hasher.digest();
  }

  /** Writes the digest of the message so far to the first bytes of `output`. */
  digestInto(output: Uint8Array): void {
    this.#hasher.digestInto(output);
  }

  /** A hash of its own that goes on from this one's message. */
  clone(): NobleHasher {
    return new NobleHasher(this.#hasher.clone());
  }

  /** Makes another of its kind go on from this one's message, a new one if none is given. */
  _cloneInto(to?: NobleHasher): NobleHasher {
    if (to === undefined) return this.clone();
    const before = to.#hasher;
    to.#hasher = this.#hasher.clone();
    before.dispose();
    return to;
  }

  /** Wipes the message's state. Any later call but this one throws. */
  destroy(): void {
    this.#hasher.dispose();
  }
}

/** A hash in the shape that @noble/hashes and @noble/curves take one in. */
export interface NobleHash {
  (message: Uint8Array): Uint8Array<ArrayBuffer>;
  create(): NobleHasher;
  /** Bytes in each block. */
  readonly blockLen: number;
  /** Bytes in each digest. */
  readonly outputLen: number;
  readonly canXOF: boolean;
}

/**
 * Makes an algorithm a hash that `hmac`, `hkdf` and `pbkdf2` of @noble/hashes and the curves of @noble/curves take.
 *
 * @param options the algorithm's own, which all of its hashes have
 * @throws TypeError for what is no algorithm of this package; what the algorithm's `create` throws for its options
 * @example
 * pbkdf2(nobleHash(blake2b), password, salt, { c: 100_000, dkLen: 32 });
 */
export function nobleHash<Options extends object>(algorithm: Algorithm<Options>, options?: Options): NobleHash {
  if (typeof (algorithm as Partial<typeof algorithm> | null | undefined)?.create !== "function") {
    throw new TypeError(
      `nobleHash: algorithm must be one of this package's, such as blake2b, got ${describe(algorithm)}`,
    );
  }
  const first = algorithm.create(options);
  const { blockLength: blockLen, digestLength: outputLen } = first;
  const hash = (message: Uint8Array): Bytes => first.reset().update(message).digest();
  const create = (): NobleHasher => new NobleHasher(first.reset().clone());
  return Object.assign(hash, { create, blockLen, outputLen, canXOF: false });
}
