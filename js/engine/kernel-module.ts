// A kernel's two builds, of which one is compiled at first use.
import { type Backend, backend, type Switchable, switchables } from "./backend.js";
import { compile, decode } from "./compile.js";
import { Kernel } from "./kernel.js";

export class KernelModule implements Switchable {
  /** The kernel in use, if there is one. */
  #current: Kernel | undefined;
  #compiled: WebAssembly.Module | undefined;
  /** Kernels that are being replaced: they are not used any more, and their memory is still to be zeroed. */
  readonly #left: Kernel[] = [];
  readonly #builds: Record<Backend, string | WebAssembly.Module>;

  constructor(builds: Record<Backend, string | WebAssembly.Module>) {
    this.#builds = builds;
  }

  /** The kernel to compute with: never one that a call has left open. */
  get kernel(): Kernel {
    const kernel = this.#current;
    return kernel !== undefined && !kernel.busy ? kernel : this.#replace();
  }

  /** The kernel, opened for a call that computes. */
  open(): Kernel {
    const { kernel } = this;
    kernel.busy = true;
    return kernel;
  }

  /**
   * Opens the kernel for a call under parameters of its own, and returns their memory, zeroed. All of the call's options
   * have been read by then: reading one may run code of the user's, such as a hash.
   */
  claim(): Uint8Array<ArrayBuffer> {
    return this.open().claim();
  }

  /** The kernel that is open, in the call that has opened it. */
  get opened(): Kernel {
    return this.#current as Kernel;
  }

  /** After a call: if an exception has ended it, its kernel is replaced, and what is left in memory zeroed. */
  tidy(): void {
    if (this.#current?.busy) this.#replace();
  }

  /** The kernel if it hosts a hasher, even if a call has left it open. */
  hostOf(hasher: Parameters<Kernel["hosts"]>[0]): Kernel | undefined {
    return this.#current?.hosts(hasher) ? this.#current : undefined;
  }

  // Each step may be the last one: the stack may still be short. What has been done by then must stand.
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

  #compile(): WebAssembly.Module {
    const build = this.#builds[backend()];
    this.#compiled ??= typeof build === "string" ? compile(decode(build)) : build;
    return this.#compiled;
  }

  /** Moves the resident hasher out and lets the kernel go: the next call loads the build that is chosen then. */
  drop(): void {
    const kernel = this.open();
    kernel.evict();
    this.#current = undefined;
    this.#compiled = undefined;
  }
}
