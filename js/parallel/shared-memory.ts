// A pool's memory, with an area for each of its workers and one for the calling thread. It holds keys, so no code of a
// caller gets a view of it.
import { readGlobal } from "../input/globals.js";
import { FIRST_AREA, PAGE } from "../tree/kernel.js";
import { AREA_SIZE, CALLING_SIZE } from "./part-kernel.js";

export class SharedMemory {
  readonly memory: WebAssembly.Memory;
  /** The address of the calling thread's area. */
  readonly callingArea: number;
  /** The addresses of the areas that no worker has. */
  readonly #free: number[];

  private constructor(memory: WebAssembly.Memory, workers: number) {
    this.memory = memory;
    this.callingArea = FIRST_AREA + workers * AREA_SIZE;
    this.#free = Array.from({ length: workers }, (_, i) => FIRST_AREA + i * AREA_SIZE);
  }

  /** Returns undefined if memory cannot be shared with workers, or there is too little. */
  static create(workers: number): SharedMemory | undefined {
    if (!readGlobal(() => SharedArrayBuffer) || readGlobal(() => crossOriginIsolated) === false) return undefined;
    const pages = (FIRST_AREA + workers * AREA_SIZE + CALLING_SIZE) / PAGE;
    try {
      return new SharedMemory(new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }), workers);
    } catch {
      return undefined;
    }
  }

  /** Returns the address of an area of zeros; undefined if workers have them all. */
  takeArea(): number | undefined {
    return this.#free.pop();
  }

  /** Wipes an area, which another worker may have then. */
  releaseArea(area: number): void {
    // In 8-byte words: filling a Uint8Array over shared memory writes single bytes.
    new BigUint64Array(this.memory.buffer, area, AREA_SIZE / 8).fill(0n);
    this.#free.push(area);
  }

  view(start: number, length: number): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(this.memory.buffer as unknown as SharedArrayBuffer, start, length);
  }
}
