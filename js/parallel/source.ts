// What can be hashed in slabs: a message of known length, the parts of which can be had in any order.
import type { Place } from "./layout.js";
import type { SharedMemory } from "./shared-memory.js";

export interface Source {
  /** In bytes. */
  readonly length: number;
  /** Where a worker finds a part itself; undefined where the part has to be sent. */
  place(at: number, length: number): Place | undefined;
  /** A part, on the calling thread. It may come in `room`, which is large enough. */
  bytes(at: number, length: number, room?: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** What to throw for an error that a worker has met. */
  explain(error: unknown): unknown;
  /** Called once, when nobody reads any more. */
  close?(): Promise<void>;
}

/** Bytes in memory. Workers read what they share with this thread; all else is copied for them. */
export class BytesSource implements Source {
  readonly length: number;
  readonly #bytes: Uint8Array;
  readonly #address: number | undefined;
  readonly #shared: boolean;

  constructor(bytes: Uint8Array, memory: SharedMemory | undefined) {
    this.length = bytes.length;
    this.#bytes = bytes;
    this.#address = memory?.addressOf(bytes);
    this.#shared = memory !== undefined && isShared(bytes.buffer);
  }

  place(at: number, length: number): Place | undefined {
    if (this.#address !== undefined) return { kind: "memory", address: this.#address + at };
    return this.#shared ? { kind: "shared", bytes: this.bytes(at, length) } : undefined;
  }

  bytes(at: number, length: number): Uint8Array {
    const now = this.#bytes.length;
    if (now === this.length) return this.#bytes.subarray(at, at + length);
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
  readonly #blob: Blob;

  constructor(blob: Blob) {
    this.length = blob.size;
    this.#blob = blob;
  }

  place(at: number, length: number): Place {
    return { kind: "blob", blob: this.#blob.slice(at, at + length) };
  }

  async bytes(at: number, length: number): Promise<Uint8Array> {
    // A part of a file that is gone may come as no bytes at all; the whole is an error.
    const part = length < this.length ? this.#blob.slice(at, at + length) : this.#blob;
    return new Uint8Array(await part.arrayBuffer());
  }

  explain(error: unknown): unknown {
    return error;
  }
}
