// The messages of a pool in memory: of known length, whose parts can be read in any order, or in pieces.
import { bytesOf, streamOf } from "../input/blobs.js";
import { builtin } from "../input/builtin.js";
import { toView } from "../input/bytes.js";
import { isSharedBuffer, viewOf } from "../input/caller-bytes.js";
import type { Place } from "./messages.js";
import { requireLeft } from "./part-kernel.js";

export interface PoolSource {
  /** In bytes. */
  readonly length: number;
  /** Whether the bytes are in the calling thread's memory. */
  readonly inMemory: boolean;
  /** Where a worker can read a part itself; undefined if the part must be sent to it. */
  place(at: number, length: number): Place | undefined;
  /** Reads a part on the calling thread. The result may be in `room`, which is large enough. */
  bytes(at: number, length: number, room?: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** @throws Error if the bytes read so far cannot be trusted */
  requireOpen(): void;
  /** Returns the error to throw for an error in a worker. */
  explain(error: unknown): unknown;
  /** Called once, after the last read. */
  close(): Promise<void>;
}

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

const CALL = "Blake3Pool.hash";

/** What has nothing to close. */
abstract class LastingSource {
  requireOpen(): void {}

  async close(): Promise<void> {}

  explain(error: unknown): unknown {
    return error;
  }
}

/** Bytes in memory. Workers read memory that they share with this thread; all other bytes are copied for them. */
export class BytesSource extends LastingSource implements PoolSource {
  readonly length: number;
  readonly inMemory = true;
  /** Of a fixed length, so that a buffer that grows does not matter. */
  readonly #bytes: Uint8Array;
  readonly #sharing: () => boolean;

  /** @param sharing returns whether workers can read a SharedArrayBuffer */
  constructor(bytes: Uint8Array, sharing: () => boolean) {
    super();
    this.#bytes = viewOf(bytes);
    this.length = this.#bytes.length;
    this.#sharing = sharing;
  }

  place(at: number, length: number): Place | undefined {
    const isShared = isSharedBuffer(this.#bytes.buffer) && this.#sharing();
    return isShared ? { kind: "shared", bytes: this.bytes(at, length) } : undefined;
  }

  bytes(at: number, length: number): Uint8Array {
    requireLeft(this.#bytes, this.length);
    return this.#bytes.subarray(at, at + length);
  }
}

/** Returns the pieces of a Blob that is read from its start to its end, on the calling thread. */
export function piecesOf(blob: Blob): Pieces {
  const reader = streamOf(CALL, blob).getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let result = await reader.read(); !result.done; result = await reader.read()) {
      yield toView(CALL, "chunk", result.value);
    }
  }
  return new Pieces(undefined, read, async () => stop(), stop);
}

export class BlobSource extends LastingSource implements PoolSource {
  readonly length: number;
  readonly inMemory = false;
  readonly #blob: Blob;

  /** @param length its size, which was proved */
  constructor(blob: Blob, length: number) {
    super();
    this.length = length;
    this.#blob = blob;
  }

  // In Node 20 to 26, reading a file-backed Blob in a thread other than its own ends the process, and Deno refuses to
  // send one; it cannot be distinguished from other Blobs.
  place(at: number, length: number): Place | undefined {
    if (builtin("node:worker_threads")) return undefined;
    return { kind: "blob", blob: this.#slice(at, length) };
  }

  bytes(at: number, length: number): Promise<Uint8Array> {
    // If the Blob's file is gone, a slice may read as empty without an error, but the whole Blob fails.
    return bytesOf(CALL, length < this.length ? this.#slice(at, length) : this.#blob, length);
  }

  #slice(at: number, length: number): Blob {
    return this.#blob.slice(at, at + length);
  }
}
