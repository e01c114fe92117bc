// Computes parts on the calling thread, with the workers' kernel, so that the engine has optimised it by the time that
// they start.

import { FIRST_AREA, PAGE } from "../tree/kernel.js";
import { AREA_SIZE, filler, MAX_PART, PartKernel } from "./part-kernel.js";
import { SharedMemory } from "./shared-memory.js";
import type { Job, Workspace } from "./worker-thread.js";

const SIZE = AREA_SIZE + MAX_PART;

export class CallingThread {
  /** Bytes that are written here are hashed in place. */
  readonly room: Uint8Array;
  readonly #memory: SharedMemory;
  readonly #kernel: PartKernel;
  /** The address of its area in the workers' memory, if it has one there. */
  readonly #area: number | undefined;

  constructor({ module, memory }: Workspace) {
    const area = memory?.allocate(SIZE);
    this.#memory = area === undefined ? ownMemory(memory !== undefined) : (memory as SharedMemory);
    this.#area = area;
    const start = area ?? FIRST_AREA;
    this.room = this.#memory.view(start + AREA_SIZE, MAX_PART);
    this.#kernel = new PartKernel(() => module, this.#memory.memory, start);
  }

  /** Returns the chaining values of the part's groups. */
  run({ source, ...job }: Job<Uint8Array>): Uint8Array {
    const part = { ...job, slot: 0 };
    if (source.buffer !== this.room.buffer) return this.#kernel.hashPieces(part, filler(source));
    return this.#kernel.hashInPlace(part, source.byteOffset);
  }

  /** Wipes and releases its memory. It must not be used after that. */
  end(): void {
    if (this.#area !== undefined) this.#memory.release(this.#area, SIZE);
  }
}

/** Memory for this thread alone, if none is shared with workers or the shared memory is full. */
function ownMemory(shared: boolean): SharedMemory {
  const pages = (FIRST_AREA + SIZE) / PAGE;
  return new SharedMemory(new WebAssembly.Memory({ initial: pages, maximum: pages, shared }));
}
