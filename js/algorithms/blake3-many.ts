// Hashes many BLAKE3 messages in parallel: copies messages of at most one chunk to the kernel's input area and reads
// their digests from the output area (wasm/blake3/many.c).

import type { Kernel, Parameters } from "../engine/kernel.js";
import { Area, INPUT_SIZE, JOBS, JOBS_SIZE, slots } from "../engine/memory.js";
import type { Message } from "../input/bytes.js";
import { utf8 } from "../input/utf8.js";
import { copyBytes } from "../input/views.js";

const CHUNK = 1024;
/** The maximum number of messages per kernel call, which leaves room for the longest text of 1024 UTF-16 units. */
const MOST = 60;
/** Inputs of fewer bytes in total, counting one extra block per message, are hashed faster one by one. */
const LEAST = 2304;
/** The distance in bytes between digests in the output area. */
const DIGEST = 32;

// Reused by later calls: the indices of the placed messages, and in the memory of the kernel `viewed` the lengths for its
// lanes, and views of the digests and of the input area's blocks.
const placed: number[] = [];
const views = /* @__PURE__ */ slots<Digest>(MOST);
const blocks = /* @__PURE__ */ slots<Digest>(INPUT_SIZE / 64);
let jobs: Area;
let viewed: Kernel | undefined;

type Digest = Uint8Array<ArrayBuffer>;

/**
 * Returns digests of up to 32 bytes for all messages of at most one chunk, with gaps for the others; undefined if
 * hashing one by one is faster.
 */
export function hashChunks(
  kernel: Kernel,
  messages: readonly Message[],
  units: readonly number[],
  block: number,
  { digestLength: length }: Parameters,
): (Digest | undefined)[] | undefined {
  if (!kernel.exports.many || length > DIGEST || sizeOf(units, block) < LEAST) return;
  if (viewed !== kernel) view(kernel);
  return hashPlaced(kernel, messages, units, block, length);
}

function view(kernel: Kernel): void {
  views.fill(undefined);
  blocks.fill(undefined);
  jobs = new Area(kernel.exports.memory.buffer as ArrayBuffer, JOBS, JOBS_SIZE);
  viewed = kernel;
}

/** Returns the size of the messages that can be hashed in parallel, with one extra block for each. */
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
): (Digest | undefined)[] {
  const digests = slots<Digest>(messages.length);
  for (let next = 0; next < messages.length; ) {
    let count = 0;
    for (let at = 0; count < MOST && next < messages.length; next++) {
      const size = place(kernel, messages[next] as Message, units[next] as number, at, block);
      if (size > CHUNK) continue;
      jobs.view.setUint32(4 * count, size, true);
      placed[count++] = next;
      at += ((size || 1) + block - 1) & -block;
    }
    if (count > 0) takeDigests(kernel, count, digests, length);
  }
  return digests;
}

/** Copies a message of at most one chunk to the input area. Returns the length, in bytes or units, of any message. */
function place(kernel: Kernel, message: Message, length: number, at: number, block: number): number {
  const input = kernel.input.bytes;
  if (length > CHUNK) return length;
  if (typeof message !== "string") {
    copyBytes(input, at, message, length);
    return length;
  }
  blocks[at / block] ??= input.subarray(at);
  const { written } = utf8().encodeInto(message, blocks[at / block] as Uint8Array);
  // A text longer than one chunk as UTF-8 is hashed on its own.
  if (written > CHUNK) input.fill(0, at, at + written);
  return written;
}

function takeDigests(kernel: Kernel, count: number, digests: (Digest | undefined)[], length: number): void {
  kernel.exports.many?.(count);
  if (views[0]?.length !== length) views.fill(undefined);
  for (let i = 0; i < count; i++) {
    views[i] ??= kernel.output.bytes.subarray(DIGEST * i, DIGEST * i + length);
    digests[placed[i] as number] = new Uint8Array(views[i] as Uint8Array);
  }
  kernel.wipeOutput(DIGEST * count);
}
