// Many BLAKE3 messages side by side: fills the kernel's input area with messages of one chunk at most, and takes their
// digests out of the output area (wasm/blake3/many.h).

import type { Kernel } from "../engine/kernel.js";
import { encoder } from "../input/bytes.js";

const CHUNK = 1024;
/** Messages in one call of the kernel at most: behind so many chunks the longest text of one still has room. */
const MOST = 60;
/** What is less than so many bytes, with a block more for each message, is hashed sooner one by one. */
const LEAST = 2304;
/** Bytes from one digest in the output area to the next. */
const DIGEST = 32;

// Kept from call to call: which messages were placed, and views of the kernel's memory, of the digests and of the input
// area's blocks.
const placed: number[] = [];
const views: Digest[] = [];
const blocks: Digest[] = [];
let viewed: Kernel | undefined;

type Message = Uint8Array | string;
type Digest = Uint8Array<ArrayBuffer>;

/**
 * Returns digests of up to 32 bytes of all messages of one chunk at most, with gaps for the others; undefined if side by
 * side does not pay.
 */
export function hashChunks(
  kernel: Kernel,
  messages: readonly Message[],
  units: readonly number[],
  block: number,
  length: number,
): Digest[] | undefined {
  if (length > DIGEST || sizeOf(units, block) < LEAST) return;
  if (viewed !== kernel) views.length = blocks.length = 0;
  viewed = kernel;
  return hashPlaced(kernel, messages, units, block, length);
}

/** Of the messages that can go side by side. */
function sizeOf(units: readonly number[], block: number): number {
  let size = 0;
  for (const length of units) if (length <= CHUNK) size += length + block;
  return size;
}

function hashPlaced(
  kernel: Kernel,
  messages: readonly Message[],
  units: readonly number[],
  block: number,
  length: number,
): Digest[] {
  const digests = new Array<Digest>(messages.length);
  for (let next = 0; next < messages.length; ) {
    let count = 0;
    for (let at = 0; count < MOST && next < messages.length; next++) {
      const size = place(kernel, messages[next] as Message, units[next] as number, at, block);
      if (size > CHUNK) continue;
      kernel.jobs.view.setUint32(4 * count, size, true);
      placed[count++] = next;
      at += ((size || 1) + block - 1) & -block;
    }
    if (count > 0) takeDigests(kernel, count, digests, length);
  }
  return digests;
}

/** Puts a message of one chunk at most into the input area; returns its length in bytes, also of a longer one. */
function place(kernel: Kernel, message: Message, length: number, at: number, block: number): number {
  const input = kernel.input.bytes;
  if (length > CHUNK) return length;
  if (typeof message !== "string") {
    input.set(message, at);
    return length;
  }
  blocks[at / block] ??= input.subarray(at);
  const { written } = encoder.encodeInto(message, blocks[at / block] as Uint8Array);
  // A text that proves longer than a chunk is left to others.
  if (written > CHUNK) input.fill(0, at, at + written);
  return written;
}

function takeDigests(kernel: Kernel, count: number, digests: Digest[], length: number): void {
  kernel.exports.many?.(count);
  if (views[0]?.length !== length) views.length = 0;
  for (let i = 0; i < count; i++) {
    views[i] ??= kernel.output.bytes.subarray(DIGEST * i, DIGEST * i + length);
    digests[placed[i] as number] = new Uint8Array(views[i] as Uint8Array);
  }
  kernel.wipeOutput(DIGEST * count);
}
