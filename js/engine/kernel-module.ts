// The two builds of a kernel; the chosen one is compiled at first use.
import { copyOf } from "../input/views.js";
import { type BackendListener, backendListeners } from "./backend.js";
import { type Builds, type Compiled, load } from "./compile.js";
import { Kernel } from "./kernel.js";

/** An algorithm's name, for errors, and its kernel. */
export interface AlgorithmKernel {
  readonly name: string;
  readonly module: KernelModule;
}

export class KernelModule implements BackendListener {
  #current: Kernel | undefined;
  #compiled: Compiled | undefined;
  /** Replaced kernels whose memory has not been zeroed yet. */
  readonly #replaced: Kernel[] = [];
  readonly #builds: Builds;

  constructor(builds: Builds) {
    this.#builds = builds;
  }

  /** The kernel to compute with, which is never one that an interrupted call left busy. */
  get kernel(): Kernel {
    const kernel = this.#current;
    return kernel !== undefined && !kernel.busy ? kernel : this.#replace();
  }

  /** The kernel of the last call, even if that has not ended. */
  get current(): Kernel | undefined {
    return this.#current;
  }

  /** Begins a call that no hasher's state takes part in. Read all options first: a getter runs user code, which may hash. */
  begin(): Kernel {
    const { kernel } = this;
    kernel.busy = true;
    kernel.flushForOthers();
    return kernel;
  }

  /** Ends a call that has only written parameters: returns a copy of their first `length` bytes. */
  takeParameters(length: number): Uint8Array<ArrayBuffer> {
    const kernel = this.#current as Kernel;
    const bytes = copyOf(kernel.parameters.bytes.subarray(0, length));
    kernel.end();
    return bytes;
  }

  /** For `finally`: zeroes the parameters of a call or, if an exception has ended it, all memory of its kernel. */
  finish(): void {
    const kernel = this.#current;
    if (kernel?.busy) this.#replace();
    else kernel?.end();
  }

  // The stack may still be nearly exhausted, so any step may throw: each must leave everything consistent.
  #replace(): Kernel {
    const before = this.#current;
    backendListeners.add(this);
    const kernel = new Kernel(this.#compile());
    if (before) {
      this.#replaced.push(kernel, before);
      kernel.takeOverState(before);
      kernel.busy = true;
    }
    this.#current = kernel;
    for (const other of this.#replaced) if (other !== kernel) other.wipe();
    this.#replaced.length = 0;
    kernel.busy = false;
    return kernel;
  }

  #compile(): Compiled {
    this.#compiled ??= load(this.#builds);
    return this.#compiled;
  }

  /** Saves the state in the kernel and drops it; the next call loads the build chosen by then. */
  backendChanged(): void {
    this.begin().saveState();
    this.#current = undefined;
    this.#compiled = undefined;
  }
}
