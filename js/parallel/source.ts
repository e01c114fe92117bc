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

// What there is to say of a source that has nothing to close. To spread an object of them would take 3 us.
const nothing = (): void => {};
const itself = (error: unknown): unknown => error;

/**
 * Bytes in memory. Workers read memory that they share with this thread; all other bytes are copied for them.
 *
 * @param sharing returns whether workers can read a SharedArrayBuffer
 */
export function bytesSource(given: Uint8Array, sharing: () => boolean): PoolSource {
  // Of a fixed length, so that a buffer that grows does not matter.
  const all = viewOf(given);
  const { length } = all;
  const bytes = (at: number, size: number): Uint8Array => {
    requireLeft(all, length);
    return all.subarray(at, at + size);
  };
  const place = (at: number, size: number): Place | undefined =>
    isSharedBuffer(all.buffer) && sharing() ? { kind: "shared", bytes: bytes(at, size) } : undefined;
  return { length, inMemory: true, place, bytes, requireOpen: nothing, explain: itself, close: nothing };
}

/** @param length its size, which was proved */
export function blobSource(blob: Blob, length: number): PoolSource {
  const slice = (at: number, size: number): Blob => blob.slice(at, at + size);
  return {
    length,
    inMemory: false,
    // In Node 20 to 26, reading a file-backed Blob in a thread other than its own ends the process, and Deno refuses to
    // send one; it cannot be distinguished from other Blobs.
    place: (at, size) => (builtin("node:worker_threads") ? undefined : { kind: "blob", blob: slice(at, size) }),
    // If the Blob's file is gone, a slice may read as empty without an error, but the whole Blob fails.
    bytes: (at, size) => bytesOf(CALL, size < length ? slice(at, size) : blob, size),
    requireOpen: nothing,
    explain: itself,
    close: nothing,
  };
}

/**
 * A file. Workers read from its descriptor, so that they all read the same file even if its name is reused.
 *
 * @param isReal whether the descriptor is the system's, so that workers can read it
 * @param path its name, if it was opened by the pool
 */
export function fileSource(
  fs: FileSystem | undefined,
  file: Handle & { readonly fd: number },
  length: number,
  isReal: boolean,
  path: Path | undefined,
  close: () => void,
): PoolSource {
  const descriptor = file.fd;
  const isOpen = (): boolean => file.fd === descriptor;
  const explain = (error: unknown): unknown => (isOpen() ? named(error, path) : closed());
  // After that, the descriptor may be another file's.
  const requireOpen = (): void => {
    if (!isOpen()) throw closed();
  };

  function place(position: number): Place | undefined {
    requireOpen();
    // In Deno, a descriptor is valid only in the thread that opened it.
    if (!isReal) return undefined;
    if (!("Deno" in globalThis)) return { kind: "descriptor", descriptor, position };
    if (path === undefined) return undefined;
    const identity = identityOf((fs as FileSystem).fstatSync(descriptor, { bigint: true }));
    return { kind: "path", path, identity, position };
  }

  async function bytes(at: number, size: number, room?: Uint8Array): Promise<Uint8Array> {
    // Only the pool's own file may write to the room, which is a view of the workers' memory.
    const target = room && path !== undefined ? room.subarray(0, size) : new Uint8Array(size);
    try {
      if ((await readFully(CALL, file, target, at)) < size) throw becameShorter();
      return target;
    } catch (error) {
      target.fill(0);
      throw explain(error);
    }
  }

  return { length, inMemory: false, requireOpen, explain, close, place, bytes };
}

/** Returns what identifies a file, whatever its name. */
export const identityOf = ({ dev, ino }: { dev: bigint; ino: bigint }): string => `${dev}:${ino}`;

function closed(): Error {
  return new Error(`${CALL}: source must stay open while it is hashed, got a file that has been closed`);
}
