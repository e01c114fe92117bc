// Files read synchronously, by hashFileSync and the command.
import { fstatSync, readSync, type Stats } from "node:fs";

/** Bytes read at a time: the fastest size between 64 KiB and 1 MiB. */
export const READ_SIZE = 256 * 1024;

/** The only buffer of `readToEnd`: each read overwrites the one before, whichever file it is from. */
let buffer: Uint8Array | undefined;

/** Takes the next bytes of a file, which are valid only during the call; `isAll` if they are all of a short one. */
export type Take = (bytes: Uint8Array, isAll: boolean) => void;

/**
 * Reads an open file from where it is to its end.
 *
 * @param status its status when it was opened
 * @throws Error for a file of more than one read that has changed since
 */
export function readToEnd(descriptor: number, status: Stats, take: Take): void {
  buffer ??= new Uint8Array(READ_SIZE);
  let length = readOnce(descriptor, buffer, null);
  // The size of a pipe means nothing, and a file of /proc or one that grows has another one: fill the buffer.
  if (!status.isFile() || length !== status.size) length += fill(descriptor, buffer.subarray(length), null);
  if (length < READ_SIZE) {
    take(buffer.subarray(0, length), true);
    return;
  }
  for (; length > 0; length = fill(descriptor, buffer, null)) take(buffer.subarray(0, length), false);
  requireUnchanged(descriptor, status);
}

/**
 * Reads from a position, or from where the file is, until `target` is full or the file ends; returns the number of
 * bytes.
 */
export function fill(descriptor: number, target: Uint8Array, position: number | null): number {
  let filled = 0;
  while (filled < target.length) {
    const length = readOnce(descriptor, target.subarray(filled), position === null ? null : position + filled);
    if (length === 0) break;
    filled += length;
  }
  return filled;
}

/** Reads once, from a position or from where the file is; returns the number of bytes, 0 at its end. */
export function readOnce(descriptor: number, target: Uint8Array, position: number | null): number {
  try {
    return whenReady(() => readSync(descriptor, target, 0, target.length, position));
  } catch (error) {
    // Windows reports the end of a pipe or console as an error (https://github.com/nodejs/node/issues/35997).
    if ((error as NodeJS.ErrnoException).code === "EOF") return 0;
    throw error;
  }
}

/** Reads from or writes to a descriptor, which another process may have made non-blocking. */
export function whenReady<T>(transfer: () => T): T {
  for (;;) {
    try {
      return transfer();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** @throws Error if a file has changed since it had a status */
export function requireUnchanged(descriptor: number, status: Stats): void {
  if (status.isFile()) requireSame(status, fstatSync(descriptor));
}

/** @throws Error if a file has changed */
export function requireSame(before: Stats, after: Stats): void {
  // The times of files without a size, as in /proc, mean nothing.
  if (before.size === after.size && (after.size === 0 || before.mtimeMs === after.mtimeMs)) return;
  throw new Error("the file changed while it was read");
}
