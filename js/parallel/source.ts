// The messages of a pool that have a length: their parts can be read in any order.
import { builtin, type FileSystem } from "../input/builtin.js";
import { isSharedBuffer, viewOf } from "../input/caller-bytes.js";
import { bytesOf } from "../sources/blobs.js";
import type { Chunks } from "../sources/chunks.js";
import { type Handle, named } from "../sources/files.js";
import { readFully } from "../sources/reads.js";
import { CALL, type Path, type Place } from "./messages.js";
import { becameShorter, requireLeft } from "./part-kernel.js";

/** The third way to read a source, beside all at once and chunk by chunk: slices, on several threads. */
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
  /** Called once, after the last read has ended. */
  close(): void;
}

/** By a property of its own: Object.prototype may have any other. */
export const isChunks = (source: PoolSource | Chunks): source is Chunks => !Object.hasOwn(source, "length");

/** What has nothing to close. */
abstract class LastingSource {
  requireOpen(): void {}

  close(): void {}

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

/** A file. Workers read from its descriptor, so that they all read the same file even if its name is reused. */
export class FileSource implements PoolSource {
  readonly length: number;
  readonly inMemory = false;
  readonly close: () => void;
  readonly #fs: FileSystem | undefined;
  readonly #file: Handle & { readonly fd: number };
  readonly #descriptor: number;
  /** Whether workers can read the file by its descriptor. */
  readonly #isReal: boolean;
  readonly #path: Path | undefined;

  /** @param path its name, if it was opened by the pool */
  constructor(
    fs: FileSystem | undefined,
    file: Handle & { readonly fd: number },
    length: number,
    isReal: boolean,
    path: Path | undefined,
    close: () => void,
  ) {
    this.length = length;
    this.close = close;
    this.#fs = fs;
    this.#file = file;
    this.#descriptor = file.fd;
    this.#isReal = isReal;
    this.#path = path;
  }

  place(at: number): Place | undefined {
    this.requireOpen();
    // In Deno, a descriptor is valid only in the thread that opened it.
    if (!this.#isReal) return undefined;
    if (!("Deno" in globalThis)) return { kind: "descriptor", descriptor: this.#descriptor, position: at };
    if (this.#path === undefined) return undefined;
    const identity = identityOf((this.#fs as FileSystem).fstatSync(this.#descriptor, { bigint: true }));
    return { kind: "path", path: this.#path, identity, position: at };
  }

  async bytes(at: number, length: number, room?: Uint8Array): Promise<Uint8Array> {
    // Only the pool's own file may write to the room, which is a view of the workers' memory.
    const target = room && this.#path !== undefined ? room.subarray(0, length) : new Uint8Array(length);
    try {
      if ((await readFully(CALL, this.#file, target, at)) < length) throw becameShorter();
      return target;
    } catch (error) {
      target.fill(0);
      throw this.explain(error);
    }
  }

  /** @throws Error if the file has been closed, since its descriptor may now belong to a different file */
  requireOpen(): void {
    if (this.#file.fd !== this.#descriptor) throw closed();
  }

  /** Returns a read's error, with the file's name if it is known. */
  explain(error: unknown): unknown {
    return this.#file.fd === this.#descriptor ? named(error, this.#path) : closed();
  }
}

/** Returns what identifies a file, whatever its name. */
export const identityOf = ({ dev, ino }: { dev: bigint; ino: bigint }): string => `${dev}:${ino}`;

function closed(): Error {
  return new Error(`${CALL}: source must stay open while it is hashed, got a file that has been closed`);
}
