// One hasher's state: in kernel memory while it is resident there, in its own bytes while another hasher's is. A hasher
// that is used alone never moves. Nothing here knows which algorithm it is.
import type { Kernel, Occupant, Parameters } from "./kernel.js";
import type { KernelModule } from "./kernel-module.js";
import { readHead, STATE } from "./memory.js";

/** Whose state it is. */
interface Owner {
  readonly name: string;
  readonly module: KernelModule;
}

/** Stands for a state that no message has reached yet. */
const FRESH = /* @__PURE__ */ new Uint8Array();

export class Resident implements Occupant {
  readonly parameters: Parameters;
  readonly #owner: Owner;
  /** The state, unless it is in the kernel. If it is in neither, it was lost there. */
  #saved: Uint8Array | undefined;

  constructor(owner: Owner, parameters: Parameters, saved: Uint8Array = FRESH) {
    this.#owner = owner;
    this.parameters = parameters;
    this.#saved = saved;
  }

  /**
   * Moves the state into the kernel, if it is not there.
   *
   * @throws Error if a call of this hasher's was interrupted while it computed
   */
  enter(): Kernel {
    const { kernel } = this.#owner.module;
    if (!kernel.hosts(this)) this.#moveIn(kernel);
    return kernel;
  }

  /** The same, and opens the kernel. */
  open(): Kernel {
    const kernel = this.enter();
    kernel.busy = true;
    return kernel;
  }

  #moveIn(kernel: Kernel): void {
    if (!this.#saved) throw this.#lost();
    kernel.busy = true;
    kernel.admit(this, this.#saved);
    this.#saved = undefined;
    kernel.close();
  }

  #lost(): Error {
    const advice = "reset it, or create another";
    return new Error(
      `${this.#owner.name}: the hasher must have a state, got one that lost it in an interrupted call: ${advice}`,
    );
  }

  /** Another kernel has taken the state over, whatever an interrupted call has kept or forgotten of it. */
  adopted(): void {
    this.#saved = undefined;
  }

  /** Keeps the state, which leaves the kernel. */
  keep(state: Uint8Array): void {
    this.#saved = state;
  }

  absorb(message: Uint8Array | string, units: number): void {
    const kernel = this.enter();
    if (kernel.gather(message, units)) return;
    kernel.busy = true;
    kernel.append(message, units);
    kernel.close();
  }

  /** The state after all bytes of the message, as a copy. */
  snapshot(): Uint8Array<ArrayBuffer> {
    const kernel = this.open();
    kernel.flush();
    const state = kernel.copyState();
    kernel.close();
    return state;
  }

  /** Message bytes so far. */
  count(): bigint {
    const kernel = this.enter();
    return readHead(kernel.state.bytes).count + BigInt(kernel.pending);
  }

  /** What the output is read from. */
  root(): Uint8Array<ArrayBuffer> {
    const kernel = this.open();
    kernel.flush();
    const root = kernel.takeRoot(STATE);
    kernel.close();
    return root;
  }

  /** Forgets the message and wipes what there is of it. */
  wipe(): void {
    const kernel = this.#owner.module.hostOf(this);
    const saved = this.#saved;
    this.#saved = FRESH;
    if (kernel) {
      // A kernel that a call has left open stays so.
      const { busy } = kernel;
      kernel.busy = true;
      kernel.vacate(this.parameters);
      kernel.busy = busy;
    }
    saved?.fill(0);
  }
}
