// Many BLAKE3 messages side by side: fills the kernel's input area with messages of one chunk at most, and takes their
// digests out of the output area (wasm/blake3-many.h).
import { encoder } from "./bytes.js";
import { JOBS, type Kernel } from "./kernel.js";

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
 * Answers digests of up to 32 bytes of all messages of one chunk at most; where those of others would be, there are none.
 * Where side by side does not pay, there is no answer.
 */
export function hashChunks(
  kernel: Kernel,
  messages: readonly Message[],
  block: number,
  length: number,
): Digest[] | undefined {
  if (length > DIGEST || sizeOf(messages, block) < LEAST) return;
  if (viewed !== kernel) views.length = blocks.length = 0;
  viewed = kernel;
  try {
    return hashPlaced(kernel, messages, block, length);
  } catch (error) {
    // A view may be detached by now; what was placed before it goes, too.
    kernel.input.fill(0);
    throw error;
  }
}

/** Of the messages that can go side by side. */
function sizeOf(messages: readonly Message[], block: number): number {
  let size = 0;
  for (const { length } of messages) if (length <= CHUNK) size += length + block;
  return size;
}

function hashPlaced(kernel: Kernel, messages: readonly Message[], block: number, length: number): Digest[] {
  const { input, numbers } = kernel;
  const digests = new Array<Digest>(messages.length);
  let at = 0;
  let count = 0;
  for (let i = 0; i <= messages.length; i++) {
    if (count === MOST || (count > 0 && i === messages.length)) {
      takeDigests(kernel, count, digests, length);
      at = count = 0;
    }
    const message = messages[i];
    if (message === undefined || message.length > CHUNK) continue;
    let size = message.length;
    if (typeof message === "string") size = placeText(kernel, message, at, block);
    else input.set(message, at);
    if (size > CHUNK) {
      // A text that proves longer than a chunk is left to others.
      input.fill(0, at, at + size);
    } else {
      numbers.setUint32(JOBS + 4 * count, size, true);
      placed[count++] = i;
      at += ((size || 1) + block - 1) & -block;
    }
  }
  return digests;
}

/** Puts a text into the input area as UTF-8; answers its length in bytes. */
function placeText(kernel: Kernel, text: string, at: number, block: number): number {
  blocks[at / block] ??= kernel.input.subarray(at);
  return encoder.encodeInto(text, blocks[at / block] as Uint8Array).written;
}

function takeDigests(kernel: Kernel, count: number, digests: Digest[], length: number): void {
  kernel.exports.many?.(count);
  if (views[0]?.length !== length) views.length = 0;
  for (let i = 0; i < count; i++) {
    views[i] ??= kernel.output.subarray(DIGEST * i, DIGEST * i + length);
    digests[placed[i] as number] = new Uint8Array(views[i] as Uint8Array);
  }
  kernel.wipeOutput(DIGEST * count);
}
