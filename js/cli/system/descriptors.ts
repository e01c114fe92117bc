// Writing to descriptors.
import { writeSync } from "node:fs";
import { whenReady } from "../../node/read-sync.js";

export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0; ) {
    const left = rest;
    rest = left.subarray(whenReady(() => writeSync(descriptor, left)));
  }
}
