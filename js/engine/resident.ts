// The state of one hasher: in kernel memory while the hasher is resident, in an array of its own while a different one
// is. The state of a hasher that is the only one in use never moves.
import type { Message } from "../input/bytes.js";
import type { Kernel, Occupant, Parameters } from "./kernel.js";
import type { KernelModule } from "./kernel-module.js";
import { countOf } from "./memory.js";

/** The algorithm of a state. */
interface Owner {
  readonly name: string;
  readonly module: KernelModule;
}

/** Stands for the state before any message byte. */
const FRESH = /* @__PURE__ */ new Uint8Array();

export class Resident implements Occupant {
  readonly parameters: Parameters;
  saved: Uint8Array | undefined;
  readonly #owner: Owner;

  constructor(owner: Owner, parameters: Parameters, saved: Uint8Array = FRESH) {
    this.#owner = owner;
    this.parameters = parameters;
    this.saved = saved;
  }

  /**
   * Moves the state into the kernel, unless it is there already, and returns the kernel.
   *
   * @throws Error if an interrupted call has lost the state
   */
  enter(): Kernel {
    const { kernel } = this.#owner.module;
    if (!kernel.hosts(this)) this.#moveIn(kernel);
    return kernel;
  }

  /** Like `enter`, and opens the kernel. */
  open(): Kernel {
    const kernel = this.enter();
    kernel.busy = true;
    return kernel;
  }

  #moveIn(kernel: Kernel): void {
    if (!this.saved) {
      throw new Error(`${this.#owner.name}: a hasher that lost its state in an interrupted call must be reset`);
    }
    kernel.busy = true;
    kernel.admit(this, this.saved);
    // May hold a key, like all states.
    this.saved.fill(0);
    this.saved = undefined;
    kernel.close();
  }

  absorb(message: Message, units: number): void {
    const kernel = this.enter();
    if (kernel.gather(message, units)) return;
    kernel.busy = true;
    kernel.append(message, units);
    kernel.close();
  }

  /** Returns a copy of the state after all message bytes so far. */
  snapshot(): Uint8Array<ArrayBuffer> {
    const kernel = this.open();
    kernel.flush();
    const state = kernel.copyState();
    kernel.close();
    return state;
  }

  /** Returns the number of message bytes so far. */
  count(): bigint {
    const kernel = this.enter();
    return countOf(kernel.state.view) + BigInt(kernel.pending);
  }

  /** Wipes the state and returns to the start of a message. */
  wipe(): void {
    const kernel = this.#owner.module.hostOf(this);
    const saved = this.saved;
    this.saved = FRESH;
    if (kernel) {
      // A kernel that an interrupted call left open must stay open.
      const { busy } = kernel;
      kernel.busy = true;
      kernel.vacate(this.parameters);
      kernel.busy = busy;
    }
    saved?.fill(0);
  }
}
