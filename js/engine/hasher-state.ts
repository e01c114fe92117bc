// The state of one hasher, which belongs to it: arrays of its own, from which a kernel computes. A result is stored
// when the call has ended, so that an interrupted call leaves the hasher as it was.
import type { Message } from "../input/bytes.js";
import { copyBytes, pooledCopy, pooledSecret } from "../input/caller-bytes.js";
import { type AlgorithmKernel, type InputOwner, type Kernel, type Parameters, stateSizeOf } from "./kernel.js";
import { takenOver } from "./lifecycle.js";
import { countIn, INPUT_SIZE, STATE } from "./memory.js";

/** Up to this many pending bytes are kept as they are when another call needs INPUT; more are hashed. */
const KEEP = 512;
/** Updates of up to this many bytes are appended to the hasher's own array, if it has one. */
const MOST_APPENDED = 128;
/** When INPUT is full, a multiple of this many bytes is hashed, which keeps all lanes busy. */
const GROUP = 4096;

export class HasherState implements InputOwner {
  readonly parameters: Parameters;
  /** The number of message bytes not hashed yet. They are in INPUT if this hasher owns it, otherwise in `#own`. */
  pending = 0;
  readonly #algorithm: AlgorithmKernel;
  #own: Uint8Array<ArrayBuffer> | undefined;
  /** The state after the bytes before the pending ones. The array may be longer than the state, and then ends with zeros. */
  #state: Uint8Array<ArrayBuffer> | undefined;
  /** The array for the next state. Until a call has ended, `#state` stays as it was: the call may be interrupted. */
  #spare: Uint8Array<ArrayBuffer> | undefined;
  /** Whether no byte has been hashed; `#state` is then meaningless. */
  #fresh: boolean;

  constructor(algorithm: AlgorithmKernel, parameters: Parameters, state?: Uint8Array<ArrayBuffer>) {
    this.#algorithm = algorithm;
    this.parameters = parameters;
    this.#state = state;
    this.#fresh = state === undefined;
  }

  /** Appends to the message: in an array of its own, in INPUT or, if that is full, by the kernel's `update`. */
  update(message: Message, units: number): void {
    const { kernel } = this.#algorithm.module;
    if (kernel.owner !== this) {
      const own = this.#own;
      const isShort = units <= MOST_APPENDED && own !== undefined && typeof message !== "string";
      if (isShort && this.#append(own, message, units)) return;
      this.#enter(kernel);
    }
    kernel.input.mark(this.pending + units);
    const end = kernel.input.write(message, units, this.pending);
    if (kernel.owner !== this) throw takenOver();
    if (end >= 0) this.pending = end;
    else this.#updateLong(kernel, message, units);
  }

  /** Returns INPUT, in which the next few bytes of the message have room after the pending ones. */
  reserve(length: number): DataView {
    const { kernel } = this.#algorithm.module;
    if (kernel.owner !== this) this.#enter(kernel);
    if (this.pending > INPUT_SIZE - length) this.#makeRoom(kernel);
    kernel.input.mark(this.pending + length);
    return kernel.input.view;
  }

  /** Begins a call that has the first `length` bytes of the digest in OUTPUT, until `end`. */
  digest(length: number, isLast = false): Kernel {
    if (this.#fresh && this.pending <= KEEP) return this.#hashShort(length);
    const kernel = this.begin(isLast);
    kernel.exports.finalize(STATE, length);
    return kernel;
  }

  /**
   * Begins a call that reads the state after all message bytes so far, which is in STATE until `end`. Unless the call
   * is the last one, that state replaces the pending bytes if they are many.
   */
  begin(isLast = false): Kernel {
    const { kernel } = this.#algorithm.module;
    if (this.pending > 0 && kernel.owner !== this) this.#enter(kernel);
    this.#beginWithState(kernel);
    const { pending } = this;
    if (pending > 0) {
      kernel.input.update(pending);
      if (pending > KEEP && !isLast) {
        this.#store(this.#copyState(kernel), 0);
        kernel.releaseInput();
      }
    }
    return kernel;
  }

  /** Ends such a call, and zeroes `length` bytes of output. */
  end(kernel: Kernel, length: number): void {
    kernel.wipeState();
    kernel.wipeOutput(length);
    kernel.end();
  }

  /** Returns an independent state with the same message so far, and parameters of its own. */
  clone(): HasherState {
    const { kernel } = this.#algorithm.module;
    if (kernel.owner === this) this.spill(kernel);
    const { parameters } = this;
    const own = parameters.secret ? { ...parameters, bytes: pooledCopy(parameters.bytes) } : parameters;
    const state = this.#fresh ? undefined : pooledCopy(this.#state as Uint8Array);
    const clone = new (this.constructor as typeof HasherState)(this.#algorithm, own, state);
    if (this.pending > 0) {
      clone.#own = pooledCopy(this.#own as Uint8Array);
      clone.pending = this.pending;
    }
    return clone;
  }

  /** Returns the number of message bytes so far. */
  count(): bigint {
    return BigInt(this.pending) + (this.#fresh ? 0n : countIn(this.#state as Uint8Array));
  }

  /** Wipes the message, and returns to its start. */
  clear(): void {
    this.#fresh = true;
    this.pending = 0;
    const kernel = this.#algorithm.module.current;
    if (kernel?.owner === this) kernel.releaseInput();
    this.#state?.fill(0);
    this.#spare?.fill(0);
    this.#own?.fill(0);
  }

  spill(kernel: Kernel): void {
    if (this.pending > KEEP) this.#hashPending(kernel);
    this.copyOut(kernel);
  }

  copyOut(kernel: Kernel): void {
    if (this.pending > 0) this.#keep(kernel.input.first(this.pending));
  }

  /** Copies pending bytes from INPUT. */
  #keep(bytes: Uint8Array): void {
    let own = this.#own;
    if (own === undefined || own.length < bytes.length || own.length > GROUP) {
      own?.fill(0);
      own = pooledSecret(bytes.length);
      this.#own = own;
    }
    own.set(bytes);
  }

  /** Moves the pending bytes to INPUT. */
  #enter(kernel: Kernel): void {
    kernel.evict();
    if (this.pending > 0) {
      const own = this.#own as Uint8Array;
      kernel.busy = true;
      kernel.input.mark(own.length);
      kernel.input.bytes.set(own);
    }
    kernel.owner = this;
    kernel.busy = false;
  }

  /** Appends a few bytes to the own array. Returns false, and does nothing, if they are better moved to INPUT. */
  #append(own: Uint8Array<ArrayBuffer>, bytes: Exclude<Message, string>, length: number): boolean {
    const end = this.pending + length;
    if (end > KEEP) return false;
    let target = own;
    if (end > own.length) {
      // Four times as long as needed, so that few are made.
      target = pooledSecret(Math.min(KEEP, 4 * Math.max(end, 64)));
      target.set(own);
      this.#own = target;
      own.fill(0);
    }
    copyBytes(target, this.pending, bytes, length);
    this.pending = end;
    return true;
  }

  /** Begins a call that has the digest of a short message, all of which is pending. */
  #hashShort(length: number): Kernel {
    const { kernel } = this.#algorithm.module;
    const { pending } = this;
    if (kernel.owner === this) this.copyOut(kernel);
    else this.#enter(kernel);
    kernel.owner = undefined;
    kernel.busy = true;
    kernel.load(this.parameters.bytes, this.parameters.secret);
    kernel.hash(pending, length);
    kernel.input.wipeWritten(pending);
    return kernel;
  }

