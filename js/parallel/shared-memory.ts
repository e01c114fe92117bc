// A pool's memory: one for all its workers, in which messages can lie too.
import { FIRST_AREA, PAGE } from "./worker-memory.js";

/** Pages to ask for at most: an engine without room to reserve them all gets a smaller wish. */
const MAXIMA = [0x10000, 0x4000, 0x1000];

// Every piece begins at a multiple of this, a cache line: no two threads write to the same one.
const GRAIN = 64;

/**
 * Memories of closed pools, as long as they have not been collected: an engine that is not pressed for memory may leave
 * them uncollected for long, so the next pools take them first.
 */
let retired: WeakRef<SharedMemory>[] = [];

/** A stretch of addresses. */
interface Piece {
  start: number;
  end: number;
}

export class SharedMemory {
  readonly memory: WebAssembly.Memory;
  /** In the order of their addresses, with something in use between any two. */
  readonly #free: Piece[] = [];
  /** Where what has been in use so far ends. */
  #end = FIRST_AREA;
  /** Each growth makes another buffer over the same bytes. */
  readonly #buffers = new WeakSet<ArrayBufferLike>();

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
  }

  /** Undefined where memory cannot be shared with workers. */
  static create(): SharedMemory | undefined {
    if (typeof SharedArrayBuffer !== "function" || globalThis.crossOriginIsolated === false) return undefined;
    return takeRetired() ?? SharedMemory.#make();
  }

  static #make(): SharedMemory | undefined {
    for (const maximum of MAXIMA) {
      try {
        return new SharedMemory(new WebAssembly.Memory({ initial: FIRST_AREA / PAGE, maximum, shared: true }));
      } catch {
        // The next one is smaller.
      }
    }
    return undefined;
  }

  /** The address of so many bytes, all zero; undefined where there is no room for them. */
  allocate(length: number): number | undefined {
    const size = roundUp(length);
    const piece = this.#free.find(({ start, end }) => end - start >= size);
    if (!piece) return this.#extend(size);
    const { start } = piece;
    piece.start += size;
    if (piece.start === piece.end) this.#free.splice(this.#free.indexOf(piece), 1);
    return start;
  }

  #extend(size: number): number | undefined {
    const start = this.#end;
    const missing = Math.ceil((start + size - this.memory.buffer.byteLength) / PAGE);
    try {
      if (missing > 0) this.memory.grow(missing);
    } catch {
      return undefined;
    }
    this.#end = start + size;
    return start;
  }

  /** Takes bytes back that `allocate` has given, and zeroes them. */
  release(start: number, length: number): void {
    const end = start + roundUp(length);
    // A fill of bytes in shared memory writes them one by one.
    new BigUint64Array(this.memory.buffer, start, (end - start) / 8).fill(0n);
    const at = this.#free.findIndex((piece) => piece.start > start);
    this.#free.splice(at < 0 ? this.#free.length : at, 0, { start, end });
    this.#unite();
  }

  #unite(): void {
    for (let i = this.#free.length - 1; i > 0; i--) {
      const [left, right] = [this.#free[i - 1] as Piece, this.#free[i] as Piece];
      if (left.end !== right.start) continue;
      left.end = right.end;
      this.#free.splice(i, 1);
    }
  }

  /** Leaves the memory to other pools, if nothing in it is in use. Nobody may use it any more. */
  retire(): void {
    const [free] = this.#free;
    const unused = this.#end === FIRST_AREA || (free?.start === FIRST_AREA && free.end === this.#end);
    if (unused) retired.push(new WeakRef(this));
  }

  view(start: number, length: number): Uint8Array<SharedArrayBuffer> {
    const buffer = this.memory.buffer as unknown as SharedArrayBuffer;
    this.#buffers.add(buffer);
    return new Uint8Array(buffer, start, length);
  }

  /** The address of bytes that a view of this memory shows, else undefined. */
  addressOf(bytes: Uint8Array): number | undefined {
    return this.#buffers.has(bytes.buffer) ? bytes.byteOffset : undefined;
  }
}

/** Whole grains, at least one: no two allocations share their address. */
function roundUp(length: number): number {
  return Math.max(1, Math.ceil(length / GRAIN)) * GRAIN;
}

function takeRetired(): SharedMemory | undefined {
  retired = retired.filter((memory) => memory.deref());
  return retired.pop()?.deref();
}
