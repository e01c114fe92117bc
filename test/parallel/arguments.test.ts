// What a pool refuses: wrong options and sources, and what objects of a caller claim.
import { open } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { blake3, toHex } from "blake-simd";
import { Blake3Pool, type Blake3Source } from "blake-simd/parallel";
import { describe, expect, it } from "vitest";
import { detach, type ErrorKind, expectError, notBytes } from "../support/errors.ts";
import { expectBytes } from "../support/messages.ts";
import { digestOf, fileOf, handleOf, MESSAGE, MIB, MODES, path, pool, withPool } from "../support/pool.ts";
import { streamOf } from "../support/streams.ts";

const TWO = MESSAGE.subarray(0, 2 * MIB);

/** Expects what need not be a source to be refused. */
async function expectRefusal(source: unknown, options: unknown, kind: ErrorKind, ...words: string[]): Promise<void> {
  const error = await pool.hash(source as Blake3Source, options as object).catch((reason) => reason);
  expectError(
    () => {
      throw error;
    },
    kind,
    ...words,
  );
}

describe("options", () => {
  it.each<[unknown, ErrorKind, ...string[]]>([
    [{ size: 1 }, TypeError, 'unknown option "size"; did you mean "length"?'],
    [{ key: new Uint8Array(31) }, RangeError, "key must have 32 bytes, got 31"],
    [{ key: new Uint8Array(32), context: "" }, TypeError, "pass either key or context, not both"],
    [{ length: 2 ** 40 }, RangeError, "length", "can be allocated, got number"],
    [{ signal: 1 }, TypeError, "signal must be an AbortSignal, got a number"],
    [{ onProgress: 1 }, TypeError, "onProgress must be a function, got a number"],
    [null, TypeError, "options must be a plain object, got null"],
  ])("%o are refused before anything is read", async (options, kind, ...words) => {
    for (const source of [new Uint8Array(1), MESSAGE, { path: path("absent") }, new Blob([MESSAGE])]) {
      await expectRefusal(source, options, kind, "Blake3Pool.hash: ", ...words);
    }
  });

  it("whose getters throw reject, and those of a prototype count", async () => {
    const trap = new Proxy({}, { has: () => expect.fail("tested"), ownKeys: () => expect.fail("tested") });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const inherited = Object.create({ key: MODES.keyed.key });
    for (const length of [1000, MESSAGE.length]) {
      const bytes = MESSAGE.subarray(0, length);
      for (const options of [trap, proxy]) await expect(pool.hash(bytes, options)).rejects.toThrow();
      expectBytes(await pool.hash(bytes, inherited), digestOf(length, "keyed"));
    }
  });

  it("a key is copied, and checked as it was copied", async () => {
    const key = new Uint8Array(new SharedArrayBuffer(32, { maxByteLength: 64 }));
    key.set(MODES.keyed.key);
    const hash = pool.hash(TWO, { key });
    (key.buffer as SharedArrayBuffer).grow(64);
    key.fill(0);
    expectBytes(await hash, digestOf(2 * MIB, "keyed"));
    await expectRefusal(TWO, { key }, RangeError, "Blake3Pool.hash: key must have 32 bytes, got 64");
  });

  it("of the pool: its number of threads", () => {
    expectError(() => new Blake3Pool({ threads: 1025 }), RangeError, "Blake3Pool: threads", "0 to 1024", "1025");
    expectError(() => new Blake3Pool({ workers: 2 } as never), TypeError, 'Blake3Pool: unknown option "workers"');
  });
});

it("a value of another kind, or bytes that have gone, are no source", async () => {
  for (const [value, got] of notBytes) {
    if (!(value instanceof Blob)) await expectRefusal(value, undefined, TypeError, "Blake3Pool.hash:", "must be", got);
  }
  await expectRefusal({ path: 5 }, undefined, TypeError, "Blake3Pool.hash: path must be", "a number");
  await expectRefusal(new URL("https://example.com/"), undefined, TypeError, "file");
  const [view, name] = [new Uint8Array(MIB), new Uint8Array(5)];
  for (const { buffer } of [view, name]) detach(buffer);
  for (const source of [detach(new ArrayBuffer(MIB)), view, { path: name }]) {
    await expectRefusal(source, undefined, TypeError, "Blake3Pool.hash:", "must be");
  }
});

