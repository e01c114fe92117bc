// One kernel instance for all calls of a module.
import { type Backend, backend } from "../engine/backend.js";

/** An instance with memory of its own. */
export interface OwnKernel {
  readonly backend: Backend;
  /** Zeroes what calls have left in its memory. */
  wipe(): void;
}

/** Makes an instance at first use, and again after the backend has changed or a call has thrown. */
export class SharedKernel<K extends OwnKernel> {
  readonly #make: () => K;
  #current: K | undefined;

  constructor(make: () => K) {
    this.#make = make;
  }

  /** Makes the instance, so that the first call does not have to. */
  prepare(): void {
    this.#current = this.#ready();
  }

  #ready(): K {
    return this.#current?.backend === backend() ? this.#current : this.#make();
  }

  /** Computes with the instance. If that throws, its stack pointer is unknown: it is wiped and not used again. */
  use<T>(work: (kernel: K) => T): T {
    const kernel = this.#ready();
    this.#current = undefined;
    try {
      const result = work(kernel);
      this.#current = kernel;
      return result;
    } finally {
      if (this.#current !== kernel) kernel.wipe();
    }
  }

  wipe(): void {
    this.#current?.wipe();
  }
}
