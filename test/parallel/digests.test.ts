// Digests from pools: lengths around powers of two, all modes, several numbers of threads, both builds, each kind of
// source.
import { blake3 } from "@noble/hashes/blake3.js";
import { Blake3Pool } from "blake-simd/parallel";
import { assert, asyncProperty, constantFrom, integer } from "fast-check";
import { expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectBytes } from "../support/messages.ts";
import { digestOf, KIB, MESSAGE, MIB, MODES, type ModeName, pool, SOURCES, withPool } from "../support/pool.ts";

const names = Object.keys(MODES) as ModeName[];
const powers = Array.from({ length: 13 }, (_, i) => KIB << i);
const lengths = [0, ...powers.flatMap((power) => [power - 1, power, power + 1])];

eachBackend(() => {
  it.each([1, 2, 3, 7])("%i threads, lengths around powers of two, three modes", async (threads) => {
    await withPool({ threads }, async (own) => {
      for (const mode of names) {
        const digests = await Promise.all(
          lengths.map((length) => own.hash(MESSAGE.subarray(0, length), { ...MODES[mode], length: 131 })),
        );
        for (const [i, length] of lengths.entries()) {
          expectBytes(digests[i] as Uint8Array, digestOf(length, mode, 131), `${mode}, ${length} bytes`);
        }
      }
      expect(own.threads).toBe(threads);
    });
  });

  it.each([0, 2])("the last part: 1 MiB and some chunks, whole and cut off anywhere, %i threads", async (threads) => {
    await withPool({ threads }, async (own) => {
      for (const chunks of [0, 1, 2, 3, 16, 17]) {
        for (const tail of [0, 1, 63, 64, 65, 1023]) {
          const length = MIB + chunks * KIB + tail;
          expectBytes(await own.hash(MESSAGE.subarray(0, length)), digestOf(length), `${length} bytes`);
        }
      }
    });
  });
});

it.each(Object.entries(SOURCES))("%s of every size", async (_, make) => {
  for (const length of [0, 1, 100 * KIB, 256 * KIB, 256 * KIB + 1, 3 * MIB - 1, 8 * MIB + 5]) {
    const source = await make(MESSAGE.subarray(0, length), pool);
    expectBytes(await pool.hash(source, MODES.keyed), digestOf(length, "keyed"), `${length} bytes`);
  }
});

it("memory of another pool", async () => {
  await withPool({ threads: 1 }, async (other) => {
    const bytes = other.allocate(3 * MIB);
    bytes.set(MESSAGE.subarray(0, 3 * MIB));
    expectBytes(await pool.hash(bytes), digestOf(3 * MIB));
  });
});

it("random lengths, sources, modes and digest lengths", async () => {
  const own = new Blake3Pool({ threads: 3 });
  const cases = asyncProperty(
    integer({ min: 0, max: 4 * MIB }),
    constantFrom(...Object.values(SOURCES)),
    constantFrom(...names),
    integer({ min: 0, max: 131 }),
    async (length, make, mode, outputLength) => {
      const source = await make(MESSAGE.subarray(0, length), own);
      const digest = await own.hash(source, { ...MODES[mode], length: outputLength });
      expectBytes(digest, digestOf(length, mode, outputLength));
    },
  );
  await assert(cases, { numRuns: 20 });
  await own.close();
});

it("outputs longer than the kernel's output area", async () => {
  const message = MESSAGE.subarray(0, MIB);
  expectBytes(await pool.hash(message, { length: 100_000 }), blake3(message, { dkLen: 100_000 }));
});
