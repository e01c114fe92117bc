// Messages that are read in order on the calling thread alone: short ones, those of unknown length, and all if there
// are no workers.
import { blake3 } from "../algorithms/blake3.js";
import { toView } from "../input/bytes.js";
import { yieldToEventLoop } from "../input/event-loop.js";
import { type Chunks, eachChunk } from "../sources/chunks.js";
import { CALL } from "./messages.js";
import { requireStillThere, SLOT_SIZE } from "./part-kernel.js";
import type { Request } from "./request.js";
import type { PoolSource } from "./source.js";

/** The chunks of a source of known length. The calling thread yields to the event loop after each of them. */
export function inOrder(source: PoolSource): Chunks {
  const room = new Uint8Array(Math.min(SLOT_SIZE, source.length));
  let at = 0;
  async function next(): Promise<IteratorResult<unknown>> {
    if (at > 0) await yieldToEventLoop();
    const length = Math.min(room.length, source.length - at);
    if (length === 0) return { done: true, value: undefined };
    const bytes = await source.bytes(at, length, room);
    requireStillThere(bytes, length);
    // Before anything is awaited, since their owner can shrink or detach the buffer.
    if (bytes.buffer !== room.buffer) room.set(bytes);
    at += length;
    return { done: false, value: room.subarray(0, length) };
  }
  const close = (): unknown => {
    room.fill(0);
    return source.close();
  };
  return { total: source.length, next, end: close, cancel: close };
}

export async function hashInOrder(
  chunks: Chunks,
  { mode, length, signal, onProgress }: Request,
): Promise<Uint8Array<ArrayBuffer>> {
  const hasher = blake3.create({ ...mode, length });
  try {
    await eachChunk(chunks, signal, (chunk) => {
      hasher.update(toView(CALL, "chunk", chunk));
      onProgress?.(Number(hasher.bytesHashed), chunks.total);
    });
    return hasher.digest();
  } finally {
    hasher.dispose();
  }
}
