// The kernel that computes subtrees in any memory: what wasm/blake3-subtrees.c exports.
import { MAX_SLAB, PARAMETERS_SIZE, PIECE, parametersAt, STACK_SIZE, slotAt, VALUES } from "./layout.js";

interface Exports {
  chunks(parameters: number, input: number, length: number, low: number, high: number, values: number): void;
  merge(parameters: number, values: number, count: number): void;
  clear(start: number, length: number): void;
  stackRestore(top: number): void;
}

const CHUNK = 1024;
const VALUE = 32;
// The last piece's chunks lie behind the pieces before it.
const VALUES_SIZE = (PIECE / CHUNK + MAX_SLAB / PIECE) * VALUE;

/** Puts the bytes of a slab, from one of them on, into `target`. */
export type Fill = (target: Uint8Array, from: number) => void;

/** Takes them from an array. */
export function filler(bytes: Uint8Array): Fill {
  return (target, from) => target.set(bytes.subarray(from, from + target.length));
}

/** A slab to be hashed: which slot its parameters are in, its place in the message, its length in bytes. */
export interface Slab {
  readonly slot: number;
  readonly chunk: number;
  readonly length: number;
}

/** An instance that keeps to one area of a memory that others may use too. */
export class SubtreeKernel {
  readonly #exports: Exports;
  readonly #memory: WebAssembly.Memory;
  readonly #area: number;

  constructor(module: WebAssembly.Module, memory: WebAssembly.Memory, area: number) {
    this.#exports = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Exports;
    this.#exports.stackRestore(area + STACK_SIZE);
    this.#memory = memory;
    this.#area = area;
  }

  setParameters(slot: number, parameters: Uint8Array): void {
    this.#view(parametersAt(this.#area, slot), parameters.length).set(parameters);
  }

  /** The chaining value of bytes where they lie in the memory. */
  hashAt(address: number, slab: Slab): Uint8Array {
    try {
      // One call for the whole slab would run all of it in the code that the engine had at the beginning.
      for (let at = 0; at < slab.length; at += PIECE) this.#hashPiece(slab, at, address + at);
      return this.#finish(slab);
    } finally {
      this.#wipe(slab);
    }
  }

  /** The chaining value of bytes that have been put into the slot. */
  hashSlot(slab: Slab): Uint8Array {
    const address = slotAt(this.#area, slab.slot);
    try {
      return this.hashAt(address, slab);
    } finally {
      this.clear(address, slab.length);
    }
  }

  /** The chaining value of bytes that come piece by piece. */
  hashPieces(slab: Slab, fill: Fill): Uint8Array {
    const address = slotAt(this.#area, slab.slot);
    try {
      for (let at = 0; at < slab.length; at += PIECE) {
        fill(this.#view(address, pieceLength(slab, at)), at);
        this.#hashPiece(slab, at, address);
      }
      return this.#finish(slab);
    } finally {
      this.#wipe(slab);
      this.clear(address, pieceLength(slab, 0));
    }
  }

  #hashPiece(slab: Slab, at: number, address: number): void {
    const chunk = slab.chunk + at / CHUNK;
    const length = pieceLength(slab, at);
    const values = this.#area + VALUES + (at / PIECE) * VALUE;
    const parameters = parametersAt(this.#area, slab.slot);
    this.#exports.chunks(parameters, address, length, chunk, Math.floor(chunk / 2 ** 32), values);
    this.#exports.merge(parameters, values, Math.ceil(length / CHUNK));
  }

  #finish({ slot, length }: Slab): Uint8Array {
    this.#exports.merge(parametersAt(this.#area, slot), this.#area + VALUES, Math.ceil(length / PIECE));
    return this.#view(this.#area + VALUES, VALUE).slice();
  }

  clear(address: number, length: number): void {
    this.#exports.clear(address, length);
  }

  /** Leaves no key and nothing that has been computed behind. */
  #wipe({ slot }: Slab): void {
    const { clear } = this.#exports;
    clear(parametersAt(this.#area, slot), PARAMETERS_SIZE);
    clear(this.#area + VALUES, VALUES_SIZE);
    clear(this.#area, STACK_SIZE);
  }

  #view(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, length);
  }
}

const pieceLength = (slab: Slab, at: number): number => Math.min(PIECE, slab.length - at);
