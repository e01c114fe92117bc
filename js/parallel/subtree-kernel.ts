// The kernel that computes subtrees in any memory: what wasm/blake3/blake3-subtrees.c exports.
import { MAX_PART, PARAMETERS_SIZE, PIECE, parametersAt, STACK_SIZE, slotAt, VALUES } from "./layout.js";
import { type Part, subtreesOf } from "./parts.js";

interface Exports {
  chunks(parameters: number, input: number, length: number, low: number, high: number, values: number): void;
  merge(parameters: number, values: number, count: number): void;
  clear(start: number, length: number): void;
  stackRestore(top: number): void;
}

const CHUNK = 1024;
const VALUE = 32;
// The last piece's chunks lie behind the pieces before it.
const VALUES_SIZE = (PIECE / CHUNK + MAX_PART / PIECE) * VALUE;

/** Puts the bytes of a part, from one of them on, into `target`. */
export type Fill = (target: Uint8Array, from: number) => void;

/** Takes them from an array. */
export function filler(bytes: Uint8Array): Fill {
  return (target, from) => target.set(bytes.subarray(from, from + target.length));
}

/** What is to be hashed, and which slot its parameters are in. */
export interface Slotted extends Part {
  readonly slot: number;
}

/** Has bytes of a part in the memory, from one of them on, and answers their address. */
type Fetch = (from: number, length: number) => number;

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

  /** The chaining values of the part's subtrees, of bytes that lie in the memory. */
  hashAt(address: number, part: Slotted): Uint8Array {
    return this.#hash(part, (from) => address + from);
  }

  /** The same of bytes that have been put into the slot. */
  hashSlot(part: Slotted): Uint8Array {
    const address = slotAt(this.#area, part.slot);
    try {
      return this.hashAt(address, part);
    } finally {
      this.clear(address, part.length);
    }
  }

  /** The same of bytes that come piece by piece. */
  hashPieces(part: Slotted, fill: Fill): Uint8Array {
    const address = slotAt(this.#area, part.slot);
    const fetch = (from: number, length: number): number => {
      fill(this.#view(address, length), from);
      return address;
    };
    try {
      return this.#hash(part, fetch);
    } finally {
      this.clear(address, Math.min(PIECE, part.length));
    }
  }

  #hash(part: Slotted, fetch: Fetch): Uint8Array {
    const subtrees = subtreesOf(part);
    const values = new Uint8Array(subtrees.length * VALUE);
    try {
      for (const [i, subtree] of subtrees.entries()) {
        this.#hashSubtree(part, subtree, fetch);
        values.set(this.#view(this.#area + VALUES, VALUE), i * VALUE);
      }
      return values;
    } finally {
      this.#wipe(part.slot);
    }
  }

  /** Leaves the subtree's chaining value as the first one. */
  #hashSubtree({ slot, at: start }: Slotted, { at, length }: Part, fetch: Fetch): void {
    const parameters = parametersAt(this.#area, slot);
    // One call for all of it would run it in the code that the engine had at the beginning.
    for (let done = 0; done < length; done += PIECE) {
      const piece = Math.min(PIECE, length - done);
      const chunk = (at + done) / CHUNK;
      const values = this.#area + VALUES + (done / PIECE) * VALUE;
      const address = fetch(at + done - start, piece);
      this.#exports.chunks(parameters, address, piece, chunk, Math.floor(chunk / 2 ** 32), values);
      this.#exports.merge(parameters, values, Math.ceil(piece / CHUNK));
    }
    this.#exports.merge(parameters, this.#area + VALUES, Math.ceil(length / PIECE));
  }

  clear(address: number, length: number): void {
    this.#exports.clear(address, length);
  }

  /** Leaves no key and nothing that has been computed behind. */
  #wipe(slot: number): void {
    const { clear } = this.#exports;
    clear(parametersAt(this.#area, slot), PARAMETERS_SIZE);
    clear(this.#area + VALUES, VALUES_SIZE);
    clear(this.#area, STACK_SIZE);
  }

  #view(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, length);
  }
}
