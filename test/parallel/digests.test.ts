// Digests from pools: every length around a power of two chunks, all modes, several numbers of threads, both builds, each
// kind of source.
import { openAsBlob, readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { blake3 } from "@noble/hashes/blake3.js";
import { Blake3Pool, type Blake3Source, type OpenFile } from "blake-simd/parallel";
import { assert, asyncProperty, constantFrom, integer } from "fast-check";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectBytes } from "../support/messages.ts";
import {
  digestOf,
  filled,
  handleOf,
  KIB,
  MESSAGE,
  MIB,
  MODES,
  type ModeName,
  openFiles,
  poolAndFolder,
  withPool,
} from "../support/pool.ts";

const names = Object.keys(MODES) as ModeName[];
const powers = Array.from({ length: 13 }, (_, i) => KIB << i);
const lengths = [0, ...powers.flatMap((power) => [power - 1, power, power + 1])];

const { path } = poolAndFolder();
const file = path("message");

eachBackend(() => {
  it.each([1, 2, 3, 7])("%i threads, lengths around powers of two, three modes", async (threads) => {
    await withPool({ threads }, async (pool) => {
      for (const mode of names) {
        const digests = await Promise.all(
          lengths.map((length) => pool.hash(MESSAGE.subarray(0, length), { ...MODES[mode], length: 131 })),
        );
        for (const [i, length] of lengths.entries()) {
          expectBytes(digests[i] as Uint8Array, digestOf(length, mode, 131), `${mode}, ${length} bytes`);
        }
      }
      expect(pool.threads).toBe(threads);
    });
  });

  it.each([0, 2])(
    "the last part: 1 MiB and up to 17 chunks, whole and cut off anywhere, %i threads",
    async (threads) => {
      const chunks = Array.from({ length: 18 }, (_, i) => MIB + i * KIB);
      const tails = [1, 63, 64, 65, 128, 960, 1023];
      await withPool({ threads }, async (pool) => {
        for (const [i, whole] of chunks.entries()) {
          for (const length of i < 5 ? [whole, ...tails.map((tail) => whole + tail)] : [whole]) {
            expectBytes(await pool.hash(MESSAGE.subarray(0, length)), digestOf(length), `${length} bytes`);
          }
        }
      });
    },
  );
});

/** What has a Blob's members, and no more. */
const blobLike = (bytes: Uint8Array): object => ({
  type: "",
  size: bytes.length,
  slice: (from: number, to: number) => blobLike(bytes.subarray(from, to)),
  arrayBuffer: async () => Uint8Array.from(bytes).buffer,
});

/** The first bytes of the message, as every kind of source. */
const memory: Record<string, (length: number, pool: Blake3Pool) => Blake3Source> = {
  bytes: (length) => MESSAGE.subarray(0, length),
  "what looks like a Blob": (length) => blobLike(MESSAGE.subarray(0, length)) as Blob,
  "an ArrayBuffer": (length) => MESSAGE.slice(0, length).buffer,
  "a view that does not begin with its buffer": (length) =>
    new DataView(filled(new Uint8Array(new ArrayBuffer(length + 3), 3)).buffer, 3),
  "a SharedArrayBuffer": (length) => filled(new Uint8Array(new SharedArrayBuffer(length))).buffer,
  "a view of a SharedArrayBuffer": (length) => filled(new Uint8Array(new SharedArrayBuffer(length + 7), 5, length)),
  "the pool's memory": (length, pool) => filled(pool.allocate(length)),
  "a part of the pool's memory": (length, pool) => filled(pool.allocate(length + 100).subarray(33, 33 + length)),
  "a Blob": (length) => new Blob([MESSAGE.subarray(0, length)]),
  "a File": (length) => new File([MESSAGE.subarray(0, length >> 1), MESSAGE.subarray(length >> 1, length)], "name"),
};

