// Hashes many messages in parallel, in the SIMD lanes of a kernel: copies them to its input area and reads their digests from
// the output area (wasm/memory.h).

import type { HashBatch } from "../engine/algorithm.js";
import type { Kernel } from "../engine/kernel.js";
import { Area, INPUT_SIZE, JOBS, JOBS_SIZE, OUTPUT_SIZE, slots } from "../engine/memory.js";
import type { Message } from "../input/bytes.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** Every message starts at a whole block. */
const BLOCK = 64;
/** The distance in bytes between digests in the output area. */
const DIGEST = 32;
/** The maximum number of messages per kernel call. BLAKE3's idle lanes have the place of one more digest. */
const MOST = OUTPUT_SIZE / DIGEST - 1;
/** Messages of fewer bytes in total are hashed faster one by one. Each counts as one block more, and as three at most. */
const LEAST = 8 * BLOCK;

/** Views of a kernel's memory, kept for later calls. */
interface Views {
  readonly kernel: Kernel;
  readonly lengths: DataView;
  /** The digests, all of the same length. */
  readonly digests: (Bytes | undefined)[];
}

function viewsOf(kernel: Kernel): Views {
  const { view } = new Area(kernel.exports.memory.buffer as ArrayBuffer, JOBS, JOBS_SIZE);
  return { kernel, lengths: view, digests: slots(MOST) };
}

/** Returns what hashes messages of some lengths in the lanes of a kernel, unless that would be slower. */
export function sideBySide(shortest: number, longest: number): HashBatch {
  /** The indices of the messages in the input area. */
  const placed: number[] = [];
  let views: Views | undefined;

  /** Whether there are enough bytes in messages that suit the lanes, for digests that fit. */
  function gains(units: readonly number[], digestLength: number): boolean {
    let size = 0;
    for (const length of units) if (suits(length)) size += Math.min(length + BLOCK, 3 * BLOCK);
    return size >= LEAST && digestLength <= DIGEST;
  }

  const suits = (length: number): boolean => length >= shortest && length <= longest;

  return (kernel, messages, units, { digestLength: length }) => {
    if (!kernel.exports.many || !gains(units, length)) return undefined;
    if (views?.kernel !== kernel) views = viewsOf(kernel);
    const digests = slots<Bytes>(messages.length);
    for (let next = 0; next < messages.length; ) {
      let count = 0;
      for (let at = 0; count < MOST && at < INPUT_SIZE && next < messages.length; next++) {
        const unit = units[next] as number;
        if (!suits(unit)) continue;
        const end = kernel.input.write(messages[next] as Message, unit, at);
        if (end < 0) break;
        const size = end - at;
        if (size > longest) {
          // A text that is too long as UTF-8 is hashed on its own.
          kernel.input.bytes.fill(0, at, end);
          continue;
        }
        views.lengths.setUint32(4 * count, size, true);
        placed[count++] = next;
        at += ((size || 1) + BLOCK - 1) & -BLOCK;
      }
      if (count > 0) takeDigests(kernel, views.digests, count, digests, length);
    }
    return digests;
  };

  function takeDigests(
    kernel: Kernel,
    own: (Bytes | undefined)[],
    count: number,
    digests: (Bytes | undefined)[],
    length: number,
  ): void {
    kernel.exports.many?.(count);
    if (own[0]?.length !== length) own.fill(undefined);
    for (let i = 0; i < count; i++) {
      own[i] ??= kernel.output.bytes.subarray(DIGEST * i, DIGEST * i + length);
      digests[placed[i] as number] = new Uint8Array(own[i] as Bytes);
    }
    kernel.wipeOutput(DIGEST * count);
    // What a text has left beyond the messages.
    kernel.input.wipeWritten();
  }
}
