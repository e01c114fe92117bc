// The memory map of every kernel, as wasm/memory.h states it, and the head that every state begins with.

export const PARAMETERS = 0x4000;
export const STATE = 0x5000;
export const ONESHOT = 0x6000;
export const ROOT = 0x7000;
export const WORKERS = 0x7100;
export const WORKERS_SIZE = 0x200;
export const ROWS = 0x7f00;
export const JOBS = 0x8000;
export const JOBS_SIZE = 0x1000;
export const OUTPUT = 0xc000;
export const OUTPUT_SIZE = 0x4000;
export const INPUT = 0x10000;
export const INPUT_SIZE = 0x10000;

/** A copy of the resident state while another call makes it take in its pending bytes. Kernels do not use this area. */
export const BACKUP = 0x9000;

/** The most bytes that a state takes. */
export const STATE_SIZE = ONESHOT - STATE;
/** The most bytes that parameters take. A view of the whole area would cost more to wipe. */
export const PARAMETERS_SIZE = 0x100;
export const ROOT_SIZE = WORKERS - ROOT;

/** Bytes of the head that every state begins with. */
export const HEAD_LENGTH = 32;

/** What a state's head says. */
export interface Head {
  /** Bytes of the state in use, the head included. */
  readonly size: number;
  /** Bytes that wait in the block buffer. */
  readonly buffered: number;
  /** Bytes absorbed before the message: a block of key, or none. */
  readonly prefix: number;
  readonly flags: number;
  /** Message bytes absorbed. */
  readonly count: bigint;
}

export function readHead(state: Uint8Array): Head {
  const view = viewOf(state);
  return {
    size: view.getUint32(0, true),
    buffered: view.getUint32(4, true),
    prefix: view.getUint32(8, true),
    flags: view.getUint32(12, true),
    count: (view.getBigUint64(24, true) << 64n) + view.getBigUint64(16, true),
  };
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

// Up to this length in bytes memory is zeroed by a loop, which takes a tenth of the time of `fill` for a few.
const SHORT = 512;

/**
 * One area of a kernel's memory. JavaScript reads and writes kernel memory through areas alone, and the views of an area
 * end where it ends, so no write and no wipe can reach another area.
 */
export class Area {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView<ArrayBuffer>;
  readonly #words: Float64Array<ArrayBuffer>;

  constructor(memory: ArrayBuffer, address: number, size: number) {
    this.bytes = new Uint8Array(memory, address, size);
    this.view = new DataView(memory, address, size);
    this.#words = new Float64Array(memory, address, size / 8);
  }

  /** Zeroes the first `length` bytes, up to the next multiple of 8; the whole area if `length` is greater. */
  wipe(length: number): void {
    if (length > SHORT) {
      this.bytes.fill(0, 0, length);
    } else {
      const words = this.#words;
      for (let i = 0; 8 * i < length; i++) words[i] = 0;
    }
  }
}
