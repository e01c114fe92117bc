// A pool's memory, shared by all its workers. It holds keys, so no code of a caller gets a view of it.
import { readGlobal } from "../input/globals.js";
import { FIRST_AREA, PAGE } from "../tree/kernel.js";

/** Maximum sizes to try, in pages: an engine that cannot reserve the first is asked for the next. */
const MAXIMA = [0x10000, 0x4000, 0x1000];

export class SharedMemory {
  readonly memory: WebAssembly.Memory;
  /** The addresses of what was released, by length: there are two, of a worker and of the calling thread. */
  readonly #free = new Map<number, number[]>();
  /** The end of the memory that has ever been allocated. */
  #end = FIRST_AREA;

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
  }

  /** Returns undefined if memory cannot be shared with workers. */
  static create(): SharedMemory | undefined {
    if (!readGlobal(() => SharedArrayBuffer) || readGlobal(() => crossOriginIsolated) === false) return undefined;
    for (const maximum of MAXIMA) {
      try {
        return new SharedMemory(new WebAssembly.Memory({ initial: FIRST_AREA / PAGE, maximum, shared: true }));
      } catch {
        // Try the next, smaller maximum.
      }
    }
    return undefined;
  }

  /** Returns the address of `length` zero bytes, whole pages, or undefined if there is not enough room. */
  allocate(length: number): number | undefined {
    return this.#free.get(length)?.pop() ?? this.#extend(length);
  }

  #extend(length: number): number | undefined {
    const start = this.#end;
    const missing = (start + length - this.memory.buffer.byteLength) / PAGE;
    try {
      if (missing > 0) this.memory.grow(missing);
    } catch {
      return undefined;
    }
    this.#end = start + length;
    return start;
  }

  /** Zeroes bytes from `allocate` and makes them available again. */
  release(start: number, length: number): void {
    // In 8-byte words: filling a Uint8Array over shared memory writes single bytes.
    new BigUint64Array(this.memory.buffer, start, length / 8).fill(0n);
    this.#free.set(length, [...(this.#free.get(length) ?? []), start]);
  }

  view(start: number, length: number): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(this.memory.buffer as unknown as SharedArrayBuffer, start, length);
  }
}
