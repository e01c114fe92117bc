// The state of one hasher: in kernel memory after its calls, in an array of its own once another hasher has been used. The
// state of a hasher that is the only one in use never moves.
import type { Kernel, Parameters, StateOwner } from "./kernel.js";
import type { AlgorithmKernel } from "./kernel-module.js";
import { countOf } from "./memory.js";

/** Stands for the state before any message byte. */
const FRESH = /* @__PURE__ */ new Uint8Array();

export class HasherState implements StateOwner {
  readonly parameters: Parameters;
  saved: Uint8Array | undefined;
  readonly #algorithm: AlgorithmKernel;

  constructor(algorithm: AlgorithmKernel, parameters: Parameters, saved: Uint8Array = FRESH) {
    this.#algorithm = algorithm;
    this.parameters = parameters;
    this.saved = saved;
  }

  /**
   * Returns the kernel, with this state in it.
   *
   * @throws Error if an interrupted call has lost the state
   */
  load(): Kernel {
    const { kernel } = this.#algorithm.module;
    if (kernel.owner === this) return kernel;
    if (!this.saved) {
      throw new Error(`${this.#algorithm.name}: a hasher that lost its state in an interrupted call must be reset`);
    }
    kernel.loadState(this, this.saved);
    return kernel;
  }

  /** Begins a call that reads the state after all message bytes so far. */
  begin(): Kernel {
    const kernel = this.load();
    kernel.busy = true;
    kernel.flush();
    return kernel;
  }

  /** Returns a copy of the state after all message bytes so far. */
  copy(): Uint8Array<ArrayBuffer> {
    const kernel = this.begin();
    const state = kernel.copyState();
    kernel.end();
    return state;
  }

  /** Returns the number of message bytes so far. */
  count(): bigint {
    const kernel = this.load();
    return countOf(kernel.state.view) + BigInt(kernel.pending);
  }

  /** Wipes the state and returns to the start of a message. */
  clear(): void {
    const kernel = this.#algorithm.module.current;
    const { saved } = this;
    this.saved = FRESH;
    if (kernel?.owner === this) {
      // A kernel that an interrupted call left busy must stay busy.
      const { busy } = kernel;
      kernel.busy = true;
      kernel.clearState(this);
      kernel.busy = busy;
    }
    saved?.fill(0);
  }
}
