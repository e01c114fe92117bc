// The calling thread, where it computes itself: with the kernel that the workers have, so that the engine has optimised it
// for them by the time they start.

import { SharedMemory } from "./shared-memory.js";
import { filler, SubtreeKernel } from "./subtree-kernel.js";
import { AREA_SIZE, FIRST_AREA, MAX_PART, PAGE } from "./worker-memory.js";
import type { Job, Workspace } from "./worker-thread.js";

const SIZE = AREA_SIZE + MAX_PART;

export class CallingThread {
  /** Bytes that are put here are hashed where they lie. */
  readonly room: Uint8Array;
  readonly #memory: SharedMemory;
  readonly #kernel: SubtreeKernel;
  /** Its bytes in the workers' memory, if they are there. */
  readonly #area: number | undefined;

  constructor({ module, memory }: Workspace) {
    const area = memory?.allocate(SIZE);
    this.#memory = area === undefined ? ownMemory(memory !== undefined) : (memory as SharedMemory);
    this.#area = area;
    const start = area ?? FIRST_AREA;
    this.room = this.#memory.view(start + AREA_SIZE, MAX_PART);
    this.#kernel = new SubtreeKernel(module, this.#memory.memory, start);
  }

  /** The chaining values of the part's subtrees. */
  run({ source, at, length, group, parameters }: Job<Uint8Array>): Uint8Array {
    const part = { slot: 0, at, length, group, parameters };
    const address = this.#memory.addressOf(source);
    if (address === undefined) return this.#kernel.hashPieces(part, filler(source));
    return address === this.room.byteOffset ? this.#kernel.hashOnce(address, part) : this.#kernel.hashAt(address, part);
  }

  /** Gives its memory back, wiped. Nothing may be computed here any more. */
  end(): void {
    if (this.#area !== undefined) this.#memory.release(this.#area, SIZE);
  }
}

/** Where there is none that is shared with workers, or nothing left of it. */
function ownMemory(shared: boolean): SharedMemory {
  const pages = (FIRST_AREA + SIZE) / PAGE;
  return new SharedMemory(new WebAssembly.Memory({ initial: pages, maximum: pages, shared }));
}
