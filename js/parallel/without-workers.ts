// Reads on the calling thread alone: short messages, and those whose length is known only at their end.
import { blake3 } from "../algorithms/blake3.js";
import { yieldToEventLoop } from "../input/event-loop.js";
import { requireLeft, SLOT_SIZE } from "./part-kernel.js";
import type { Request } from "./request.js";
import type { Pieces, PoolSource } from "./source.js";

export async function hashAtOnce(source: PoolSource, request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const { mode, length, signal, onProgress } = request;
  try {
    const bytes = await source.bytes(0, source.length);
    signal?.throwIfAborted();
    requireLeft(bytes, source.length);
    const digest = blake3(bytes, { ...mode, length });
    onProgress?.(source.length, source.length);
    return digest;
  } finally {
    await source.close?.();
  }
}

export async function hashPieces(source: Pieces, request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const { mode, length, signal, onProgress } = request;
  const hasher = blake3.create({ ...mode, length });
  const stop = (): void => source.stop?.();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for await (const piece of source.pieces()) {
      signal?.throwIfAborted();
      hasher.update(piece);
      onProgress?.(Number(hasher.bytesHashed), source.total);
    }
    return hasher.digest();
  } finally {
    signal?.removeEventListener("abort", stop);
    hasher.dispose();
    await source.close();
  }
}

export async function* piecesOf(source: Pieces): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* source.pieces();
  } finally {
    await source.close();
  }
}

/** A source of known length, read in order. The calling thread yields to the event loop after each piece. */
export function inOrder(source: PoolSource): Pieces {
  return {
    total: source.length,
    pieces: () => readInOrder(source),
    close: async () => source.close?.(),
  };
}

async function* readInOrder(source: PoolSource): AsyncGenerator<Uint8Array, void, undefined> {
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
    source.requireOpen?.();
  } finally {
    room.fill(0);
  }
}
