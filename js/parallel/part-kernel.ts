// Computes the chaining values of a part's groups, in a worker or on the calling thread.
import { CHUNK, groupsIn, VALUE } from "../tree/geometry.js";
import { INPUT_AT, PIECE, TreeKernel } from "../tree/kernel.js";
import type { JobMessage } from "./messages.js";

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

export const becameShorter = (): Error =>
  new Error("Blake3Pool.hash: the file became shorter while it was being hashed");

/** A part and its slot. Its parameters are wiped once they are copied to the slot. */
type SlottedPart = Omit<JobMessage, "place">;

/** Makes some of a part's bytes available in the memory, and returns their address. */
type Fetch = (from: number, length: number) => number;

/** Each slot has a mode and room for input. What a call uses of them is wiped. */
export class PartKernel extends TreeKernel {
  /** Hashes a part whose bytes are in the memory already: in its slot, or at another address. */
  hashInPlace(part: SlottedPart, address = slotAt(this.area, part.slot)): Uint8Array {
    return this.#hash(part, address, part.length, (from) => address + from);
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

  /** Returns the values of groups, none of which is larger than a piece. */
  #hash(part: SlottedPart, address: number, room: number, fetch: Fetch): Uint8Array {
    const { slot, offset, length, group, parameters } = part;
    return this.call(() => {
      this.takeInput(address, address + room);
      this.putMode(slot, parameters);
      parameters?.fill(0);
      const values = new Uint8Array(groupsIn(length, group) * VALUE);
      for (let done = 0; done < length; done += PIECE) {
        const piece = Math.min(PIECE, length - done);
        this.groupsAt(slot, fetch(done, piece), piece, group, (offset + done) / CHUNK);
        values.set(this.view(this.valueAt(0), groupsIn(piece, group) * VALUE), (done / group) * VALUE);
      }
      return values;
    });
  }
}
