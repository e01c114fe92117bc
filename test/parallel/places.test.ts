// In how many parts a pool hashes a message, by where its bytes are.
import { expect, it } from "vitest";
import { expectBytes } from "../support/messages.ts";
import { digestOf, KIB, MESSAGE, MIB, SOURCES, withPool } from "../support/pool.ts";

const KINDS = ["bytes", "a part of a SharedArrayBuffer", "the pool's memory", "a Blob", "a path", "a handle"];

it.each<[length: number, kind: number, options: { threads: number; callingThread?: boolean }, parts: number]>([
  // Whole up to 768 KiB.
  [768 * KIB, 0, { threads: 0 }, 1],
  [768 * KIB + 1, 0, { threads: 0 }, 2],
  // Of at most 1 MiB if the bytes are sent, and of at most 4 MiB if a worker has them.
  [4 * MIB, 0, { threads: 1 }, 4],
  [4 * MIB, 0, { threads: 3, callingThread: true }, 6],
  [4 * MIB, 1, { threads: 0 }, 4],
  [4 * MIB, 1, { threads: 1 }, 2],
  [4 * MIB, 1, { threads: 3 }, 3],
  // And of at least 256 KiB.
  [MIB, 1, { threads: 6 }, 4],
])("%i bytes, source %i, %o: %i parts, each of which is reported", async (length, kind, options, parts) => {
  await withPool(options, async (pool) => {
    const source = await SOURCES[KINDS[kind] as string]!(MESSAGE.subarray(0, length), pool);
    let reports = 0;
    expectBytes(await pool.hash(source, { onProgress: () => reports++ }), digestOf(length));
    expect(reports).toBe(parts);
  });
});
