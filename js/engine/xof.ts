// Extendable output, for every algorithm that has one.
import { requireBytes } from "../input/bytes.js";
import { isUint8Array, pooledCopy } from "../input/caller-bytes.js";
import { disposed, outOfRange, proxied } from "../input/errors.js";
import { integer, wholeNumber } from "../input/options.js";
import { Disposable } from "./disposable.js";
import { Hasher } from "./hasher.js";
import type { AlgorithmRecord } from "./kernel.js";
import { OUTPUT_SIZE } from "./memory.js";
import { allocate, readOutput } from "./output.js";

/** What a reader needs to know of an algorithm. */
type Extendable = Pick<AlgorithmRecord, "name" | "kernels">;

/**
 * Reads an extendable output in pieces, from any position. A reader is independent of its hasher, which may hash more
 * or be disposed, and of other readers.
 *
 * The output of BLAKE3 (BLAKE3 paper, section 2.6) has 2^64 - 1 bytes. The output of BLAKE2Xb and BLAKE2Xs (BLAKE2X
 * paper, section 2) has `length` bytes or, without that option, 2^38 and 2^37. A read beyond the end throws, reads
 * nothing and leaves the position unchanged.
 *
 * @example
 * const xof = blake3.create().update(seed).xof();
 * const first = xof.read(64);
 * xof.position = 1_000_000n;
 * const far = xof.read(64);
 */
export class Xof extends Disposable {
  readonly #algorithm: Extendable;
  readonly #maxOutputLength: bigint;
  /** As a number, which is exact up to where `#requireRest` looks closer. */
  readonly #exactEnd: number;
  #root: Uint8Array | undefined;
  // The position in two halves of 32 bits: a bigint would take as long as a read.
  #low = 0;
  #high = 0;

  /** Calls `dispose`; enables `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** @internal */
  constructor(algorithm: Extendable, root: Uint8Array, maxOutputLength: bigint) {
    super();
    this.#algorithm = algorithm;
    this.#root = root;
    this.#maxOutputLength = maxOutputLength;
    this.#exactEnd = Math.min(Number(maxOutputLength), Number.MAX_SAFE_INTEGER);
  }

  /**
   * The position of the next read, in bytes: 0 to the length of the output. Seeking takes constant time.
   *
   * @throws TypeError for a value that is not a number or bigint; RangeError if it is not a position, or is a number
   *   above 2^53 - 1; Error if it is set after `dispose`
   * @example
   * xof.position = 2n ** 40n;
   */
  get position(): bigint {
    return (BigInt(this.#high) << 32n) + BigInt(this.#low);
  }

  set position(value: bigint | number) {
    this.held("position");
    const position = BigInt(wholeNumber(this.#nameOf("position"), "position", value, this.#maxOutputLength));
    this.#low = Number(position & 0xffff_ffffn);
    this.#high = Number(position >> 32n);
  }

  /**
   * Returns the next `length` bytes.
   *
   * @throws TypeError for a value that is not a number; RangeError if it is not a whole number, exceeds the rest of the
   *   output, or is too large to allocate; Error after `dispose`
   * @example
   * const [key, iv] = [xof.read(32), xof.read(12)];
   */
  read(length: number): Uint8Array<ArrayBuffer> {
    this.held("read");
    if (!Number.isSafeInteger(length) || length < 0) {
      integer(this.#nameOf("read"), "length", length, 0, Number.MAX_SAFE_INTEGER);
    }
    this.#requireRest("read", length);
    return this.readInto(length > OUTPUT_SIZE ? allocate(this.#nameOf("read"), length) : new Uint8Array(length));
  }

  /**
   * Fills `output` with the next bytes, without allocating.
   *
   * @returns `output`
   * @throws TypeError for a value that is not a Uint8Array; RangeError if it is longer than the rest of the output;
   *   Error after `dispose`
   * @example
   * const pad = xof.readInto(new Uint8Array(4096));
   */
  readInto<T extends Uint8Array>(output: T): T {
    const root = this.held("readInto");
    if (!isUint8Array(output) || output.length === 0) requireBytes(this.#nameOf("readInto"), "output", output);
    const length = output.length;
    this.#requireRest("readInto", length);
    this.#algorithm.kernels.run((kernel) => {
      kernel.loadRoot(root);
      readOutput(kernel, output, length, this.#low, this.#high);
    });
    const end = this.#low + length;
    this.#high += Math.floor(end / 2 ** 32);
    this.#low = end % 2 ** 32;
    return output;
  }

  /** Wipes the root node of the output. Every later read throws. */
  dispose(): void {
    this.#root?.fill(0);
    this.#root = undefined;
  }

  #nameOf(method: string): string {
    return `${this.#algorithm.name} reader.${method}`;
  }

  #requireRest(method: string, length: number): void {
    if (this.#high * 2 ** 32 + this.#low + length <= this.#exactEnd) return;
    const { position } = this;
    const rest = this.#maxOutputLength - position;
    if (length <= rest) return;
    throw outOfRange(this.#nameOf(method), `length must be at most ${rest} at position ${position}`, length);
  }

  /** @internal Not private, so that it is found through a Proxy; not named `stateFor`, which marks a hasher. */
  held(method: string): Uint8Array {
    try {
      if (this.#root) return this.#root;
    } catch {
      throw proxied();
    }
    throw disposed(this.#nameOf(method), "reader");
  }
}

/** A {@link Hasher} with an extendable output. */
export class ExtendableHasher extends Hasher {
  /**
   * Returns a reader of the output for the message so far. Later updates do not change what it reads.
   *
   * @throws Error after `dispose`
   * @example
   * blake3.create().update(seed).xof().read(1000);
   */
  xof(): Xof {
    const state = this.stateFor("xof");
    const { record } = this;
    const length = record.maxOutputLength?.(state.parameters.bytes) as bigint;
    const root = state.use((kernel) => {
      kernel.makeRoot();
      return pooledCopy(kernel.root.bytes);
    });
    return new Xof(record, root, length);
  }
}
