// Digests from pools: every length around a power of two chunks, all modes, several numbers of threads, both builds, each
// kind of source.
import { mkdtempSync, openAsBlob, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { blake3 } from "@noble/hashes/blake3.js";
import { Blake3Pool, type Blake3Source } from "blake-simd/parallel";
import { assert, asyncProperty, constantFrom, integer } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectBytes } from "../support/messages.ts";
import { digestOf, KIB, MESSAGE, MIB, MODES, type ModeName, withPool } from "../support/pool.ts";

const names = Object.keys(MODES) as ModeName[];
const powers = Array.from({ length: 13 }, (_, i) => KIB << i);
const lengths = [0, ...powers.flatMap((power) => [power - 1, power, power + 1])];

const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
const file = join(folder, "message");
const handles: { close(): Promise<void> }[] = [];

beforeAll(() => writeFileSync(file, MESSAGE));
afterAll(async () => {
  for (const handle of handles) await handle.close();
  rmSync(folder, { recursive: true });
});

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
});

function shared(length: number): Uint8Array<SharedArrayBuffer> {
  const bytes = new Uint8Array(new SharedArrayBuffer(length + 7), 5, length);
  bytes.set(MESSAGE.subarray(0, length));
  return bytes;
}

function allocated(length: number, pool: Blake3Pool): Uint8Array {
  const bytes = pool.allocate(length);
  bytes.set(MESSAGE.subarray(0, length));
  return bytes;
}

/** What a descriptor leads to; some are closed by the time they are looked at. */
function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

async function opened(path: string) {
  const handle = await open(path);
  handles.push(handle);
  return handle;
}

/** What has a Blob's members, and no more. */
class BlobLike {
  readonly type = "";
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#bytes.length;
  }

  slice(from: number, to: number): BlobLike {
    return new BlobLike(this.#bytes.subarray(from, to));
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return Uint8Array.from(this.#bytes).buffer;
  }
}

/** The first bytes of the message, as every kind of source. */
const memory: Record<string, (length: number, pool: Blake3Pool) => Blake3Source> = {
  bytes: (length) => MESSAGE.subarray(0, length),
  "what looks like a Blob": (length) => new BlobLike(MESSAGE.subarray(0, length)) as unknown as Blob,
  "an ArrayBuffer": (length) => MESSAGE.slice(0, length).buffer,
  "a view that does not begin with its buffer": (length) => {
    const bytes = new Uint8Array(length + 3);
    bytes.set(MESSAGE.subarray(0, length), 3);
    return new DataView(bytes.buffer, 3);
  },
  "a SharedArrayBuffer": (length) => {
    const buffer = new SharedArrayBuffer(length);
    new Uint8Array(buffer).set(MESSAGE.subarray(0, length));
    return buffer;
  },
  "a view of a SharedArrayBuffer": shared,
  "the pool's memory": allocated,
  "a part of the pool's memory": (length, pool) => {
    const bytes = pool.allocate(length + 100);
    bytes.set(MESSAGE.subarray(0, length), 33);
    return bytes.subarray(33, 33 + length);
  },
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

  it("an array of a class that makes arrays in its own way", async () => {
    class OwnBytes extends Uint8Array<ArrayBuffer> {
      static get [Symbol.species](): unknown {
        return function none(): Uint8Array {
          return new Uint8Array(8 * MIB);
        };
      }
    }
    const bytes = new OwnBytes(new ArrayBuffer(3 * MIB));
    bytes.set(MESSAGE.subarray(0, bytes.length));
    await withPool({ threads: 2 }, async (pool) => expectBytes(await pool.hash(bytes), digestOf(bytes.length)));
  });

  it("memory of another pool", async () => {
    const other = new Blake3Pool({ threads: 1 });
    const bytes = allocated(3 * MIB, other);
    await withPool({ threads: 2 }, async (pool) => expectBytes(await pool.hash(bytes), digestOf(3 * MIB)));
    await other.close();
  });

  it("a growing SharedArrayBuffer", async () => {
    const buffer = new SharedArrayBuffer(2 * MIB, { maxByteLength: 4 * MIB });
    new Uint8Array(buffer).set(MESSAGE.subarray(0, 2 * MIB));
    const bytes = new Uint8Array(buffer, 0, MIB);
    await withPool({ threads: 2 }, async (pool) => expectBytes(await pool.hash(bytes), digestOf(MIB)));
  });

  it("files: by path, path in bytes, URL and handle", async () => {
    await withPool({ threads: 3 }, async (pool) => {
      const handle = await opened(file);
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
    const path = join(folder, "sized");
    await withPool({ threads: 2 }, async (pool) => {
      for (const length of sizes) {
        writeFileSync(path, MESSAGE.subarray(0, length));
        expectBytes(await pool.hash({ path }), digestOf(length), `${length} bytes`);
      }
    });
  });

  it.runIf(process.platform === "linux")("files that do not tell their length, and devices", async () => {
    await withPool({ threads: 2 }, async (pool) => {
      const { readFileSync } = await import("node:fs");
      expectBytes(await pool.hash({ path: "/proc/version" }), blake3(readFileSync("/proc/version")));
      expectBytes(await pool.hash({ path: "/dev/null" }), blake3(new Uint8Array()));
    });
  });

  it.runIf(process.platform === "linux")("leaves no descriptor open", async () => {
    // Other test files run in threads of this process: none of them reads this one.
    const special = "/proc/sys/kernel/ostype";
    await withPool({ threads: 2 }, async (pool) => {
      for (let i = 0; i < 5; i++) await pool.hash({ path: file });
      await pool.hash({ path: special });
    });
    const open = readdirSync("/proc/self/fd").map(targetOf);
    expect(open.filter((target) => target === file).length).toBe(handles.length);
    expect(open).not.toContain(special);
  });
});

it.each([0, 1, 2])("short tails: chunks that have no neighbour at some level, %i threads", async (threads) => {
  const chunks = [3, 5, 6, 7, 9, 11, 13, 15];
  const tails = [
    ...chunks.flatMap((count) => [count * KIB, count * KIB - 1, count * KIB + 64]),
    64,
    128,
    960,
    1024 + 64,
  ];
  await withPool({ threads }, async (pool) => {
    for (const tail of tails) {
      const digest = await pool.hash(MESSAGE.subarray(0, MIB + tail), MODES.keyed);
      expectBytes(digest, digestOf(MIB + tail, "keyed"), `1 MiB + ${tail} bytes`);
    }
  });
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
  const path = join(folder, `short-reads-${length}`);
  writeFileSync(path, MESSAGE.subarray(0, length));
  const whole = await open(path);
  handles.push(whole);
  const source = {
    fd: whole.fd,
    stat: (options: { bigint: true }) => whole.stat(options),
    read: (target: Uint8Array, at: number, most: number, position: number | null) =>
      whole.read(target, at, Math.min(most, 70_001), position),
  };
  await withPool({ threads: 0 }, async (pool) => expectBytes(await pool.hash(source), digestOf(length)));
});
