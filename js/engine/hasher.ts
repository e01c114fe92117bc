// The incremental hasher, the same for every algorithm.
import { type Input, isMessage, toMessage } from "../input/bytes.js";
import { isLocalUint8Array } from "../input/caller-bytes.js";
import { disposed, interrupted, proxied, requireArguments } from "../input/errors.js";
import { type Encoding, encode, encoded, isEncoding, wrongEncoding } from "../input/text.js";
import { Disposable } from "./disposable.js";
import type { HasherState } from "./hasher-state.js";
import { type AlgorithmRecord, type Kernel, type Parameters, wipeParameters } from "./kernel.js";
import { OUTPUT_SIZE } from "./memory.js";
import { allocate, requireRoom, writeDigest } from "./output.js";

/** The constructor of {@link Hasher} or of a subclass. */
export type HasherClass<H> = new (record: AlgorithmRecord, state: HasherState) => H;

/**
 * Hashes a message incrementally. You can keep updating after a digest: the next one covers every byte since the hasher
 * was created or reset. Its memory is garbage-collected; `dispose` wipes it at once.
 *
 * A call that throws leaves the hasher as it was. Only an `update` that a stack overflow or a time limit has interrupted
 * may have spoiled it: later calls throw until `reset` starts anew.
 *
 * @example
 * const hasher = blake3.create();
 * for (const piece of pieces) hasher.update(piece);
 * hasher.digest("hex");
 */
export class Hasher extends Disposable {
  readonly #record: AlgorithmRecord;
  readonly #parameters: Parameters;
  #state: HasherState | undefined;

  /** Calls `dispose`; enables `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** @internal */
  constructor(record: AlgorithmRecord, state: HasherState) {
    super();
    this.#record = record;
    this.#parameters = state.parameters;
    this.#state = state;
  }

  /** @internal */
  protected get record(): AlgorithmRecord {
    return this.#record;
  }

  /** The algorithm's name, such as `"blake3"`. */
  get algorithm(): string {
    return this.#record.name;
  }

  /** The digest length, in bytes. */
  get digestLength(): number {
    return this.#parameters.digestLength;
  }

  /** The block length of the compression function, in bytes. */
  get blockLength(): number {
    return this.#record.blockLength;
  }

  /**
   * The number of message bytes so far, without the key.
   *
   * @throws Error after `dispose`
   */
  get bytesHashed(): bigint {
    return this.stateFor("bytesHashed").count();
  }

  /**
   * Appends to the message, and returns the hasher. If it throws, the message is unchanged.
   *
   * @throws TypeError for a value that is not an {@link Input}, or is detached; Error after `dispose`
   * @example
   * blake3.create().update("text").update(new Uint16Array([1, 2]));
   */
  update(input: Input): this {
    const message = isMessage(input) ? input : toMessage(this.nameOf("update"), "input", input);
    const { length } = message;
    this.stateFor("update", arguments.length, 1).update(message, length);
    return this;
  }

  /**
   * Returns the digest of the message so far, as bytes or as encoded text (`"base64url"` without padding).
   *
   * @throws TypeError for an unknown encoding, or a second argument (the length is an option of `create`); RangeError
   *   if the digest is too long to allocate; Error after `dispose`
   * @example
   * hasher.digest("base64url");
   */
  digest(): Uint8Array<ArrayBuffer>;
  digest(encoding: Encoding): string;
  digest(encoding?: Encoding): Uint8Array<ArrayBuffer> | string {
    const state = this.stateFor("digest", arguments.length, 1);
    if (encoding !== undefined && !isEncoding(encoding)) throw wrongEncoding(this.nameOf("digest"), encoding);
    const { digestLength } = this.#parameters;
    if (digestLength > OUTPUT_SIZE) {
      const digest = this.digestInto(allocate(this.nameOf("digest"), digestLength));
      if (encoding === undefined) return digest;
      return allocate(this.nameOf("digest"), digestLength, () => encode(digest, encoding));
    }
    return state.digest(digestLength, ({ output, text }) =>
      encoding === undefined ? new Uint8Array(output.first(digestLength)) : encoded(text, digestLength, encoding),
    );
  }

  /**
   * Writes the digest of the message so far to the first `digestLength` bytes of `output`, without allocating.
   *
   * @returns `output`
   * @throws TypeError for a value that is not a Uint8Array; RangeError if it is too short; Error after `dispose`
   * @example
   * hasher.digestInto(packet.subarray(packet.length - hasher.digestLength));
   */
  digestInto<T extends Uint8Array>(output: T): T {
    const state = this.stateFor("digestInto");
    const { digestLength } = this.#parameters;
    if (!isLocalUint8Array(output) || output.length < digestLength)
      requireRoom(this.nameOf("digestInto"), output, digestLength);
    const write = (kernel: Kernel) => writeDigest(kernel, output, digestLength);
    if (digestLength > OUTPUT_SIZE) state.use(write);
    else state.digest(digestLength, write);
    return output;
  }

  /**
   * Returns an independent hasher with the same message so far, key and options.
   *
   * @throws Error after `dispose`
   * @example
   * const beginning = blake3.create().update(header);
   * const digests = bodies.map((body) => beginning.clone().update(body).digest());
   */
  clone(): this {
    const state = this.stateFor("clone").clone();
    return new (this.constructor as HasherClass<this>)(this.#record, state);
  }

  /**
   * Wipes the message so far and starts a new one with the same key and options.
   *
   * @throws Error after `dispose`
   */
  reset(): this {
    this.held("reset").clear();
    return this;
  }

  /** Wipes the state and the key. Every later call throws, except `dispose`. */
  dispose(): void {
    this.#state?.clear();
    this.#state = undefined;
    wipeParameters(this.#parameters);
  }

  /** @internal Names a method in errors. */
  nameOf(method: string): string {
    return `${this.#record.name} hasher.${method}`;
  }

  /**
   * @internal Returns the state; throws after `dispose`, after an interrupted update, and for a call with more than
   *   `most` arguments. Read the input first: one of its getters may dispose of this hasher.
   */
  stateFor(method: string, given = 0, most = 0): HasherState {
    if (given > most) requireArguments(this.nameOf(method), given, most);
    const state = this.held(method);
    if (state.interrupted) throw interrupted(this.nameOf(method));
    return state;
  }

  /** @internal The same, even after an interrupted update. Not private, so that it is found through a Proxy. */
  held(method: string): HasherState {
    try {
      if (this.#state) return this.#state;
    } catch {
      throw proxied();
    }
    throw disposed(this.nameOf(method), "hasher");
  }
}
