// What the command asks of the system. Modules that few runs need are loaded at first use: node:worker_threads takes
// 2 ms to load, node:tty 1.
import { fstatSync, readSync, statSync, writeSync } from "node:fs";
import { pause } from "../../sources/reads.js";

/** Whether a descriptor is a terminal. */
export function isTerminal(descriptor: number): boolean {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    return false;
  }
  return (require("node:tty") as typeof import("node:tty")).isatty(descriptor);
}

/**
 * Whether standard input or output was closed when the command began. Node then opens /dev/null in its place, before
 * any code runs, for reading and writing; what a shell redirects can only be read, or only be written.
 */
export function isClosed(descriptor: 0 | 1): boolean {
  try {
    if (fstatSync(descriptor).rdev !== statSync("/dev/null").rdev) return false;
    if (descriptor === 0) writeSync(descriptor, new Uint8Array());
    else readSync(descriptor, new Uint8Array(1));
    return true;
  } catch {
    return false;
  }
}

export const workerThreads = (): typeof import("node:worker_threads") => require("node:worker_threads");

export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      // Another process has made the descriptor non-blocking.
      if (codeOf(error) !== "EAGAIN") throw error;
      pause();
    }
  }
}

export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
