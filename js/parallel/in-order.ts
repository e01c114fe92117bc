// Messages that are read in order on the calling thread alone: short ones, those whose length is known only at their end, and all if
// there are no workers.
import { type Blake3Options, blake3 } from "../algorithms/blake3.js";
import { yieldToEventLoop } from "../input/event-loop.js";
import { onAbort } from "../input/signals.js";
import { requireLeft, SLOT_SIZE } from "./part-kernel.js";
import type { Request } from "./request.js";
import { Pieces, type PoolSource } from "./source.js";

/** A source of known length, read in order. The calling thread yields to the event loop after each piece. */
export function inOrder(source: PoolSource): Pieces {
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    const room = new Uint8Array(Math.min(SLOT_SIZE, source.length));
    try {
      for (let at = 0; at < source.length; at += room.length) {
        const length = Math.min(room.length, source.length - at);
        const bytes = await source.bytes(at, length, room);
        requireLeft(bytes, length);
        if (bytes.buffer !== room.buffer) room.set(bytes);
        yield room.subarray(0, length);
        await yieldToEventLoop();
      }
      source.requireOpen();
    } finally {
      room.fill(0);
    }
  }
  return new Pieces(source.length, read, () => source.close());
}

/** Options without a prototype, to which anybody may have added others. */
const optionsOf = ({ mode, length }: Request): Blake3Options => ({ __proto__: null, ...mode, length }) as Blake3Options;

export async function hashAtOnce(source: PoolSource, request: Request): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = await source.bytes(0, source.length);
    request.signal?.throwIfAborted();
    requireLeft(bytes, source.length);
    const digest = blake3(bytes, optionsOf(request));
    request.onProgress?.(source.length, source.length);
    return digest;
  } finally {
    await source.close();
  }
}

export async function hashPieces(pieces: Pieces, request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const { signal, onProgress } = request;
  const hasher = blake3.create(optionsOf(request));
  let stopped: { reason: unknown } | undefined;
  const end = onAbort(signal, (reason) => {
    stopped = { reason };
    void pieces.destroy();
  });
  try {
    for await (const piece of pieces) {
      signal?.throwIfAborted();
      hasher.update(piece);
      onProgress?.(Number(hasher.bytesHashed), pieces.total);
    }
    if (stopped) throw stopped.reason;
    return hasher.digest();
  } finally {
    end();
    hasher.dispose();
  }
}
