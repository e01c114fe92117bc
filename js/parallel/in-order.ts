// Messages that are read in order on the calling thread alone: short ones, those of unknown length, and all if there
// are no workers.
import { type Blake3Options, blake3 } from "../algorithms/blake3.js";
import { toView } from "../input/bytes.js";
import { yieldToEventLoop } from "../input/event-loop.js";
import { type Chunks, ClosingChunks, eachChunk } from "../sources/chunks.js";
import { CALL } from "./messages.js";
import { requireLeft, SLOT_SIZE } from "./part-kernel.js";
import type { Request } from "./request.js";
import type { PoolSource } from "./source.js";

/** A source of known length, read in order. The calling thread yields to the event loop after each piece. */
export class InOrder extends ClosingChunks {
  readonly #source: PoolSource;
  readonly #room: Uint8Array;
  #at = 0;

  constructor(source: PoolSource) {
    super(() => {
      this.#room.fill(0);
      source.close();
    });
    this.#source = source;
    this.#room = new Uint8Array(Math.min(SLOT_SIZE, source.length));
  }

  protected async read(): Promise<IteratorResult<unknown>> {
    if (this.#at > 0) await yieldToEventLoop();
    const length = Math.min(this.#room.length, this.#source.length - this.#at);
    if (length === 0) {
      this.#source.requireOpen();
      return { done: true, value: undefined };
    }
    const bytes = await this.#source.bytes(this.#at, length, this.#room);
    requireLeft(bytes, length);
    if (bytes.buffer !== this.#room.buffer) this.#room.set(bytes);
    this.#at += length;
    return { done: false, value: this.#room.subarray(0, length) };
  }

  total(): number {
    return this.#source.length;
  }
}

/** Options without a prototype, to which anybody may have added others. */
const optionsOf = ({ mode, length }: Request): Blake3Options =>
  ({ __proto__: null, ...mode, length }) as object as Blake3Options;

export async function hashAtOnce(source: PoolSource, request: Request): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = await source.bytes(0, source.length);
    request.signal?.throwIfAborted();
    requireLeft(bytes, source.length);
    const digest = blake3(bytes, optionsOf(request));
    request.onProgress?.(source.length, source.length);
    return digest;
  } finally {
    source.close();
  }
}

export async function hashInOrder(chunks: Chunks, request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const hasher = blake3.create(optionsOf(request));
  try {
    await eachChunk(chunks, request.signal, (chunk) => {
      hasher.update(toView(CALL, "chunk", chunk));
      request.onProgress?.(Number(hasher.bytesHashed), chunks.total());
    });
    return hasher.digest();
  } finally {
    hasher.dispose();
  }
}
