// The kernel that computes subtrees in any memory, exported by wasm/blake3/blake3-subtrees.c.

import type { SubtreeExports } from "../subtrees/subtree-module.js";
import { type Part, subtreesOf } from "./parts.js";
import { MAX_PART, PARAMETERS_SIZE, PIECE, parametersAt, STACK_SIZE, slotAt, VALUES } from "./worker-memory.js";

const CHUNK = 1024;
const VALUE = 32;
// The values of the last piece's chunks follow those of the pieces before it.
const VALUES_SIZE = (PIECE / CHUNK + MAX_PART / PIECE) * VALUE;

/** Fills `target` with a part's bytes, starting at offset `from`. */
export type Fill = (target: Uint8Array, from: number) => void;

/** Returns a function that copies them from an array. */
export function filler(bytes: Uint8Array): Fill {
  return (target, from) => {
    requireLeft(bytes, from + target.length);
    target.set(bytes.subarray(from, from + target.length));
  };
}

/** @throws TypeError if bytes are no longer there: their owner can shrink or detach the buffer until they are copied */
export function requireLeft(bytes: Uint8Array, length: number): void {
  if (bytes.length >= length) return;
  throw new TypeError(`Blake3Pool.hash: source must keep its ${length} bytes while it is hashed, got ${bytes.length}`);
}

/** A part to hash, and its slot. */
export interface SlottedPart extends Part {
  readonly slot: number;
  /** Key and flags, wiped once they are copied to the slot; undefined if they are already there. */
  readonly parameters: Uint8Array | undefined;
}

/** Makes a part's bytes, starting at offset `from`, available in the memory, and returns their address. */
type Fetch = (from: number, length: number) => number;

/** The memory that a call must wipe: its message bytes, and the parameters in its slot. */
interface Call {
  readonly slot: number;
  readonly address: number;
  readonly length: number;
}

/**
 * A kernel instance that uses only one area of a memory that others may share. After an exception or a termination the
 * instance is never called again, because its C stack pointer is lost; a new instance replaces it.
 */
export class SubtreeKernel {
  readonly #module: WebAssembly.Module;
  readonly #memory: WebAssembly.Memory;
  readonly #area: number;
  #exports: SubtreeExports;
  /** The call in progress. If it is still set when the next call begins, the earlier call did not complete. */
  #call: Call | undefined;

  constructor(module: WebAssembly.Module, memory: WebAssembly.Memory, area: number) {
    this.#module = module;
    this.#memory = memory;
    this.#area = area;
    this.#exports = this.#instantiate();
  }

  #instantiate(): SubtreeExports {
    const { exports } = new WebAssembly.Instance(this.#module, { env: { memory: this.#memory } });
    (exports as unknown as SubtreeExports).stackRestore(this.#area + STACK_SIZE);
    return exports as unknown as SubtreeExports;
  }

  /** Returns the chaining values of the part's subtrees. The bytes are already in the memory, and are wiped. */
  hashOnce(address: number, part: SlottedPart): Uint8Array {
    return this.#hash(part, { slot: part.slot, address, length: part.length }, (from) => address + from);
  }

  /** Like `hashOnce`, for bytes in the part's slot. */
  hashSlot(part: SlottedPart): Uint8Array {
    return this.hashOnce(slotAt(this.#area, part.slot), part);
  }

  /** Like `hashOnce`, for bytes that are copied in piece by piece. */
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
    // Not cleared in a `finally`, which could fail as the call did, and which a termination does not run.
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

  /** Wipes the memory of a call that did not complete, and replaces its instance. */
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
      // Out of memory or stack; the next call tries again.
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

  /** Returns the values of groups, none of which is larger than a piece. */
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

  /** Computes the subtree's chaining value and stores it as the first of the values. */
  #hashSubtree({ slot, at: start }: SlottedPart, { at, length }: Part, fetch: Fetch): void {
    const parameters = parametersAt(this.#area, slot);
    // Not in one call, which would run to its end in the engine's unoptimised code.
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

  /** Wipes the key, the call's own copy of the message, and all intermediate results. */
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
