// Synchronous and asynchronous reads of files.
import { integer } from "../input/options.js";

type ReadSync = typeof import("node:fs").readSync;

/** Reads once, into `target` from the index `at` on; returns the number of bytes read, 0 at the end of the file. */
export function readSome(
  readSync: ReadSync,
  descriptor: number,
  target: Uint8Array,
  at: number,
  position: number | null,
): number {
  for (;;) {
    try {
      return readSync(descriptor, target, at, target.length - at, position);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Windows reports the end of a pipe or console as an error.
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      pause();
    }
  }
}

/** Reads until `target` is full or the file ends; returns the number of bytes read. */
export function readFully(readSync: ReadSync, descriptor: number, target: Uint8Array, position: number | null): number {
  let at = 0;
  while (at < target.length) {
    const length = readSome(readSync, descriptor, target, at, position === null ? null : position + at);
    if (length === 0) break;
    at += length;
  }
  return at;
}

/** Waits before another attempt at a descriptor that another process has made non-blocking. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}

/** Reads once into `target`, from a position or, for null, the file's own; resolves to the number of bytes, 0 at the end. */
export type ReadAsync = (target: Uint8Array, position: number | null) => Promise<number>;

/** What is read of a FileHandle, or of an object like one. */
export interface Readable {
  /** Reads up to `length` bytes into `target` from the index `at` on, from a position in the file. */
  read(target: Uint8Array, at: number, length: number, position: number | null): Promise<{ bytesRead: number }>;
}

/** Returns how a handle is read. The reads reject if it does not give a number of bytes that there was room for. */
export function readerOf(call: string, file: Readable): ReadAsync {
  return async (target, position) => {
    const result = (await file.read(target, 0, target.length, position)) as { bytesRead: number } | undefined;
    return integer(call, "bytesRead", result?.bytesRead as number, 0, target.length);
  };
}

/** Yields a file's bytes from a position on, or from the file's own. Each piece overwrites the one before in `buffer`. */
export async function* readPieces(
  read: ReadAsync,
  buffer: Uint8Array,
  position: number | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; ; ) {
    const length = await read(buffer, position === null ? null : position + at);
    if (length === 0) return;
    at += length;
    yield buffer.subarray(0, length);
  }
}

/** Reads until `target` is full or the file ends; resolves to the number of bytes read. */
export async function readFullyAsync(read: ReadAsync, target: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const length = await read(target.subarray(filled), position + filled);
    if (length === 0) break;
    filled += length;
  }
  return filled;
}
