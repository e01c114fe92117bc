// Messages that are read in order on the calling thread alone: short ones, those whose length is known only at their end, and all if
// there are no workers.
import { type Blake3Options, blake3 } from "../algorithms/blake3.js";
import { yieldToEventLoop } from "../input/event-loop.js";
import { onAbort } from "../input/signals.js";
import { requireLeft, SLOT_SIZE } from "./part-kernel.js";
import type { Request } from "./request.js";
import type { PoolSource } from "./source.js";

/** A message as its pieces, each of which is overwritten when the next one is requested. It is closed at their end. */
export class Pieces implements AsyncIterable<Uint8Array> {
  /** The message's length in bytes; undefined if that is known only at the end. */
  readonly total: number | undefined;
  readonly #read: () => AsyncIterable<Uint8Array>;
  readonly #close: () => Promise<void>;
  readonly #stop: () => void;
  #begun = false;

  /** @param stop ends a read that may wait indefinitely */
  constructor(
    total: number | undefined,
    read: () => AsyncIterable<Uint8Array>,
    close: () => Promise<void>,
    stop: () => void = () => {},
  ) {
    this.total = total;
    this.#read = read;
    this.#close = close;
    this.#stop = stop;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    this.#begun = true;
    try {
      yield* this.#read();
    } finally {
      await this.#close();
    }
  }

  /** Closes the message, whose rest is not read. */
  async destroy(): Promise<void> {
    this.#stop();
    // A generator that has not begun does not run its `finally`.
    if (!this.#begun) await this.#close().catch(() => {});
  }
}

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
