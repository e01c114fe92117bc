// The kernel that computes subtrees in any memory: what wasm/blake3/blake3-subtrees.c exports.

import { type Part, subtreesOf } from "./parts.js";
import { MAX_PART, PARAMETERS_SIZE, PIECE, parametersAt, STACK_SIZE, slotAt, VALUES } from "./worker-memory.js";

interface Exports {
  chunks(parameters: number, input: number, length: number, low: number, high: number, values: number): void;
  groups(
    parameters: number,
    input: number,
    length: number,
    per: number,
    low: number,
    high: number,
    values: number,
  ): void;
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

/** What is to be hashed, and which slot is its own. */
export interface SlottedPart extends Part {
  readonly slot: number;
  /** Key and flags; undefined where they are in the slot's place already. They are wiped when they have been put there. */
  readonly parameters: Uint8Array | undefined;
}

/** Has bytes of a part in the memory, from one of them on, and answers their address. */
type Fetch = (from: number, length: number) => number;

/** A call's own bytes in the memory: those of the message there, and the parameters of its slot. */
interface Call {
  readonly slot: number;
  readonly address: number;
  readonly length: number;
}

/**
 * An instance that keeps to one area of a memory that others may use too. One that an exception has left, or that was
 * terminated, is never called again, because its C stack pointer is lost: another instance takes its place.
 */
export class SubtreeKernel {
  readonly #module: WebAssembly.Module;
  readonly #memory: WebAssembly.Memory;
  readonly #area: number;
  #exports: Exports;
  /** The call in progress. One that is still here when the next one begins has not come to its end. */
  #call: Call | undefined;

  constructor(module: WebAssembly.Module, memory: WebAssembly.Memory, area: number) {
    this.#module = module;
    this.#memory = memory;
    this.#area = area;
    this.#exports = this.#instantiate();
  }

  #instantiate(): Exports {
    const { exports } = new WebAssembly.Instance(this.#module, { env: { memory: this.#memory } });
    (exports as unknown as Exports).stackRestore(this.#area + STACK_SIZE);
    return exports as unknown as Exports;
  }

  /** The chaining values of the part's subtrees, of bytes that lie in the memory and stay there. */
  hashAt(address: number, part: SlottedPart): Uint8Array {
    return this.#hash(part, { slot: part.slot, address, length: 0 }, (from) => address + from);
  }

  /** The same of bytes that are wiped. */
  hashOnce(address: number, part: SlottedPart): Uint8Array {
    return this.#hash(part, { slot: part.slot, address, length: part.length }, (from) => address + from);
  }

  /** The same of bytes that have been put into the slot. */
  hashSlot(part: SlottedPart): Uint8Array {
    return this.hashOnce(slotAt(this.#area, part.slot), part);
  }

  /** The same of bytes that come piece by piece. */
  hashPieces(part: SlottedPart, fill: Fill): Uint8Array {
    const address = slotAt(this.#area, part.slot);
    const fetch = (from: number, length: number): number => {
      fill(this.#view(address, length), from);
      return address;
    };
    return this.#hash(part, { slot: part.slot, address, length: Math.min(PIECE, part.length) }, fetch);
  }

  #hash(part: SlottedPart, call: Call, fetch: Fetch): Uint8Array {
    this.recover();
    // A `finally` that takes the mark away could fail as its call has; a termination runs none.
    this.#call = call;
    try {
      this.#place(part);
      const { group } = part;
      const values = group === undefined ? this.#hashSubtrees(part, fetch) : this.#hashGroups(part, group, fetch);
      this.#wipe(call);
      this.#call = undefined;
      return values;
    } catch (error) {
      this.#tryToRecover();
      throw error;
    }
  }

  /** Wipes what a call that has not come to its end has left, and replaces the instance that it was in. */
  recover(): void {
    if (!this.#call) return;
    this.#exports = this.#instantiate();
    this.#wipe(this.#call);
    this.#call = undefined;
  }

  #tryToRecover(): void {
    try {
      this.recover();
    } catch {
      // Without memory or stack for it, the next call does it.
    }
  }

  #place({ slot, parameters }: SlottedPart): void {
    if (!parameters) return;
    this.#view(parametersAt(this.#area, slot), parameters.length).set(parameters);
    parameters.fill(0);
  }

  #hashSubtrees(part: SlottedPart, fetch: Fetch): Uint8Array {
    const subtrees = subtreesOf(part);
    const values = new Uint8Array(subtrees.length * VALUE);
    for (const [i, subtree] of subtrees.entries()) {
      this.#hashSubtree(part, subtree, fetch);
      values.set(this.#view(this.#area + VALUES, VALUE), i * VALUE);
    }
    return values;
  }

  /** The values of groups, none of which is larger than a piece. */
  #hashGroups({ slot, at, length }: SlottedPart, group: number, fetch: Fetch): Uint8Array {
    const values = new Uint8Array(Math.ceil(length / group) * VALUE);
    for (let done = 0; done < length; done += PIECE) {
      const piece = Math.min(PIECE, length - done);
      const chunk = (at + done) / CHUNK;
      const high = Math.floor(chunk / 2 ** 32);
      const address = fetch(done, piece);
      const out = this.#area + VALUES;
      this.#exports.groups(parametersAt(this.#area, slot), address, piece, group / CHUNK, chunk, high, out);
      values.set(this.#view(out, Math.ceil(piece / group) * VALUE), (done / group) * VALUE);
    }
    return values;
  }

  /** Leaves the subtree's chaining value as the first one. */
  #hashSubtree({ slot, at: start }: SlottedPart, { at, length }: Part, fetch: Fetch): void {
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

  /** Leaves no key, nothing of the message that was the call's own, and nothing that has been computed. */
  #wipe({ slot, address, length }: Call): void {
    const { clear } = this.#exports;
    clear(parametersAt(this.#area, slot), PARAMETERS_SIZE);
    clear(address, length);
    clear(this.#area + VALUES, VALUES_SIZE);
    clear(this.#area, STACK_SIZE);
  }

  #view(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, length);
  }
}
