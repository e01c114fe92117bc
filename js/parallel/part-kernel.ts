// Computes the chaining values of a part's groups, in a worker or on the calling thread.
import { Lifecycle } from "../engine/lifecycle.js";
import { CHUNK, groupsIn, VALUE } from "../tree/geometry.js";
import { INPUT_AT, PIECE, TreeKernel } from "../tree/kernel.js";
import { CALL, type PartMessage } from "./messages.js";

/** Jobs that a worker has at a time, so that the next one is ready when one is done. */
export const SLOTS = 2;
/** Bytes in a slot, and so the most that are sent for one job. */
export const SLOT_SIZE = 0x100000;
/** The most bytes that are hashed for one job. */
export const MAX_PART = 0x400000;
/** A worker's area, whose input is divided into slots. */
export const AREA_SIZE = INPUT_AT + SLOTS * SLOT_SIZE;
/** The calling thread's, which also has room for one part. */
export const CALLING_SIZE = AREA_SIZE + MAX_PART;

export const slotAt = (area: number, slot: number): number => area + INPUT_AT + slot * SLOT_SIZE;

/** Fills `target` with a part's bytes, starting at offset `from`. */
export type Fill = (target: Uint8Array, from: number) => void;

/** Returns a function that copies them from an array. */
export function filler(bytes: Uint8Array): Fill {
  return (target, from) => {
    requireStillThere(bytes, from + target.length);
    target.set(bytes.subarray(from, from + target.length));
  };
}

/** @throws TypeError if bytes are no longer there: their owner can shrink or detach the buffer until they are copied */
export function requireStillThere(bytes: Uint8Array, length: number): void {
  if (bytes.length >= length) return;
  throw new TypeError(`${CALL}: source must keep its ${length} bytes while it is hashed, got ${bytes.length}`);
}

export const becameShorter = (): Error => new Error(`${CALL}: the file became shorter while it was being hashed`);

/**
 * Reads a part of a Blob.
 *
 * @throws Error for another number of bytes, as of a file that has changed
 */
export async function bytesOf(part: Blob, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await part.arrayBuffer());
  if (bytes.length === length) return bytes;
  throw new Error(`${CALL}: the Blob changed while it was being hashed: expected ${length} bytes, got ${bytes.length}`);
}

/** A part and its slot. */
type SlottedPart = Omit<PartMessage, "place">;

/** The kernel of a thread. Each slot of its area has a mode and room for input. */
export type PartKernel = Lifecycle<TreeKernel>;

/** Returns a kernel in an area of a memory. */
export function newPartKernel(module: WebAssembly.Module, memory: WebAssembly.Memory, area: number): PartKernel {
  const kernels = new Lifecycle(() => new TreeKernel(module, memory, area));
  void kernels.kernel;
  return kernels;
}

/** Returns the chaining values of a part's groups, none larger than a piece. What it uses of a slot is wiped. */
export function hashPart(kernels: PartKernel, part: SlottedPart, bytes?: Fill | number): Uint8Array {
  const { slot, offset, length, group, parameters } = part;
  try {
    const kernel = kernels.begin();
    const fill = typeof bytes === "function" ? bytes : undefined;
    const address = typeof bytes === "number" ? bytes : slotAt(kernel.area, slot);
    kernel.willWriteInput(address, address + (fill ? Math.min(PIECE, length) : length));
    kernel.putMode(slot, parameters);
    const values = new Uint8Array(groupsIn(length, group) * VALUE);
    for (let done = 0; done < length; done += PIECE) {
      const piece = Math.min(PIECE, length - done);
      fill?.(kernel.bytes.subarray(address, address + piece), done);
      kernel.groupsAt(slot, fill ? address : address + done, piece, group, (offset + done) / CHUNK);
      values.set(kernel.values(0, groupsIn(piece, group)), (done / group) * VALUE);
    }
    kernel.end();
    return values;
  } finally {
    kernels.finish();
  }
}
