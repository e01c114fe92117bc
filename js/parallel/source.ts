// What can be hashed in parts: a message of known length, the parts of which can be had in any order.
import { bytesOf } from "./blob.js";
import { builtin } from "./builtin.js";
import type { Place } from "./messages.js";
import type { SharedMemory } from "./shared-memory.js";

export interface Source {
  /** In bytes. */
  readonly length: number;
  /** Whether the calling thread has the bytes at hand. */
  readonly inMemory: boolean;
  /** Where a worker finds a part itself; undefined where the part has to be sent. */
  place(at: number, length: number): Place | undefined;
  /** A part, on the calling thread. It may come in `room`, which is large enough. */
  bytes(at: number, length: number, room?: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** @throws Error where what has been read so far cannot be relied on */
  requireOpen?(): void;
  /** What to throw for an error that a worker has met. */
  explain(error: unknown): unknown;
  /** Called once, when nobody reads any more. */
  close?(): Promise<void>;
}

/** Bytes in memory. Workers read what they share with this thread; all else is copied for them. */
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
    // In Deno workers that are sent views of SharedArrayBuffers stop answering, all the sooner on a busy machine.
    this.#shared = memory !== undefined && isShared(bytes.buffer) && !("Deno" in globalThis);
  }

  place(at: number, length: number): Place | undefined {
    if (this.#address !== undefined) return { kind: "memory", address: this.#address + at };
    return this.#shared ? { kind: "shared", bytes: this.bytes(at, length) } : undefined;
  }

  bytes(at: number, length: number): Uint8Array {
    const { length: now, buffer, byteOffset } = this.#bytes;
    // A subarray of a class of somebody's own may be anything.
    if (now === this.length) return new Uint8Array(buffer, byteOffset + at, length);
    throw new TypeError(`blake3: source must keep its ${this.length} bytes while it is hashed, got ${now}`);
  }

  explain(error: unknown): unknown {
    return error;
  }
}

function isShared(buffer: ArrayBufferLike): boolean {
  return Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";
}

export class BlobSource implements Source {
  readonly length: number;
  readonly inMemory = false;
  readonly #blob: Blob;

  constructor(blob: Blob) {
    this.length = blob.size;
    this.#blob = blob;
  }

  // Node 20 to 26 end the process where a Blob of a file is read by another thread than its own, and Deno refuses to send
  // one; nothing tells it from others. What only looks like a Blob cannot be sent at all.
  place(at: number, length: number): Place | undefined {
    if (builtin("node:worker_threads") || !(this.#blob instanceof Blob)) return undefined;
    return { kind: "blob", blob: this.#blob.slice(at, at + length) };
  }

  bytes(at: number, length: number): Promise<Uint8Array> {
    // A part of a file that is gone may come as no bytes at all; the whole is an error.
    return bytesOf(length < this.length ? this.#blob.slice(at, at + length) : this.#blob, length);
  }

  explain(error: unknown): unknown {
    return error;
  }
}
