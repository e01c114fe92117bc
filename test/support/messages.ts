// Messages, and the sizes at which code that buffers them may go wrong.
import { expect } from "vitest";
import type { Subject } from "./subjects.ts";

/** Bytes of the kernel's input area (js/engine/memory.ts). */
export const AREA = 0x10000;

/** Bytes 0 to 250 over and over: a period that is no multiple of anything, so that swapped blocks show. */
export function pattern(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = i % 251;
  return bytes;
}

function around(...sizes: number[]): number[] {
  return sizes.flatMap((size) => [size - 1, size, size + 1]);
}

/** Sizes around the edges of blocks and chunks. */
export function smallEdges({ blockLength, chunkLength }: Subject): number[] {
  return [...new Set([0, 1, ...around(blockLength, chunkLength)])];
}

/** Sizes around the edges of blocks, chunks and input areas. */
export function edges(subject: Subject): number[] {
  const { blockLength, chunkLength } = subject;
  return [
    ...smallEdges(subject),
    ...around(AREA - blockLength, AREA, AREA + blockLength, AREA + chunkLength, 2 * AREA),
  ];
}

/** Equality of bytes without a matcher's cost: for loops of many thousand comparisons. */
export function same(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && Buffer.compare(a, b) === 0;
}

/** Compares bytes, and shows them as hex if they differ. */
export function expectBytes(actual: Uint8Array, wanted: Uint8Array | undefined, where?: string): void {
  if (same(actual, wanted)) return;
  expect(Buffer.from(actual).toString("hex"), where).toBe(wanted && Buffer.from(wanted).toString("hex"));
}
