// Reads on the calling thread alone: short messages, and those whose length is known only at their end.
import { type Blake3Options, blake3 } from "../algorithms/blake3.js";
import type { Blake3Mode } from "../algorithms/blake3-mode.js";
import { yieldToEventLoop } from "../input/event-loop.js";
import { onAbort } from "../input/signals.js";
import { requireLeft, SLOT_SIZE } from "./part-kernel.js";
import type { Request } from "./request.js";
import type { Pieces, PoolSource } from "./source.js";

export async function hashAtOnce(source: PoolSource, request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const { mode, length, signal, onProgress } = request;
  try {
    const bytes = await source.bytes(0, source.length);
    signal?.throwIfAborted();
    requireLeft(bytes, source.length);
    const digest = blake3(bytes, ownOptions(mode, length));
    onProgress?.(source.length, source.length);
    return digest;
  } finally {
    await source.close();
  }
}

/** Options without a prototype, to which anybody may have added others. */
const ownOptions = (mode: Blake3Mode, length: number): Blake3Options =>
  ({ __proto__: null, ...mode, length }) as Blake3Options;

export async function hashPieces(source: Pieces, request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const { mode, length, signal, onProgress } = request;
  const hasher = blake3.create(ownOptions(mode, length));
  let stopped: { reason: unknown } | undefined;
  const end = onAbort(signal, (reason) => {
    stopped = { reason };
    source.stop();
  });
  try {
    for await (const piece of source.pieces()) {
      signal?.throwIfAborted();
      hasher.update(piece);
      onProgress?.(Number(hasher.bytesHashed), source.total);
    }
    if (stopped) throw stopped.reason;
    return hasher.digest();
  } finally {
    end();
    hasher.dispose();
    await source.close();
  }
}

/** Pieces for whoever may read none of them: `destroy` closes their source, too. */
export interface OwnPieces extends AsyncIterable<Uint8Array> {
  destroy(): void;
}

export function piecesOf(source: Pieces): OwnPieces {
  let begun = false;
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    begun = true;
    try {
      yield* source.pieces();
    } finally {
      await source.close();
    }
  }
  return {
    [Symbol.asyncIterator]: read,
    destroy() {
      source.stop();
      // A generator that has not begun does not run its `finally`.
      if (!begun) source.close().catch(() => {});
    },
  };
}

/** A source of known length, read in order. The calling thread yields to the event loop after each piece. */
export function inOrder(source: PoolSource): Pieces {
  return {
    total: source.length,
    pieces: () => readInOrder(source),
    stop() {},
    close: () => source.close(),
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
    source.requireOpen();
  } finally {
    room.fill(0);
  }
}
