// BLAKE2bp and BLAKE2sp (BLAKE2 paper, section 2.10), BLAKE2Xb and BLAKE2Xs (BLAKE2X paper), out of plain BLAKE2 nodes.
import {
  absorb,
  BLAKE2B,
  BLAKE2S,
  blake2,
  finish,
  keyBlock,
  type Midstate,
  type Settings,
  start,
  type Variant,
} from "./reference-blake2.ts";

/** What the suites need of an independent implementation's hasher. */
export interface OracleHash {
  update(bytes: Uint8Array): this;
  clone(): OracleHash;
  digest(): Uint8Array;
}

/** Leaves that take the blocks in turn, and a root over their digests. */
class Parallel implements OracleHash {
  readonly #variant: Variant;
  readonly #settings: Settings;
  readonly #leaves: Midstate[];
  #length: number;

  constructor(variant: Variant, settings: Settings, leaves: Midstate[], length: number) {
    this.#variant = variant;
    this.#settings = settings;
    this.#leaves = leaves;
    this.#length = length;
  }

  static of(variant: Variant, options: Settings): Parallel {
    const degree = variant.word === 8 ? 4 : 8;
    const settings = { ...options, fanout: degree, maxDepth: 2, innerHashLength: 8 * variant.word };
    const key = keyBlock(variant, options.key);
    const leaves = Array.from({ length: degree }, (_, i) =>
      start(variant, key, { ...settings, nodeOffset: BigInt(i) }),
    );
    return new Parallel(variant, settings, leaves, 0);
  }

  update(bytes: Uint8Array): this {
    const block = 16 * this.#variant.word;
    let at = 0;
    while (at < bytes.length) {
      const end = at + block - (this.#length % block);
      const leaf = Math.floor(this.#length / block) % this.#leaves.length;
      const piece = bytes.subarray(at, end);
      this.#leaves[leaf] = absorb(this.#variant, this.#leaves[leaf]!, piece);
      this.#length += piece.length;
      at = end;
    }
    return this;
  }

  clone(): Parallel {
    return new Parallel(this.#variant, this.#settings, [...this.#leaves], this.#length);
  }

  digest(): Uint8Array {
    const [variant, settings, last] = [this.#variant, this.#settings, this.#leaves.length - 1];
    const digests = this.#leaves.map((leaf, i) => finish(variant, leaf, new Uint8Array(), i === last));
    const root = start(variant, new Uint8Array(), { ...settings, nodeDepth: 1 });
    return finish(variant, root, Buffer.concat(digests), true).slice(0, settings.length ?? 8 * variant.word);
  }
}

/** One hash of the message, and for each part of the output a hash of that one. */
class Extendable implements OracleHash {
  readonly #variant: Variant;
  readonly #settings: Settings;
  #message: Midstate;

  constructor(variant: Variant, settings: Settings, message: Midstate) {
    this.#variant = variant;
    this.#settings = settings;
    this.#message = message;
  }

  static of(variant: Variant, { length, ...options }: Settings): Extendable {
    const declared = length ?? (variant.word === 8 ? 2 ** 32 - 1 : 2 ** 16 - 1);
    const own = { ...options, nodeOffset: BigInt(declared) << 32n };
    return new Extendable(
      variant,
      { ...own, ...(length && { length }) },
      start(variant, keyBlock(variant, own.key), own),
    );
  }

  update(bytes: Uint8Array): this {
    this.#message = absorb(this.#variant, this.#message, bytes);
    return this;
  }

  clone(): Extendable {
    return new Extendable(this.#variant, this.#settings, this.#message);
  }

  digest(): Uint8Array {
    const { key: _, length, nodeOffset, ...settings } = this.#settings;
    const longest = 8 * this.#variant.word;
    const root = finish(this.#variant, this.#message, new Uint8Array());
    const output = new Uint8Array(length ?? longest);
    const shape = { ...settings, fanout: 0, maxDepth: 0, maxLeafLength: longest, innerHashLength: longest };
    for (let i = 0; i * longest < output.length; i++) {
      const node = {
        ...shape,
        nodeOffset: nodeOffset! + BigInt(i),
        length: Math.min(longest, output.length - i * longest),
      };
      output.set(blake2(this.#variant, root, node), i * longest);
    }
    return output;
  }
}

type Create = (options: Settings) => OracleHash;

export const createBlake2bp: Create = (options) => Parallel.of(BLAKE2B, options);
export const createBlake2sp: Create = (options) => Parallel.of(BLAKE2S, options);
export const createBlake2xb: Create = (options) => Extendable.of(BLAKE2B, options);
export const createBlake2xs: Create = (options) => Extendable.of(BLAKE2S, options);
