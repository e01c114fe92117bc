// Extendable output, the same for every algorithm that has one.
// For projects whose own lib has no Symbol.dispose:
/// <reference lib="esnext.disposable" preserve="true" />
import { requireBytes } from "../input/bytes.js";
import { disposed, outOfRange } from "../input/errors.js";
import { integer, wholeNumber } from "../input/options.js";
import { lengthOf } from "../input/views.js";
import { Disposable } from "./disposable.js";
import { Hasher, type Identity } from "./hasher.js";
import type { Parameters } from "./kernel.js";
import type { KernelModule } from "./kernel-module.js";
import { allocate, squeeze } from "./output.js";

/** What an output is read from. */
interface Source {
  readonly name: string;
  readonly module: KernelModule;
}

/**
 * Reads an extendable output in pieces, from any position on. It keeps what it needs, so the hasher that it comes from may
 * go on or be disposed of, and several readers do not disturb each other.
 *
 * BLAKE3's output (BLAKE3 paper, section 2.6) has 2^64 - 1 bytes, so positions go from 0 to 2^64 - 1; the last of these
 * has nothing behind it. That of BLAKE2Xb and BLAKE2Xs (BLAKE2X paper, section 2) has as many as `length` says, or without
 * it 2^38 and 2^37. A read that would pass the end throws, reads nothing and leaves the position where it was.
 *
 * @example
 * const xof = blake3.create().update(seed).xof();
 * const first = xof.read(64);
 * xof.position = 1_000_000n;
 * const far = xof.read(64);
 */
export class Xof extends Disposable {
  readonly #source: Source;
  readonly #extent: bigint;
  #root: Uint8Array | undefined;
  #position = 0n;

  /** The same as `dispose`, for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** @internal */
  constructor(source: Source, root: Uint8Array, extent: bigint) {
    super();
    this.#source = source;
    this.#root = root;
    this.#extent = extent;
  }

  /**
   * Where the next read begins, in bytes. Set it to read from anywhere: 0 to the output's length, at no cost.
   *
   * @throws TypeError for what is no number or bigint; RangeError for one that is no position, or a number beyond 2^53 - 1;
   *   Error where it is set after `dispose`
   * @example
   * xof.position = 2n ** 40n;
   */
  get position(): bigint {
    return this.#position;
  }

  set position(value: bigint | number) {
    this.#live("position");
    this.#position = BigInt(wholeNumber(this.#source.name, "position", value, this.#extent));
  }

  /**
   * The next `length` bytes.
   *
   * @throws TypeError for what is no number; RangeError for one that is no whole number, passes the end of the output or
   *   is more than can be allocated; Error after `dispose`
   * @example
   * const [key, iv] = [xof.read(32), xof.read(12)];
   */
  read(length: number): Uint8Array<ArrayBuffer> {
    const { name } = this.#source;
    this.#live("read");
    integer(name, "length", length, 0, Number.MAX_SAFE_INTEGER);
    this.#requireRest(length);
    return this.readInto(allocate(name, length));
  }

  /**
   * Fills `output` with the next bytes, and allocates nothing.
   *
   * @returns `output`
   * @throws TypeError for what is not a Uint8Array; RangeError for one that passes the end of the output; Error after
   *   `dispose`
   * @example
   * const pad = xof.readInto(new Uint8Array(4096));
   */
  readInto<T extends Uint8Array>(output: T): T {
    const { name, module } = this.#source;
    this.#live("readInto");
    requireBytes(name, "output", output);
    const length = lengthOf(output);
    // Again: a getter of the output's may have disposed of this reader.
    const root = this.#live("readInto");
    this.#requireRest(length);
    const kernel = module.open();
    kernel.root.bytes.set(root);
    squeeze(kernel, output, length, this.#position);
    kernel.root.wipe(root.length);
    kernel.wipeOutput(length);
    kernel.close();
    this.#position += BigInt(length);
    return output;
  }

  /** Wipes what the output is made from. Any later read throws. */
  dispose(): void {
    this.#root?.fill(0);
    this.#root = undefined;
  }

  #requireRest(length: number): void {
    const rest = this.#extent - this.#position;
    if (length <= rest) return;
    throw outOfRange(this.#source.name, `length must be at most ${rest} at position ${this.#position}`, length);
  }

  #live(method: string): Uint8Array {
    if (this.#root) return this.#root;
    throw disposed(this.#source.name, method, "reader");
  }
}

/** What a hasher knows of an algorithm with an extendable output. */
export interface ExtendableIdentity extends Identity {
  /** Bytes of output that there are under some parameters. */
  extent(parameters: Uint8Array): bigint;
}

/** A {@link Hasher} whose output is as long as one likes. */
export class ExtendableHasher extends Hasher {
  readonly #identity: ExtendableIdentity;
  readonly #extent: bigint;

  /** @internal */
  constructor(identity: ExtendableIdentity, parameters: Parameters, state?: Uint8Array<ArrayBuffer>) {
    super(identity, parameters, state);
    this.#identity = identity;
    this.#extent = identity.extent(parameters.bytes);
  }

  /**
   * A reader of the output of the message so far, from its first byte on. What is hashed later does not change it.
   *
   * @throws Error after `dispose`
   * @example
   * blake3.create().update(seed).xof().read(1000);
   */
  xof(): Xof {
    return new Xof(this.#identity, this.live("xof").root(), this.#extent);
  }
}
