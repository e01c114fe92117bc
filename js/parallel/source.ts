// The messages of a pool that have a length: their parts can be read in any order.
import { isSharedBuffer, viewOf } from "../input/caller-bytes.js";
import type { Chunks } from "../sources/chunks.js";
import { type Handle, named, type OwnFile, type Path, readOnce } from "../sources/files.js";
import { CALL, type Place } from "./messages.js";
import { becameShorter, bytesOf, requireStillThere } from "./part-kernel.js";

/** A message whose parts several threads read. */
export interface PoolSource {
  /** In bytes. */
  readonly length: number;
  /** Where a worker can read a part itself; undefined if the part must be sent to it. */
  place(at: number, length: number): Place | undefined;
  /** Reads a part on the calling thread. The result may be in `room`, which is large enough. */
  bytes(at: number, length: number, room?: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** The name of a file, for errors of workers. */
  readonly path?: Path | undefined;
  /** Called once, after the last read has ended. What it returns is awaited before the digest resolves. */
  close(): unknown;
}

export const isChunks = (source: PoolSource | Chunks): source is Chunks => Object.hasOwn(source, "next");

const noop = (): void => {};

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
    requireStillThere(all, length);
    return all.subarray(at, at + size);
  };
  const place = (at: number, size: number): Place | undefined =>
    isSharedBuffer(all.buffer) && sharing() ? { kind: "shared", bytes: bytes(at, size) } : undefined;
  return { length, place, bytes, close: noop };
}

/** A Blob in a browser, where its size can be trusted. */
export function blobSource(blob: Blob): PoolSource {
  const slice = (at: number, size: number): Blob => blob.slice(at, at + size);
  return {
    length: blob.size,
    place: (at, size) => ({ kind: "blob", blob: slice(at, size) }),
    bytes: (at, size) => bytesOf(slice(at, size), size),
    close: noop,
  };
}

/**
 * A file. Workers read from the descriptor of one that the pool has opened, but not in Deno, where a descriptor is valid
 * only in the thread that opened it. A caller could close its own meanwhile, and the number be another file's.
 */
export function fileSource(file: Handle, length: number, own?: OwnFile, path?: Path): PoolSource {
  return {
    length,
    path,
    place: (position) =>
      own && !("Deno" in globalThis) ? { kind: "descriptor", descriptor: own.fd, position } : undefined,
    async bytes(at, size, room) {
      // No code of a caller's gets a view of the room, which is memory of the workers'.
      const target = room && own ? room.subarray(0, size) : new Uint8Array(size);
      try {
        if ((await fill(file, target, at)) < size) throw becameShorter();
        return target;
      } catch (error) {
        throw named(error, path);
      }
    },
    close: () => own?.close(),
  };
}

/** Reads until `target` is full or the file ends; resolves to the number of bytes read. */
async function fill(file: Handle, target: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const length = await readOnce(CALL, file, target.subarray(filled), position + filled);
    if (length === 0) break;
    filled += length;
  }
  return filled;
}
