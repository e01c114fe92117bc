// The two builds of a kernel; the chosen one is compiled at first use.
import { type Switchable, switchables } from "./backend.js";
import { type Builds, type Compiled, load } from "./compile.js";
import { Kernel } from "./kernel.js";
import type { Area } from "./memory.js";

export class KernelModule implements Switchable {
  /** The kernel in use, if any. */
  #current: Kernel | undefined;
  #compiled: Compiled | undefined;
  /** Replaced kernels whose memory has not been zeroed yet. */
  readonly #left: Kernel[] = [];
  readonly #builds: Builds;

  constructor(builds: Builds) {
    this.#builds = builds;
  }

  /** The kernel to compute with, which is never one that an interrupted call left open. */
  get kernel(): Kernel {
    const kernel = this.#current;
    return kernel !== undefined && !kernel.busy ? kernel : this.#replace();
  }

  /** Opens the kernel for a call that computes, and returns it. */
  open(): Kernel {
    const { kernel } = this;
    kernel.busy = true;
    return kernel;
  }

  /**
   * Opens the kernel for a call with its own parameters and returns the zeroed memory for them. Read all options first:
   * a getter runs user code, which may hash.
   */
  claim(): Area {
    return this.open().claim();
  }

  /** The kernel that the current call has opened. */
  get opened(): Kernel {
    return this.#current as Kernel;
  }

  /**
   * Cleans up after a call with its own parameters: zeroes them or, if an exception ended the call, replaces its kernel
   * and zeroes the old memory.
   */
  tidy(): void {
    const kernel = this.#current;
    if (kernel?.busy) this.#replace();
    else kernel?.unload();
  }

  /** Returns the kernel if it hosts the hasher, even if an interrupted call left it open. */
  hostOf(hasher: Parameters<Kernel["hosts"]>[0]): Kernel | undefined {
    return this.#current?.hosts(hasher) ? this.#current : undefined;
  }

  // The stack may still be nearly exhausted, so any step may throw: each must leave everything consistent.
  #replace(): Kernel {
    const before = this.#current;
    switchables.add(this);
    const kernel = new Kernel(this.#compile());
    if (before) {
      this.#left.push(kernel, before);
      kernel.adopt(before);
      kernel.busy = true;
    }
    this.#current = kernel;
    for (const left of this.#left) if (left !== kernel) left.wipe();
    this.#left.length = 0;
    kernel.busy = false;
    return kernel;
  }

  #compile(): Compiled {
    this.#compiled ??= load(this.#builds);
    return this.#compiled;
  }

  /** Moves the resident hasher out and drops the kernel; the next call loads the build chosen by then. */
  drop(): void {
    const kernel = this.open();
    kernel.evict();
    this.#current = undefined;
    this.#compiled = undefined;
  }
}
