// Adapts this package's algorithms to the hash interface of @noble/hashes and @noble/curves.
import type { Algorithm } from "../engine/algorithm.js";
import type { Hasher } from "../engine/hasher.js";
import type { Bytes } from "../input/bytes.js";
import { requireAlgorithm, requireArguments } from "../input/errors.js";

/** An incremental hash with the interface of those of `@noble/hashes`. */
export class NobleHasher {
  /** Whether it has a long output; always false. */
  readonly canXOF: boolean = false;
  #hasher: Hasher;

  /** @internal */
  constructor(hasher: Hasher) {
    this.#hasher = hasher;
  }

  /** @internal So that Vue does not wrap a hash. */
  get [Symbol.toStringTag](): string {
    return "NobleHasher";
  }

  /** The block length, in bytes. */
  get blockLen(): number {
    return this.#hasher.blockLength;
  }

  /** The digest length, in bytes. */
  get outputLen(): number {
    return this.#hasher.digestLength;
  }

  /** Appends to the message, text as UTF-8. */
  update(part: string | Uint8Array): this {
    this.#hasher.update(part);
    return this;
  }

  /** Returns the digest of the message so far. */
  digest(): Uint8Array<ArrayBuffer> {
    return this.#hasher.digest();
  }

  /** Writes the digest of the message so far to the first bytes of `output`. */
  digestInto(output: Uint8Array): void {
    this.#hasher.digestInto(output);
  }

  /** Returns an independent hash with the same message so far. */
  clone(): NobleHasher {
    return new NobleHasher(this.#hasher.clone());
  }

  /** Copies the state to a different hash, or a new one if none is given. */
  _cloneInto(to?: NobleHasher): NobleHasher {
    if (to === undefined) return this.clone();
    const before = to.#hasher;
    to.#hasher = this.#hasher.clone();
    before.dispose();
    return to;
  }

  /** Wipes the state. Every later call throws, except `destroy`. */
  destroy(): void {
    this.#hasher.dispose();
  }
}

/**
 * A hash as versions 1 and 2 of `@noble/hashes` and `@noble/curves` accept it. Version 1 also passes text, hashed as
 * UTF-8.
 */
export interface NobleHash {
  (message: string | Uint8Array): Uint8Array<ArrayBuffer>;
  /** Returns an incremental hash. */
  create(): NobleHasher;
  /** The block length, in bytes. */
  readonly blockLen: number;
  /** The digest length, in bytes. */
  readonly outputLen: number;
  /** Whether it has a long output; always false. */
  readonly canXOF: boolean;
  /** Wipes the key. Every later call throws, except `destroy`; what `create` returned is to be destroyed on its own. */
  destroy(): void;
}

/**
 * Adapts an algorithm for `hmac`, `hkdf` and `pbkdf2` of `@noble/hashes`, and for the curves of `@noble/curves`, 1.x
 * and 2.x.
 *
 * @param options the algorithm's own, for all hashes
 * @throws TypeError for a value that is not an algorithm; what the algorithm's `create` throws for its options
 * @example
 * pbkdf2(nobleHash(blake2b), password, salt, { c: 100_000, dkLen: 32 });
 */
export function nobleHash<Options extends object>(algorithm: Algorithm<Options>, options?: Options): NobleHash {
  requireArguments("nobleHash", arguments.length, 2);
  requireAlgorithm("nobleHash", algorithm, "blake2b");
  const first = algorithm.create(options);
  const own = first.clone();
  const { blockLength: blockLen, digestLength: outputLen } = first;
  const call = `nobleHash(${first.algorithm})`;
  function hash(message: string | Uint8Array): Bytes {
    requireArguments(call, arguments.length, 1);
    try {
      // First, too: a call before may have been interrupted.
      return own.reset().update(message).digest();
    } finally {
      // The message may be secret.
      own.reset();
    }
  }
  function create(): NobleHasher {
    requireArguments(`${call}.create`, arguments.length, 0);
    return new NobleHasher(first.clone());
  }
  function destroy(): void {
    requireArguments(`${call}.destroy`, arguments.length, 0);
    first.dispose();
    own.dispose();
  }
  return Object.assign(hash, { create, destroy, blockLen, outputLen, canXOF: false });
}
