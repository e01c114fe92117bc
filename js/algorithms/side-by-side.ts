// Hashes many messages in parallel, in the SIMD lanes of a kernel: copies them to its input area and reads their digests from
// the output area (wasm/memory.h).

import type { HashBatch } from "../engine/algorithm.js";
import type { Kernel, KernelModule } from "../engine/kernel.js";
import { Area, INPUT_SIZE, JOBS, JOBS_SIZE, OUTPUT_SIZE, slots } from "../engine/memory.js";
import type { Message } from "../input/bytes.js";
import { utf8 } from "../input/utf8.js";
import { copyBytes } from "../input/views.js";

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
class Views {
  readonly lengths: DataView;
  /** The digests, all of the same length. */
  readonly digests = slots<Bytes>(MOST);
  /** The input area from each block on. */
  readonly rests = slots<Bytes>(INPUT_SIZE / BLOCK);

  readonly kernel: Kernel;

  constructor(kernel: Kernel) {
    this.kernel = kernel;
    this.lengths = new Area(kernel.exports.memory.buffer as ArrayBuffer, JOBS, JOBS_SIZE).view;
  }
}

/**
 * Returns what hashes messages of some lengths in the lanes of a kernel, unless that would be slower.
 *
 * @param module whose kernel has the lanes, if not the algorithm's own
 */
export function sideBySide(shortest: number, longest: number, module?: KernelModule): HashBatch {
  /** The indices of the messages in the input area. */
  const placed: number[] = [];
  let views: Views | undefined;

  function hashIn(kernel: Kernel, messages: readonly Message[], units: readonly number[], length: number) {
    if (!kernel.exports.many) return undefined;
    if (views?.kernel !== kernel) views = new Views(kernel);
    const digests = slots<Bytes>(messages.length);
    for (let next = 0; next < messages.length; ) {
      let count = 0;
      for (let at = 0; count < MOST && next < messages.length; next++) {
        const unit = units[next] as number;
        if (unit < shortest || unit > longest) continue;
        const size = place(views, messages[next] as Message, unit, at);
        if (size < 0) break;
        // A text that is too long as UTF-8 is hashed on its own.
        if (size > longest) continue;
        views.lengths.setUint32(4 * count, size, true);
        placed[count++] = next;
        at += ((size || 1) + BLOCK - 1) & -BLOCK;
      }
      if (count > 0) takeDigests(views, placed, count, digests, length);
    }
    return digests;
  }

  /** Copies a message to the input area. Returns its length in bytes; -1 if there is no room for it. */
  function place({ kernel, rests }: Views, message: Message, length: number, at: number): number {
    const input = kernel.input.bytes;
    if (at + (length || 1) > INPUT_SIZE) return -1;
    if (typeof message !== "string") {
      copyBytes(input, at, message, length);
      return length;
    }
    rests[at / BLOCK] ??= input.subarray(at);
    const { read, written } = utf8().encodeInto(message, rests[at / BLOCK] as Bytes);
    const size = read === length ? written : -1;
    if (size < 0 || size > longest) input.fill(0, at, at + written);
    return size;
  }

  return (own, messages, units, { bytes, secret, digestLength: length }) => {
    if (length > DIGEST || sizeOf(units, shortest, longest) < LEAST) return undefined;
    if (!module) return hashIn(own, messages, units, length);
    try {
      const kernel = module.begin();
      kernel.load(bytes, secret);
      const digests = hashIn(kernel, messages, units, length);
      kernel.end();
      return digests;
    } finally {
      module.finish();
    }
  };
}

function takeDigests(
  { kernel, digests: views }: Views,
  placed: readonly number[],
  count: number,
  digests: (Bytes | undefined)[],
  length: number,
): void {
  kernel.exports.many?.(count);
  if (views[0]?.length !== length) views.fill(undefined);
  for (let i = 0; i < count; i++) {
    views[i] ??= kernel.output.bytes.subarray(DIGEST * i, DIGEST * i + length);
    digests[placed[i] as number] = new Uint8Array(views[i] as Bytes);
  }
  kernel.wipeOutput(DIGEST * count);
}

/** Returns the size of the messages that suit the lanes, to be compared with LEAST. */
function sizeOf(units: readonly number[], shortest: number, longest: number): number {
  let size = 0;
  for (const length of units) if (length >= shortest && length <= longest) size += Math.min(length + BLOCK, 3 * BLOCK);
  return size;
}
