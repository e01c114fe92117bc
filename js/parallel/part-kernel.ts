// Computes the chaining values of a part's subtrees or groups, in a worker or on the calling thread.
import { CHUNK, groupsIn, VALUE } from "../tree/geometry.js";
import { INPUT_AT, PIECE, TreeKernel } from "../tree/kernel.js";
import { type Part, subtreesOf } from "./parts.js";

/** Jobs that a worker has at a time, so that the next one is ready when one is done. */
export const SLOTS = 2;
/** Bytes in a slot, and so the most that are sent for one job. */
export const SLOT_SIZE = 0x100000;
/** The most bytes that are hashed for one job. */
export const MAX_PART = 0x400000;
/** A worker's area, whose input is divided into slots. */
export const AREA_SIZE = INPUT_AT + SLOTS * SLOT_SIZE;

export const slotAt = (area: number, slot: number): number => area + INPUT_AT + slot * SLOT_SIZE;

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

/** Makes some of a part's bytes available in the memory, and returns their address. */
type Fetch = (from: number, length: number) => number;

/** Each slot has a mode and room for input. What a call uses of them is wiped. */
export class PartKernel extends TreeKernel {
  /** Hashes a part whose bytes are in the memory already. */
  hashOnce(address: number, part: SlottedPart): Uint8Array {
    return this.#hash(part, address, part.length, (from) => address + from);
  }

  /** Hashes a part whose bytes are in its slot. */
  hashSlot(part: SlottedPart): Uint8Array {
    return this.hashOnce(slotAt(this.area, part.slot), part);
  }

  /** Hashes a part whose bytes are copied in piece by piece. */
  hashPieces(part: SlottedPart, fill: Fill): Uint8Array {
    const address = slotAt(this.area, part.slot);
    const fetch = (from: number, length: number): number => {
      fill(this.view(address, length), from);
      return address;
    };
    return this.#hash(part, address, Math.min(PIECE, part.length), fetch);
  }

  #hash(part: SlottedPart, address: number, length: number, fetch: Fetch): Uint8Array {
    const { slot, parameters, group } = part;
    return this.call(() => {
      this.takeInput(address, address + length);
      this.putMode(slot, parameters);
      parameters?.fill(0);
      return group === undefined ? this.#hashSubtrees(part, fetch) : this.#hashGroups(part, group, fetch);
    });
  }

  #hashSubtrees(part: SlottedPart, fetch: Fetch): Uint8Array {
    const subtrees = subtreesOf(part);
    const values = new Uint8Array(subtrees.length * VALUE);
    for (const [i, { at, length }] of subtrees.entries()) {
      this.subtreeAt(part.slot, length, at / CHUNK, (from, size) => fetch(at - part.at + from, size));
      values.set(this.view(this.valueAt(0), VALUE), i * VALUE);
    }
    return values;
  }

  /** Returns the values of groups, none of which is larger than a piece. */
  #hashGroups({ slot, at, length }: SlottedPart, group: number, fetch: Fetch): Uint8Array {
    const values = new Uint8Array(groupsIn(length, group) * VALUE);
    for (let done = 0; done < length; done += PIECE) {
      const piece = Math.min(PIECE, length - done);
      this.groupsAt(slot, fetch(done, piece), piece, group, (at + done) / CHUNK);
      values.set(this.view(this.valueAt(0), groupsIn(piece, group) * VALUE), (done / group) * VALUE);
    }
    return values;
  }
}
