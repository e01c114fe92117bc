// The calling thread, where it computes itself: with the kernel that the workers have, so that the engine has optimised it
// for them by the time they start.
import { AREA_SIZE, FIRST_AREA, MAX_SLAB, PAGE } from "./layout.js";
import { filler, SubtreeKernel } from "./subtree-kernel.js";
import type { Ground, Order } from "./thread.js";

const ROOM = FIRST_AREA + AREA_SIZE;

export class Here {
  /** Bytes that are put here are hashed where they lie. */
  readonly room: Uint8Array;
  readonly #kernel: SubtreeKernel;

  constructor({ module, memory }: Ground) {
    const pages = (ROOM + MAX_SLAB) / PAGE;
    const own = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: memory !== undefined });
    this.room = new Uint8Array(own.buffer, ROOM, MAX_SLAB);
    this.#kernel = new SubtreeKernel(module, own, FIRST_AREA);
  }

  /** The slab's chaining value. */
  run({ source, chunk, length, parameters }: Order<Uint8Array>): Uint8Array {
    const slab = { slot: 0, chunk, length };
    this.#kernel.setParameters(0, parameters);
    parameters.fill(0);
    if (source.buffer !== this.room.buffer) return this.#kernel.hashPieces(slab, filler(source));
    try {
      return this.#kernel.hashAt(ROOM, slab);
    } finally {
      this.#kernel.clear(ROOM, length);
    }
  }
}