  /** Appends what does not fit into INPUT after the pending bytes. */
  #updateLong(kernel: Kernel, message: Message, units: number): void {
    this.#makeRoom(kernel);
    const end = kernel.input.write(message, units, this.pending);
    if (end >= 0) {
      this.pending = end;
      return;
    }
    // From here on the pending bytes are those in the own array, where `#makeRoom` has copied them.
    kernel.owner = undefined;
    this.#beginWithState(kernel);
    this.#endWithState(kernel, kernel.input.writeAll(message, units, this.pending));
    kernel.owner = this;
  }

  /** Hashes whole groups of the pending bytes, which are in INPUT, and copies the rest to the own array. */
  #makeRoom(kernel: Kernel): void {
    const { pending } = this;
    const whole = pending - (pending % GROUP);
    if (whole < pending) this.#keep(kernel.input.bytes.subarray(whole, pending));
    if (whole === 0) return;
    this.#hashPending(kernel, whole);
    if (kernel.owner !== this) this.#enter(kernel);
  }

  /** Hashes the first `length` of the pending bytes, which are in INPUT. */
  #hashPending(kernel: Kernel, length = this.pending): void {
    if (length === 0) return;
    this.#beginWithState(kernel);
    kernel.input.update(length);
    this.#endWithState(kernel, this.pending - length);
    kernel.owner = this.pending > 0 ? undefined : this;
  }

  /** Begins a call with the state in STATE. */
  #beginWithState(kernel: Kernel): void {
    kernel.busy = true;
    if (this.#fresh) {
      kernel.load(this.parameters.bytes, this.parameters.secret);
      kernel.exports.init(STATE);
    } else {
      kernel.state.bytes.set(this.#state as Uint8Array);
    }
  }

  /** Ends a call, and stores its state as the next one, after which `pending` bytes follow. */
  #endWithState(kernel: Kernel, pending: number): void {
    const state = this.#copyState(kernel);
    kernel.wipeState();
    kernel.end();
    this.#store(state, pending);
  }

  /** Returns a copy of the state in the kernel, in the spare array. */
  #copyState(kernel: Kernel): Uint8Array<ArrayBuffer> {
    const size = stateSizeOf(kernel.state);
    if (this.#spare === undefined || this.#spare.length < size) {
      this.#spare?.fill(0);
      this.#spare = pooledSecret(size);
    }
    this.#spare.set(kernel.state.first(this.#spare.length));
    return this.#spare;
  }

  /** Stores the state before `pending` bytes. Nothing can interrupt a call between these assignments. */
  #store(state: Uint8Array<ArrayBuffer>, pending: number): void {
    this.#spare = this.#state;
    this.#state = state;
    this.#fresh = false;
    this.pending = pending;
  }
}
