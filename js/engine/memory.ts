// The memory map of every kernel (wasm/memory.h), and the header that every state begins with.

export const PARAMETERS = 0x4000;
export const STATE = 0x5000;
const ONESHOT = 0x6000;
export const ROOT = 0x7000;
export const JOBS = 0x8000;
export const JOBS_SIZE = 0x1000;
/** A byte: 1 or 2, as `vectorLatency` returns it. */
export const VECTOR_LATENCY = 0x9000;
export const OUTPUT = 0xc000;
export const OUTPUT_SIZE = 0x4000;
export const INPUT = 0x10000;
export const INPUT_SIZE = 0x10000;

/** The maximum size of a state. */
export const STATE_SIZE = ONESHOT - STATE;
/** The maximum size of parameters. The whole area would take longer to wipe. */
export const PARAMETERS_SIZE = 0x100;
export const ROOT_SIZE = 0x100;
/** The distance in bytes between the digests of many messages in OUTPUT. */
export const VALUE = 32;

/** The length of the header that every state begins with. */
export const HEAD_LENGTH = 32;

/** Where in it the number of buffered bytes is. */
export const BUFFERED_AT = 4;

/** Where in it the number of bytes before the message is. */
const PREFIX_AT = 8;

/** Where in it the number of message bytes is: 16 bytes, little-endian. */
const COUNT_AT = 16;

/** The header of a state. */
export interface Head {
  /** The size of the state in bytes, including the header. */
  readonly size: number;
  /** The number of bytes in the block buffer. */
  readonly buffered: number;
  /** The number of bytes hashed before the message: one block if there is a key, otherwise 0. */
  readonly prefix: number;
  readonly flags: number;
  /** The number of message bytes so far. */
  readonly count: bigint;
}

/** Reads the header of the state at an offset. */
export function readHead(bytes: Uint8Array, at = 0): Head {
  return {
    size: uint32At(bytes, at),
    buffered: uint32At(bytes, at + BUFFERED_AT),
    prefix: uint32At(bytes, at + PREFIX_AT),
    flags: uint32At(bytes, at + 12),
    count: countIn(bytes, at),
  };
}

/** Returns the number of message bytes of the state at an offset. */
export function countIn(bytes: Uint8Array, at = 0): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at + COUNT_AT);
  return view.getBigUint64(0, true) + (view.getBigUint64(8, true) << 64n);
}

/** Returns the four bytes at an offset as a number. A view takes longer to make. */
export function uint32At(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = at + 3; i >= at; i--) value = 256 * value + (bytes[i] as number);
  return value;
}

// Up to this many bytes are zeroed by a loop, which is much faster than `fill` for a few bytes.
const MOST_LOOPED = 512;

/** Views of up to this many bytes are cached. */
export const SHORT_VIEW = 64;

/**
 * One area of a kernel's memory. JavaScript accesses kernel memory only through areas, and the views of an area end
 * where it ends, so no write can reach a different area.
 */
export class Area {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView<ArrayBuffer>;
  readonly #words: Float64Array<ArrayBuffer>;
  readonly #views = new Array<Uint8Array<ArrayBuffer> | undefined>(SHORT_VIEW + 2);

  constructor(memory: ArrayBuffer, address: number, size: number) {
    this.bytes = new Uint8Array(memory, address, size);
    this.view = new DataView(memory, address, size);
    this.#words = new Float64Array(memory, address, size / 8);
  }

  /**
   * Returns a view of the first `length` bytes, to be copied at once. Short views are cached, and the last long one.
   */
  first(length: number): Uint8Array<ArrayBuffer> {
    const kept = length > SHORT_VIEW ? SHORT_VIEW + 1 : length;
    if (this.#views[kept]?.length !== length) this.#views[kept] = this.bytes.subarray(0, length);
    return this.#views[kept] as Uint8Array<ArrayBuffer>;
  }

  /** Zeroes at least the first `length` bytes, maybe up to 7 more, but never beyond the area. */
  wipe(length: number): void {
    if (length > MOST_LOOPED) {
      this.bytes.fill(0, 0, length);
    } else {
      const words = this.#words;
      for (let i = 0; 8 * i < length; i++) words[i] = 0;
    }
  }
}