describe("what an object of the caller's says", () => {
  it("of its length is not believed: a subclass of Uint8Array", async () => {
    class Odd extends Uint8Array<ArrayBuffer> {
      override get length(): number {
        return expect.fail("asked");
      }
      override get byteLength(): number {
        return this.length;
      }
      override get byteOffset(): number {
        return this.length;
      }
      override get buffer(): ArrayBuffer {
        return new ArrayBuffer(this.length);
      }
      static get [Symbol.species](): unknown {
        return expect.fail("asked");
      }
    }
    for (const length of [10, 2 * MIB]) {
      // What lies behind is another's.
      expectBytes(await pool.hash(new Odd(MESSAGE.slice(0, 4 * MIB).buffer, 0, length)), digestOf(length));
      const plain = MESSAGE.slice(0, length);
      for (const name of ["length", "byteLength"]) Object.defineProperty(plain, name, { value: 3 * MIB - length });
      expectBytes(await pool.hash(plain), digestOf(length));
    }
  });

  it("of its class is not believed: a buffer with another tag", async () => {
    for (const Kind of [ArrayBuffer, SharedArrayBuffer]) {
      const buffer = new Kind(2 * MIB);
      new Uint8Array(buffer).set(TWO);
      Object.defineProperty(buffer, Symbol.toStringTag, { value: "Map" });
      expectBytes(await pool.hash(buffer), digestOf(2 * MIB));
    }
  });

  it("growable buffers: the bytes that there were when they were passed", async () => {
    for (const Kind of [ArrayBuffer, SharedArrayBuffer]) {
      const buffer = new Kind(2 * MIB, { maxByteLength: 4 * MIB });
      new Uint8Array(buffer).set(TWO);
      const hash = pool.hash(new Uint8Array(buffer));
      if (buffer instanceof ArrayBuffer) buffer.resize(4 * MIB);
      else buffer.grow(4 * MIB);
      new Uint8Array(buffer).fill(255, 2 * MIB);
      expectBytes(await hash, digestOf(2 * MIB));
    }
  });

  it("growable buffers that another thread grows: a digest of the bytes at some moment", async () => {
    const code = `const { buffer } = require("node:worker_threads").workerData;
      while (buffer.byteLength < buffer.maxByteLength) buffer.grow(buffer.byteLength + 65536);`;
    const digests = new Map<number, string>();
    const digestOfZeros = (length: number): string => {
      const digest = digests.get(length) ?? blake3.hex(new Uint8Array(length));
      digests.set(length, digest);
      return digest;
    };
    for (let round = 0; round < 5; round++) {
      const buffer = new SharedArrayBuffer(MIB, { maxByteLength: 8 * MIB });
      const worker = new Worker(code, { eval: true, workerData: { buffer } });
      const bytes = new Uint8Array(buffer);
      while (buffer.byteLength < buffer.maxByteLength) {
        const [least, digest] = [buffer.byteLength, await pool.hash(bytes)];
        const count = (buffer.byteLength - least) / 65_536 + 1;
        const possible = Array.from({ length: count }, (_, i) => digestOfZeros(least + i * 65_536));
        expect(possible).toContain(toHex(digest));
      }
      await worker.terminate();
    }
  });

  it.each<[string, object, string]>([
    ["half a byte", { size: 0.5 }, "expected 0.5 bytes, got 5"],
    ["no number of bytes", { size: Number.NaN }, "expected NaN bytes, got 5"],
    ["fewer bytes than no", { size: -1 }, "expected -1 bytes, got 5"],
    ["more bytes than it gives", { size: 3 * MIB }, "the Blob changed while it was being hashed"],
    ["text in its stream", { stream: () => streamOf(["a"]) }, "chunk must be an ArrayBuffer"],
    ["the size of a body, which is a limit", { size: 5, bodyUsed: false }, "source must be bytes, a Blob"],
    ["no bytes", { size: 5, arrayBuffer: async () => undefined }, "must be an ArrayBuffer"],
    ["detached bytes", { arrayBuffer: async () => detach(new ArrayBuffer(5)) }, "must be an ArrayBuffer"],
  ])("a Blob with %s is refused", async (_, own, text) => {
    const blob = { size: 5, slice: () => blob, arrayBuffer: async () => new ArrayBuffer(5), ...own };
    await expect(pool.hash(blob as never)).rejects.toThrow(text);
  });

  it.each<[string, object, string]>([
    ["no status", { stat: async () => undefined }, "stat() must be a file's status, got undefined"],
    ["half a byte", handleOf(MESSAGE, { size: 0.5 }), "size must be an integer from 0 to"],
    [
      "2^60 bytes",
      handleOf(MESSAGE, { size: 2n ** 60n }),
      "size must be an integer from 0 to 9007199254740991, got 1152",
    ],
    ["more read than asked", { read: async () => ({ bytesRead: MESSAGE.length + 1 }) }, "bytesRead must be an integer"],
    ["less than nothing read", { read: async () => ({ bytesRead: -5 }) }, "bytesRead must be an integer from 0 to"],
    ["nothing", { read: async () => undefined }, "bytesRead must be a number, got undefined"],
  ])("a file handle with %s is refused", async (_, own, text) => {
    await withPool({ threads: 0 }, async (none) => {
      await expect(none.hash({ ...handleOf(MESSAGE), ...own })).rejects.toThrow(`Blake3Pool.hash: ${text}`);
    });
  });

  it("a file handle gets no view of a memory of WebAssembly", async () => {
    const buffers = new Set<unknown>();
    const handle = await open(fileOf(MESSAGE));
    const read: typeof handle.read = (target: Uint8Array, ...range: never[]) => {
      buffers.add(target.buffer.constructor);
      expect(target.buffer.byteLength).toBe(target.byteOffset + target.length);
      return handle.read(target, ...(range as [never]));
    };
    const source = { fd: handle.fd, stat: handle.stat.bind(handle), read } as never;
    for (const callingThread of [false, true]) {
      await withPool({ threads: 1, callingThread }, async (own) => {
        expectBytes(await own.hash(source), digestOf(MESSAGE.length));
      });
    }
    expect([...buffers]).toEqual([ArrayBuffer]);
    await handle.close();
  });
});
