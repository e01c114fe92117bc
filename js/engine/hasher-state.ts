// The state of one hasher, which belongs to it: arrays of its own, from which a kernel computes. A result is stored
// when the call has ended, so that an interrupted call leaves the hasher as it was.
import type { Message } from "../input/bytes.js";
import { copyBytes, pooledCopy, pooledSecret } from "../input/caller-bytes.js";
import { type AlgorithmKernel, type Buffered, type Kernel, type Parameters, stateSizeOf } from "./kernel.js";
import { takenOver } from "./lifecycle.js";
import { countIn, INPUT_SIZE, STATE } from "./memory.js";

/** Up to this many waiting bytes are kept as they are when another call needs INPUT; more are hashed. */
const KEEP = 512;
/** Bytes of up to this length are appended to the hasher's own array, if it has one. */
const MOST_APPENDED = 128;
/** When INPUT is full, a multiple of this many bytes is hashed, so that no lane is idle. */
const GROUP = 4096;

export class HasherState implements Buffered {
  readonly parameters: Parameters;
  /**
   * The number of message bytes that wait to be hashed. They are in INPUT if the kernel has them waiting for this
   * hasher, otherwise in `#own`.
   */
  pending = 0;
  readonly #algorithm: AlgorithmKernel;
  #own: Uint8Array<ArrayBuffer> | undefined;
  /** The state after the bytes before those. It may be longer than the state, and has zeros then. */
  #state: Uint8Array<ArrayBuffer> | undefined;
  /**
   * An array for the next state: stored there while the one before stays, an interrupted call leaves that as it was.
   */
  #spare: Uint8Array<ArrayBuffer> | undefined;
  /** Whether no byte has been hashed, whatever is in `#state`. */
  #fresh: boolean;

  constructor(algorithm: AlgorithmKernel, parameters: Parameters, state?: Uint8Array<ArrayBuffer>) {
    this.#algorithm = algorithm;
    this.parameters = parameters;
    this.#state = state;
    this.#fresh = state === undefined;
  }

  /** Appends to the message. */
  update(message: Message, units: number): void {
    const { kernel } = this.#algorithm.module;
    if (kernel.buffered !== this) {
      const own = this.#own;
      const isShort = units <= MOST_APPENDED && own !== undefined && typeof message !== "string";
      if (isShort && this.#append(own, message, units)) return;
      this.#enter(kernel);
    }
    kernel.input.mark(this.pending + units);
    const end = kernel.input.write(message, units, this.pending);
    if (kernel.buffered !== this) throw takenOver();
    if (end >= 0) this.pending = end;
    else this.#updateLong(kernel, message, units);
  }

  /** Returns INPUT, in which the next few bytes of the message have room after the pending ones. */
  reserve(length: number): DataView {
    const { kernel } = this.#algorithm.module;
    if (kernel.buffered !== this) this.#enter(kernel);
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
   * Begins a call that reads the state after all message bytes so far, which is in STATE until `end`. If it is not the
   * last one, it stores that state instead of many waiting bytes.
   */
  begin(isLast = false): Kernel {
    const { kernel } = this.#algorithm.module;
    if (this.pending > 0 && kernel.buffered !== this) this.#enter(kernel);
    this.#begin(kernel);
    const { pending } = this;
    if (pending > 0) {
      kernel.input.update(pending);
      if (pending > KEEP && !isLast) {
        this.#store(this.#copyState(kernel), 0);
        kernel.forgetBuffered();
      }
    }
    return kernel;
  }

  /** Ends it, and zeroes `length` bytes of output. */
  end(kernel: Kernel, length: number): void {
    kernel.wipeState();
    kernel.wipeOutput(length);
    kernel.end();
  }

  /** Returns an independent state with the same message so far, and parameters of its own. */
  clone(): HasherState {
    const { kernel } = this.#algorithm.module;
    if (kernel.buffered === this) this.spill(kernel);
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
    if (kernel?.buffered === this) kernel.forgetBuffered();
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
    kernel.buffered = this;
    kernel.busy = false;
  }

  /** Appends a few bytes to the own array. Returns false if it is better to move to INPUT. */
  #append(own: Uint8Array<ArrayBuffer>, bytes: Exclude<Message, string>, length: number): boolean {
    const end = this.pending + length;
    if (end > KEEP) return false;
    let target = own;
    if (end > own.length) {
      // Each four times as long as the one before, so that few are made.
      target = pooledSecret(Math.min(KEEP, 4 * Math.max(end, 64)));
      target.set(own);
      this.#own = target;
      own.fill(0);
    }
    copyBytes(target, this.pending, bytes, length);
    this.pending = end;
    return true;
  }

  /** The digest of a short message, all of which waits. */
  #hashShort(length: number): Kernel {
    const { kernel } = this.#algorithm.module;
    const { pending } = this;
    if (kernel.buffered === this) this.copyOut(kernel);
    else this.#enter(kernel);
    kernel.buffered = undefined;
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
    // The pending bytes are in the own array, too.
    kernel.buffered = undefined;
    this.#begin(kernel);
    this.#end(kernel, kernel.input.writeAll(message, units, this.pending));
    kernel.buffered = this;
  }

  /**
   * Hashes the pending bytes, which are in INPUT, but for fewer than GROUP, which are in the own array afterwards, too.
   */
  #makeRoom(kernel: Kernel): void {
    const { pending } = this;
    const whole = pending - (pending % GROUP);
    if (whole < pending) this.#keep(kernel.input.bytes.subarray(whole, pending));
    if (whole === 0) return;
    this.#hashPending(kernel, whole);
    if (kernel.buffered !== this) this.#enter(kernel);
  }

  /** Hashes the first `length` of the pending bytes, which are in INPUT. */
  #hashPending(kernel: Kernel, length = this.pending): void {
    if (length === 0) return;
    this.#begin(kernel);
    kernel.input.update(length);
    this.#end(kernel, this.pending - length);
    kernel.buffered = this.pending > 0 ? undefined : this;
  }

  /** Begins a call that has the state in STATE. */
  #begin(kernel: Kernel): void {
    kernel.busy = true;
    if (this.#fresh) {
      kernel.load(this.parameters.bytes, this.parameters.secret);
      kernel.exports.init(STATE);
    } else {
      kernel.state.bytes.set(this.#state as Uint8Array);
    }
  }

  /** Ends a call whose state is the next one, after which `pending` bytes wait. */
  #end(kernel: Kernel, pending: number): void {
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

  /** Stores the state after which `pending` bytes wait. Nothing can interrupt a call between these assignments. */
  #store(state: Uint8Array<ArrayBuffer>, pending: number): void {
    this.#spare = this.#state;
    this.#state = state;
    this.#fresh = false;
    this.pending = pending;
  }
}
