// The calls of a kernel, and how another takes its place after an exception.
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

/**
 * The kernel of one module. A call starts with `begin`, computes, wipes what it has written, and finishes with the
 * kernel's `end`. An exception (stack overflow, a trap, the timeout of a vm) leaves the kernel busy, and it is dropped.
 * No user code runs in between.
 */
export class Lifecycle<K extends Instance> implements BackendListener {
  #current: K | undefined;
  readonly #make: (self: BackendListener) => K;

  /** @param make returns an instance; has `self` listen for another choice of build, if there is a choice */
  constructor(make: (self: BackendListener) => K) {
    this.#make = make;
  }

  /** The kernel to compute with. */
  get kernel(): K {
    const kernel = this.#current;
    return kernel?.busy === false ? kernel : this.#renew();
  }

  /** The kernel of the last call, even if that has not ended; undefined if it was dropped. */
  get current(): K | undefined {
    return this.#current;
  }

  /** Begins a call. Read all options first: a getter runs user code, which may hash. */
  begin(): K {
    return this.kernel.begin();
  }

  /** For `finally`: drops a kernel that an exception has left busy. */
  finish(): void {
    if (this.#current?.busy) this.drop();
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

  #renew(): K {
    this.drop();
    this.#current = this.#make(this);
    return this.#current;
  }

  /** Wipes the kernel. The next call makes another one, of the build that is chosen then. */
  drop(): void {
    this.#current?.retire();
    this.#current = undefined;
  }
}
