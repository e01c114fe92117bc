// Hashes many messages in parallel, in the SIMD lanes of a kernel: copies them to its input area and reads their
// digests from the output area (wasm/memory.h).

import type { HashBatch } from "../engine/algorithm.js";
import type { Kernel } from "../engine/kernel.js";
import { Area, INPUT_SIZE, JOBS, JOBS_SIZE, slots } from "../engine/memory.js";
import type { Message } from "../input/bytes.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** Every message starts at a whole block. */
const BLOCK = 64;
/** The distance in bytes between digests in the output area. */
const DIGEST = 32;
/** The maximum number of messages per kernel call: of the 512 digests in the output area, one is of idle lanes. */
const MOST = 511;
/**
 * The least weight of messages that lanes hash faster. A message weighs its length and one block, at most three blocks.
 */
const LEAST_WEIGHT = 512;

/** Returns a function that hashes messages of some lengths in the lanes of a kernel, unless that would be slower. */
export function sideBySide(shortest: number, longest: number): HashBatch {
  // Views of the memory of a kernel, kept for later calls: of the lengths, and of digests of one length.
  let viewed: Kernel | undefined;
  let lengths: DataView;
  let digests: (Bytes | undefined)[];

  const suits = (length: number): boolean => length >= shortest && length <= longest;

  return (kernel, messages, units, { digestLength }, results) => {
    let weight = 0;
    for (const length of units) if (suits(length)) weight += Math.min(length + BLOCK, 3 * BLOCK);
    if (!kernel.exports.many || weight < LEAST_WEIGHT || digestLength > DIGEST) return;
    if (viewed !== kernel || digests[0]?.length !== digestLength) {
      lengths = new Area(kernel.exports.memory.buffer as ArrayBuffer, JOBS, JOBS_SIZE).view;
      digests = slots(MOST);
      viewed = kernel;
    }
    for (let next = 0; next < messages.length; ) {
      const placed: number[] = [];
      for (let at = 0; placed.length < MOST && at < INPUT_SIZE && next < messages.length; next++) {
        const unit = units[next] as number;
        if (!suits(unit)) continue;
        const end = kernel.input.write(messages[next] as Message, unit, at);
        if (end < 0) break;
        const length = end - at;
        if (length > longest) {
          // A text that is too long as UTF-8 is hashed on its own.
          kernel.input.mark(end);
          continue;
        }
        lengths.setUint32(4 * placed.length, length, true);
        placed.push(next);
        at += ((length || 1) + BLOCK - 1) & -BLOCK;
      }
      if (placed.length > 0) kernel.exports.many(placed.length);
      for (let i = 0; i < placed.length; i++) {
        digests[i] ??= kernel.output.bytes.subarray(DIGEST * i, DIGEST * i + digestLength);
        results[placed[i] as number] = new Uint8Array(digests[i] as Bytes);
      }
      kernel.wipeOutput(DIGEST * placed.length);
    }
  };
}
