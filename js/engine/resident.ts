// One hasher's state: in a kernel's memory while it is the tenant there, in its own bytes while another is. A hasher
// that is used alone never moves. Nothing here knows which algorithm it is.
import { type Kernel, type KernelModule, STATE } from "./kernel.js";
import { readHead } from "./saved-state.js";

/** What `init` reads, and how long the digest is. */
export interface Parameters {
  readonly bytes: Uint8Array;
  /** In bytes. */
  readonly digestLength: number;
  /** Whether the bytes hold a key, so that they are wiped when they are done with. */
  readonly secret: boolean;
}

export class Resident {
  readonly #module: KernelModule;
  readonly #parameters: Parameters;
  /** The state while another hasher is the tenant; none before the first use and while it is in memory. */
  #saved: Uint8Array<ArrayBuffer> | undefined;

  constructor(module: KernelModule, parameters: Parameters, saved?: Uint8Array<ArrayBuffer>) {
    this.#module = module;
    this.#parameters = parameters;
    this.#saved = saved;
  }

  /** Makes this the tenant: the one before moves out, this one's state moves in. */
  enter(): Kernel {
    const kernel = this.#module.current ?? this.#module.load();
    if (kernel.tenant === this) return kernel;
    kernel.tenant?.leave(kernel);
    if (this.#saved) kernel.memory.set(this.#saved, STATE);
    else this.#start(kernel);
    this.#saved = undefined;
    kernel.tenant = this;
    return kernel;
  }

  /** Moves out: a kernel's tenant copies its state to its own bytes and leaves nothing behind. */
  leave(kernel: Kernel): void {
    kernel.settle();
    this.#saved = kernel.copyState(STATE);
    this.#vacate(kernel);
  }

  #vacate(kernel: Kernel): void {
    kernel.gathered = 0;
    kernel.wipeState(STATE);
    kernel.wipeInput();
    kernel.wipeOutput(this.#parameters.digestLength);
    kernel.tenant = undefined;
  }

  #start(kernel: Kernel): void {
    kernel.load(this.#parameters.bytes);
    kernel.exports.init(STATE);
    if (this.#parameters.secret) kernel.unload();
  }

  absorb(message: Uint8Array | string): void {
    const kernel = this.enter();
    kernel.gathered = kernel.pour(message, kernel.gathered, STATE);
  }

  /** The state with all bytes absorbed, as a copy. */
  snapshot(): Uint8Array<ArrayBuffer> {
    const kernel = this.enter();
    kernel.settle();
    return kernel.copyState(STATE);
  }

  /** Message bytes so far. */
  count(): bigint {
    const kernel = this.enter();
    return readHead(kernel.memory.subarray(STATE)).count + BigInt(kernel.gathered);
  }

  /** Forgets the message and wipes what there is of it. */
  wipe(): void {
    const kernel = this.#module.current;
    if (kernel?.tenant === this) this.#vacate(kernel);
    this.#saved?.fill(0);
    this.#saved = undefined;
  }
}
