// Messages of known length, whose parts can be read in any order.
import { bytesOf } from "./blob.js";
import { builtin } from "./builtin.js";
import type { Place } from "./messages.js";
import type { SharedMemory } from "./shared-memory.js";

export interface Source {
  /** In bytes. */
  readonly length: number;
  /** Whether the bytes are in the calling thread's memory. */
  readonly inMemory: boolean;
  /** Where a worker can read a part itself; undefined if the part must be sent to it. */
  place(at: number, length: number): Place | undefined;
  /** Reads a part on the calling thread. The result may be in `room`, which is large enough. */
  bytes(at: number, length: number, room?: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** @throws Error if the bytes read so far cannot be trusted */
  requireOpen?(): void;
  /** Returns the error to throw for an error in a worker. */
  explain(error: unknown): unknown;
  /** Called once, after the last read. */
  close?(): Promise<void>;
}

/** Bytes in memory. Workers read memory that they share with this thread; all other bytes are copied for them. */
export class BytesSource implements Source {
  readonly length: number;
  readonly inMemory = true;
  readonly #bytes: Uint8Array;
  readonly #address: number | undefined;
  readonly #shared: boolean;

  constructor(bytes: Uint8Array, memory: SharedMemory | undefined) {
    this.length = bytes.length;
    this.#bytes = bytes;
    this.#address = memory?.addressOf(bytes);
    // In Deno, workers that receive views of SharedArrayBuffers hang, especially on a busy machine.
    this.#shared = memory !== undefined && isShared(bytes.buffer) && !("Deno" in globalThis);
  }

  place(at: number, length: number): Place | undefined {
    if (this.#address !== undefined) return { kind: "memory", address: this.#address + at };
    return this.#shared ? { kind: "shared", bytes: this.bytes(at, length) } : undefined;
  }

  bytes(at: number, length: number): Uint8Array {
    const { length: now, buffer, byteOffset } = this.#bytes;
    // Not `subarray`, which a subclass may override.
    if (now === this.length) return new Uint8Array(buffer, byteOffset + at, length);
    throw new TypeError(`Blake3Pool.hash: source must keep its ${this.length} bytes while it is hashed, got ${now}`);
  }

  explain(error: unknown): unknown {
    return error;
  }
}

function isShared(buffer: ArrayBufferLike): boolean {
  return Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";
}

/** A Blob that is read from its start to its end, on the calling thread. */
export class BlobStream {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(blob: Blob) {
    this.#reader = blob.stream().getReader();
  }

  async *pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      yield value;
    }
  }

  stop(): void {
    this.#reader.cancel().catch(() => {});
  }

  async close(): Promise<void> {
    this.stop();
  }
}

export class BlobSource implements Source {
  readonly length: number;
  readonly inMemory = false;
  readonly #blob: Blob;

  constructor(blob: Blob) {
    this.length = blob.size;
    this.#blob = blob;
  }

  // In Node 20 to 26, reading a file-backed Blob in a thread other than its own ends the process, and Deno refuses to
  // send one; it cannot be distinguished from other Blobs. An object that only resembles a Blob cannot be sent at all.
  place(at: number, length: number): Place | undefined {
    if (builtin("node:worker_threads") || !(this.#blob instanceof Blob)) return undefined;
    return { kind: "blob", blob: this.#blob.slice(at, at + length) };
  }

  bytes(at: number, length: number): Promise<Uint8Array> {
    // If the Blob's file is gone, a slice may read as empty without an error, but the whole Blob fails.
    return bytesOf(length < this.length ? this.#blob.slice(at, at + length) : this.#blob, length);
  }

  explain(error: unknown): unknown {
    return error;
  }
}