describe("each kind of source", () => {
  const sizes = [0, 1, 100 * KIB, 256 * KIB, 256 * KIB + 1, 3 * MIB - 1, 8 * MIB + 5];

  it.each(Object.keys(memory))("%s", async (kind) => {
    await withPool({ threads: 2 }, async (pool) => {
      for (const length of sizes) {
        const source = memory[kind]?.(length, pool) as Blake3Source;
        expectBytes(await pool.hash(source, MODES.keyed), digestOf(length, "keyed"), `${length} bytes`);
      }
    });
  });

  it("memory of another pool", async () => {
    await withPool({ threads: 1 }, async (other) => {
      const bytes = filled(other.allocate(3 * MIB));
      await withPool({ threads: 2 }, async (pool) => expectBytes(await pool.hash(bytes), digestOf(3 * MIB)));
    });
  });

  it("files: by path, path in bytes, URL and handle", async () => {
    await withPool({ threads: 3 }, async (pool) => {
      const handle = await open(file);
      await handle.read(new Uint8Array(10), 0, 10, null);
      const sources = [
        { path: file },
        { path: Buffer.from(file) },
        { path: pathToFileURL(file) },
        pathToFileURL(file),
        handle,
      ];
      for (const source of sources)
        expectBytes(await pool.hash(source, MODES.derive), digestOf(MESSAGE.length, "derive"));
      const { buffer, bytesRead } = await handle.read(new Uint8Array(1), 0, 1, null);
      expect([bytesRead, buffer[0]]).toEqual([1, MESSAGE[10]]);
      await handle.close();
    });
  });

  it("Blobs of files", async () => {
    await withPool({ threads: 2 }, async (pool) => {
      const blob = await openAsBlob(file);
      expectBytes(await pool.hash(blob, MODES.derive), digestOf(MESSAGE.length, "derive"));
      expectBytes(await pool.hash(blob.slice(0, 1000)), digestOf(1000));
    });
  });

  it("files of every size", async () => {
    const sized = path("sized");
    await withPool({ threads: 2 }, async (pool) => {
      for (const length of sizes) {
        writeFileSync(sized, MESSAGE.subarray(0, length));
        expectBytes(await pool.hash({ path: sized }), digestOf(length), `${length} bytes`);
      }
    });
  });

  it.runIf(process.platform === "linux")(
    "a device, and a file that does not tell its length; none stays open",
    async () => {
      // Other test files run in threads of this process: none of them reads this one.
      const special = "/proc/sys/kernel/ostype";
      await withPool({ threads: 2 }, async (pool) => {
        expectBytes(await pool.hash({ path: "/dev/null" }), blake3(new Uint8Array()));
        expectBytes(await pool.hash({ path: special }), blake3(readFileSync(special)));
      });
      expect(openFiles()).not.toContain(special);
    },
  );
});

it("random lengths, sources, modes and digest lengths", async () => {
  const pool = new Blake3Pool({ threads: 3 });
  const cases = asyncProperty(
    integer({ min: 0, max: 4 * MIB }),
    constantFrom(...Object.keys(memory)),
    constantFrom(...names),
    integer({ min: 0, max: 131 }),
    async (length, kind, mode, outputLength) => {
      const source = memory[kind]?.(length, pool) as Blake3Source;
      const digest = await pool.hash(source, { ...MODES[mode], length: outputLength });
      expectBytes(digest, digestOf(length, mode, outputLength));
    },
  );
  await assert(cases, { numRuns: 30 });
  await pool.close();
});

it("outputs longer than the kernel's output area", async () => {
  const wanted = blake3(MESSAGE.subarray(0, MIB), { dkLen: 100_000 });
  await withPool({ threads: 2 }, async (pool) =>
    expectBytes(await pool.hash(MESSAGE.subarray(0, MIB), { length: 100_000 }), wanted),
  );
});

it.each([3 * KIB, 2 * MIB + 5])("a file of %i bytes whose reads give fewer than they are asked for", async (length) => {
  const whole = handleOf(MESSAGE.subarray(0, length));
  const read: OpenFile["read"] = (target, at, most, position) =>
    whole.read(target, at, Math.min(most, 70_001), position);
  await withPool({ threads: 0 }, async (pool) => expectBytes(await pool.hash({ ...whole, read }), digestOf(length)));
});
