// The incremental hasher, the same for every algorithm.
// For projects whose own lib has no Symbol.dispose:
/// <reference lib="esnext.disposable" preserve="true" />
import { type Input, toMessage, unitsOf } from "../input/bytes.js";
import { disposed, wrongKind } from "../input/errors.js";
import { type Encoding, encode, requireEncoding } from "../input/text.js";
import type { Kernel, Parameters } from "./kernel.js";
import type { KernelModule } from "./kernel-module.js";
import { STATE } from "./memory.js";
import { TypedUpdates } from "./numbers.js";
import { allocate, requireRoom, writeDigest } from "./output.js";
import { Resident } from "./resident.js";

/** What a hasher knows of its algorithm. */
export interface Identity {
  readonly name: string;
  readonly module: KernelModule;
  /** In bytes. */
  readonly blockLength: number;
}

/** How a hasher is made: {@link Hasher} or what extends it. */
export type HasherClass<I extends Identity, H> = new (
  identity: I,
  parameters: Parameters,
  state?: Uint8Array<ArrayBuffer>,
) => H;

/**
 * Hashes a message that comes in pieces. `digest` does not end it: more `update`s may follow, and the next digest covers
 * every byte since the hasher was created or reset. Its memory is garbage-collected; `dispose` wipes it at once.
 *
 * If an exhausted stack, a trap or a time limit ends one of its calls, the hasher has the message from before the call, or
 * all of it, or else its calls throw an error that says that the state was lost, until `reset`. Calls of other hashers do
 * not change it.
 *
 * @example
 * const hasher = blake3.create();
 * for (const piece of pieces) hasher.update(piece);
 * hasher.digest("hex");
 */
export class Hasher extends TypedUpdates {
  readonly #identity: Identity;
  #parameters: Parameters;
  #state: Resident | undefined;

  /** The same as `dispose`, for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** @internal */
  constructor(identity: Identity, parameters: Parameters, state?: Uint8Array<ArrayBuffer>) {
    super();
    this.#identity = identity;
    this.#parameters = parameters;
    this.#state = new Resident(identity, parameters, state);
  }

  /** The algorithm's name, such as `"blake3"`. */
  override get algorithm(): string {
    return this.#identity.name;
  }

  /** Bytes in each digest. */
  get digestLength(): number {
    return this.#parameters.digestLength;
  }

  /** Bytes in each block of the compression function. */
  get blockLength(): number {
    return this.#identity.blockLength;
  }

  /**
   * Bytes hashed so far; the key does not count.
   *
   * @throws Error after `dispose`
   */
  get bytesHashed(): bigint {
    return this.live("bytesHashed").count();
  }

  /**
   * Appends to the message. Where it throws, the message is as it was. What it allocates is what `into` does; where two
   * hashers of one algorithm take turns, each turn copies a state too.
   *
   * @throws TypeError for what is not an {@link Input} or is detached; Error after `dispose`
   * @example
   * blake3.create().update("text").update(new Uint16Array([1, 2]));
   */
  update(input: Input): this {
    if (arguments.length > 1) throw wrongKind(this.algorithm, "arguments of update", "at most 1", arguments.length);
    this.live("update");
    const message = toMessage(this.#identity.name, "input", input);
    const units = unitsOf(message);
    // Again: a getter of the input's may have disposed of this hasher.
    this.live("update").absorb(message, units);
    return this;
  }

  /**
   * The digest of the message so far: bytes, or text in an encoding (`"base64url"` without padding).
   *
   * @throws TypeError for another encoding and for more arguments: the length is an option of `create`; RangeError for a `length` of more bytes than can be allocated; Error after
   *   `dispose`
   * @example
   * hasher.digest("base64url");
   */
  digest(): Uint8Array<ArrayBuffer>;
  digest(encoding: Encoding): string;
  digest(encoding?: Encoding): Uint8Array<ArrayBuffer> | string {
    if (arguments.length > 1) throw wrongKind(this.algorithm, "arguments of digest", "at most 1", arguments.length);
    this.live("digest");
    if (encoding !== undefined) requireEncoding(this.#identity.name, encoding);
    const digest = this.digestInto(allocate(this.#identity.name, this.#parameters.digestLength));
    return encoding === undefined ? digest : encode(digest, encoding);
  }

  /**
   * Writes the digest of the message so far to the first `digestLength` bytes of `output`, and allocates nothing.
   *
   * @returns `output`
   * @throws TypeError for what is not a Uint8Array; RangeError for one that is too short; Error after `dispose`
   * @example
   * hasher.digestInto(packet.subarray(packet.length - hasher.digestLength));
   */
  digestInto<T extends Uint8Array>(output: T): T {
    this.live("digestInto");
    const { digestLength } = this.#parameters;
    requireRoom(this.#identity.name, output, digestLength);
    // Again: a getter of the output's may have disposed of this hasher.
    const kernel = this.live("digestInto").open();
    kernel.flush();
    writeDigest(kernel, STATE, output, digestLength);
    kernel.close();
    return output;
  }

  /**
   * A hasher of its own that goes on from this one's message, key and options.
   *
   * @throws Error after `dispose`
   * @example
   * const beginning = blake3.create().update(header);
   * const digests = bodies.map((body) => beginning.clone().update(body).digest());
   */
  clone(): this {
    const snapshot = this.live("clone").snapshot();
    const Same = this.constructor as HasherClass<Identity, this>;
    return new Same(this.#identity, copyParameters(this.#parameters), snapshot);
  }

  /**
   * Wipes the message so far and starts a new one under the same options.
   *
   * @throws Error after `dispose`
   */
  reset(): this {
    this.live("reset").wipe();
    return this;
  }

  /** Wipes the message's state and the key. Any later call but this one throws. */
  dispose(): void {
    this.#state?.wipe();
    this.#state = undefined;
    if (this.#parameters.secret) this.#parameters.bytes.fill(0);
  }

  /** @internal */
  protected override enter(method: string): Kernel {
    return this.live(method).enter();
  }

  /** @internal Returns the state; throws after `dispose`. */
  live(method: string): Resident {
    if (this.#state) return this.#state;
    throw disposed(this.#identity.name, method, "hasher");
  }
}

// A key is wiped with its hasher, so a clone needs one of its own.
function copyParameters(parameters: Parameters): Parameters {
  return parameters.secret ? { ...parameters, bytes: parameters.bytes.slice() } : parameters;
}
