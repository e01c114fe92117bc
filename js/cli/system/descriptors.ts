// Reading and writing descriptors, which another process may have made non-blocking.
import { readSync, writeSync } from "node:fs";
import { codeOf } from "./errors.js";

/** Reads once, from a position or from where the file is; returns the number of bytes, 0 at its end. */
export function readOnce(descriptor: number, target: Uint8Array, position: number | null): number {
  for (;;) {
    try {
      return readSync(descriptor, target, 0, target.length, position);
    } catch (error) {
      // Windows reports the end of a pipe or console as an error (https://github.com/nodejs/node/issues/35997).
      if (codeOf(error) === "EOF") return 0;
      if (codeOf(error) !== "EAGAIN") throw error;
      pause();
    }
  }
}

export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      pause();
    }
  }
}

/** Waits before another attempt. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}
