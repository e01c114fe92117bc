// Hashes many messages in parallel, in the SIMD lanes of a kernel: copies them to its input area and reads their
// digests from the output area (wasm/memory.h).

import type { InLanes } from "../engine/kernel.js";
import { INPUT_SIZE, JOBS, JOBS_SIZE, VALUE } from "../engine/memory.js";
import type { Message } from "../input/bytes.js";

/** Every message starts at a whole block. */
const BLOCK = 64;
/** The maximum number of messages per kernel call: of the 512 digests in the output area, one is of idle lanes. */
const MOST = 511;
/**
 * The least weight of messages that lanes hash faster. A message weighs its length and one block, at most three blocks.
 */
const LEAST_WEIGHT = 512;

/** Returns a function that hashes messages of some lengths in the lanes of a kernel, unless that would be slower. */
export function sideBySide(shortest: number, longest: number): InLanes {
  const suits = (length: number): boolean => length >= shortest && length <= longest;

  return (kernel, messages, units, { digestLength }, results) => {
    let weight = 0;
    for (const length of units) if (suits(length)) weight += Math.min(length + BLOCK, 3 * BLOCK);
    if (!kernel.exports.many || weight < LEAST_WEIGHT || digestLength > VALUE) return;
    const lengths = new DataView(kernel.exports.memory.buffer, JOBS, JOBS_SIZE);
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
          kernel.input.willWrite(end);
          continue;
        }
        lengths.setUint32(4 * placed.length, length, true);
        placed.push(next);
        at += ((length || 1) + BLOCK - 1) & -BLOCK;
      }
      if (placed.length > 0) kernel.many(placed.length);
      for (let i = 0; i < placed.length; i++) {
        results[placed[i] as number] = kernel.output.bytes.slice(VALUE * i, VALUE * i + digestLength);
      }
    }
  };
}
