// The calls of a kernel: which one may use its memory, and how a kernel is replaced after an exception.
import type { BackendListener } from "./backend.js";

/** One instance of a kernel, whose memory is scratch. */
export interface Instance {
  /** Whether a call has begun and not ended: it is in progress, or an exception has ended it. */
  busy: boolean;
  /** Prepares for a call, to which all memory belongs, and returns itself. */
  begin(): this;
  /** Ends a call, and zeroes what it must not leave. */
  end(): void;
  /** Zeroes what calls have left in memory. The instance is not used again: an exception may have moved its C stack. */
  retire(): void;
}

/** Returns the error of a call whose memory another call, begun in between, has used. */
export const takenOver = (): Error => new Error("blake-simd: a replaced built-in method must not hash");

/** @throws Error if another call has taken the memory of this one */
export function endCall(instance: Instance): void {
  if (!instance.busy) throw takenOver();
  instance.busy = false;
}

/**
 * The kernel of one module. A call starts with `begin`, computes, wipes what it has written, and finishes with the
 * kernel's `end`. After an exception (stack overflow, a trap, the timeout of a vm), `end` is never called, and the
 * kernel is replaced. No user code runs in between.
 */
export class Lifecycle<K extends Instance> implements BackendListener {
  #current: K | undefined;
  readonly #make: (self: BackendListener) => K;

  /** @param make returns an instance; has `self` listen for another choice of build, if there is a choice */
  constructor(make: (self: BackendListener) => K) {
    this.#make = make;
  }

  /** The kernel to compute with, which is never one that an interrupted call left busy. */
  get kernel(): K {
    const kernel = this.#current;
    return kernel?.busy === false ? kernel : this.#replace();
  }

  /** The kernel of the last call, even if that has not ended. */
  get current(): K | undefined {
    return this.#current;
  }

  /** Begins a call. Read all options first: a getter runs user code, which may hash. */
  begin(): K {
    return this.kernel.begin();
  }

  /** For `finally`: wipes and replaces a kernel that an exception has left busy. */
  finish(): void {
    if (this.#current?.busy) this.#replace();
  }

  /** Makes a call of its own, and returns what `compute` does. */
  run<Result>(compute: (kernel: K) => Result): Result {
    try {
      const kernel = this.begin();
      const result = compute(kernel);
      kernel.end();
      return result;
    } finally {
      this.finish();
    }
  }

  // The stack may still be nearly exhausted, so any step may throw: the kernel before is then still busy, and the next
  // call takes all steps again.
  #replace(): K {
    const kernel = this.#make(this);
    const before = this.#current;
    before?.retire();
    if (before) before.busy = false;
    this.#current = kernel;
    return kernel;
  }

  /** The next call loads the build chosen by then. */
  backendChanged(): void {
    const before = this.#current;
    // If this is interrupted, it is replaced like any that a call has left.
    if (before) before.busy = true;
    before?.retire();
    this.#current = undefined;
  }
}
