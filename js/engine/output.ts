// Reads digests from a kernel: short ones in one call, long ones in pieces of the size of the output area.
import { type Bytes, requireBytes } from "../input/bytes.js";
import { outOfRange } from "../input/errors.js";
import type { Kernel } from "./kernel.js";
import { OUTPUT_SIZE } from "./memory.js";

/** @throws TypeError for a value that is not a Uint8Array; RangeError if it has less than `length` bytes */
export function requireRoom(name: string, output: unknown, length: number): asserts output is Uint8Array {
  requireBytes(name, "output", output);
  const room = output.length;
  if (room < length) throw outOfRange(name, `output must have at least ${length} bytes`, room);
}

/** Makes a digest of a valid length, or its text. Out of memory is an error that names the option. */
export function allocate<Digest = Bytes>(
  name: string,
  length: number,
  make: (bytes: number) => Digest = (bytes) => new Uint8Array(bytes) as Digest,
): Digest {
  try {
    return make(length);
  } catch {
    throw outOfRange(name, "length must be a number of bytes that can be allocated", `number ${length}`);
  }
}

/** Writes a digest to the first bytes of `target`: one that is in OUTPUT, or a longer one of the message in STATE. */
export function writeDigest(kernel: Kernel, target: Uint8Array, length: number): void {
  if (length <= OUTPUT_SIZE) {
    target.set(kernel.output.first(length));
    return;
  }
  kernel.makeRoot();
  readOutput(kernel, target, length, 0, 0);
}

/** Writes `length` bytes of the root's output, starting at a position of 64 bits, to the first bytes of `target`. */
export function readOutput(kernel: Kernel, target: Uint8Array, length: number, low: number, high: number): void {
  for (let at = 0; at < length; ) {
    const from = low + at;
    // Pieces end at multiples of the area's size, so that no output block is computed twice.
    const piece = Math.min(OUTPUT_SIZE - (from % OUTPUT_SIZE), length - at);
    kernel.squeeze(from, high + Math.floor(from / 2 ** 32), piece);
    target.set(kernel.output.first(piece), at);
    at += piece;
  }
}
