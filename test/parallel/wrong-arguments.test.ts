// What a pool refuses: wrong options and sources, and what objects of a caller claim.
import { open } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { blake3, toHex } from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import { Blake3Pool, type Blake3PoolHashOptions, type Blake3Source } from "blake-simd/parallel";
import { describe, expect, it } from "vitest";
import { detach, type ErrorKind, expectError, notBytes } from "../support/errors.ts";
import { expectBytes } from "../support/messages.ts";
import { digestOf, handleOf, KIB, MESSAGE, MIB, MODES, poolAndFolder, withPool } from "../support/pool.ts";
import { streamOf } from "../support/streams.ts";

const { pool, path } = poolAndFolder();

const zeroDigests = new Map<number, string>();
function zeroDigest(length: number): string {
  const digest = zeroDigests.get(length) ?? toHex(blake3(new Uint8Array(length)));
  zeroDigests.set(length, digest);
  return digest;
}

describe("what is refused", () => {
  const refused = async (source: unknown, options: object | undefined, kind: ErrorKind, ...words: string[]) => {
    const error = await pool.hash(source as Blake3Source, options as Blake3PoolHashOptions).catch((reason) => reason);
    expectError(
      () => {
        throw error;
      },
      kind,
      ...words,
    );
  };

  it("sources of no kind", async () => {
    for (const [value, got] of notBytes) {
      if (!(value instanceof Blob)) await refused(value, undefined, TypeError, "Blake3Pool.hash:", "must be", got);
    }
    await refused({ path: 5 }, undefined, TypeError, "Blake3Pool.hash: path must be", "a number");
    await refused(new URL("https://example.com/"), undefined, TypeError, "file");
    await refused(detach(new ArrayBuffer(MIB)), undefined, TypeError, "Blake3Pool.hash:", "detached");
    const view = new Uint8Array(MIB);
    detach(view.buffer);
    await refused(view, undefined, TypeError, "Blake3Pool.hash:", "detached");
  });

  it.each<[unknown, ErrorKind, ...string[]]>([
    [{ size: 1 }, TypeError, 'unknown option "size"; did you mean "length"?'],
    [{ key: new Uint8Array(31) }, RangeError, "key must have 32 bytes, got 31"],
    [{ key: new Uint8Array(32), context: "" }, TypeError, "pass either key or context, not both"],
    [{ length: -1 }, RangeError, "length", "got -1"],
    [{ length: 2 ** 40 }, RangeError, "length", "can be allocated, got number"],
    [{ signal: 1 }, TypeError, "signal must be an AbortSignal, got a number"],
    [{ onProgress: 1 }, TypeError, "onProgress must be a function, got a number"],
    [null, TypeError, "options must be a plain object, got null"],
    [5, TypeError, "options must be a plain object, got a number"],
  ])("options %o, before anything is read", async (options, kind, ...words) => {
    for (const source of [new Uint8Array(1), MESSAGE, { path: path("absent") }, new Blob([MESSAGE])]) {
      await refused(source, options as object, kind, "Blake3Pool.hash: ", ...words);
    }
  });

  it("options whose getters throw, and no source by its getters", async () => {
    class Odd extends Uint8Array {
      override get length(): number {
        throw new RangeError("tested");
      }
    }
    const trap = new Proxy({}, { has: () => expect.fail("tested"), ownKeys: () => expect.fail("tested") });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const source of [new Uint8Array(1), MESSAGE]) {
      for (const options of [trap, proxy]) await expect(pool.hash(source, options)).rejects.toThrow();
    }
    // Never called.
    expectBytes(await pool.hash(new Odd(10)), blake3(new Uint8Array(10)));
  });

  it("numbers of threads", () => {
    expectError(() => new Blake3Pool({ threads: 1025 }), RangeError, "Blake3Pool: threads", "0 to 1024", "1025");
    expectError(() => new Blake3Pool({ threads: 1.5 }), RangeError, "Blake3Pool: threads", "1.5");
    expectError(() => new Blake3Pool({ threads: "2" as never }), TypeError, "Blake3Pool: threads", "string");
    expectError(() => new Blake3Pool({ workers: 2 } as never), TypeError, 'Blake3Pool: unknown option "workers"');
    expectError(() => new Blake3Pool(2 as never), TypeError, "Blake3Pool: options", "a number");
  });

  /** What can become of bytes after they were passed, with the options of their buffer. */
  const changes: [string, (buffer: ArrayBuffer) => void][] = [
    ["that become fewer", (buffer) => buffer.resize(buffer.byteLength - 1)],
    ["that go away", detach],
  ];
  const uses: [string, number, (buffer: ArrayBuffer, own: Blake3Pool) => Promise<Uint8Array>][] = [
    ["hashed", 0, (buffer, own) => own.hash(buffer, { onProgress: () => {} })],
    ["hashed", 1, (buffer, own) => own.hash(buffer, { onProgress: () => {} })],
    ["hashed", 2, (buffer, own) => own.hash(buffer, { onProgress: () => {} })],
    ["made an outboard of", 2, async (buffer, own) => (await outboardOf(buffer, { pool: own })).root],
  ];

  describe.each(changes)("bytes %s", (_, change) => {
    it.each(uses)(
      "while they are %s, with %i threads: the right digest or an error that says so",
      async (_use, threads, use) => {
        await withPool({ threads }, async (own) => {
          await own.hash(MESSAGE);
          for (const length of [100 * KIB, 3 * MIB]) {
            // Turns of the event loop: before the bytes are read, and between the copies of parts.
            for (let turns = 0; turns <= 20; turns++) {
              const buffer = new ArrayBuffer(length, { maxByteLength: 4 * MIB });
              new Uint8Array(buffer).set(MESSAGE.subarray(0, length));
              const outcome = use(buffer, own).catch((error) => error);
              for (let i = 0; i < turns; i++) await undefined;
              change(buffer);
              const result = await outcome;
              if (result instanceof Uint8Array) expectBytes(result, digestOf(length));
              else
                expect(`${result}`).toMatch(
                  /^TypeError: Blake3Pool\.hash: source must .* (while it is hashed, got|buffer)/,
                );
            }
          }
        });
      },
    );
  });

  it("bytes of Blobs of other classes that go away, and more of them than they say", async () => {
    const length = 100 * KIB;
    for (const size of [length, 3 * MIB]) {
      for (let microtasks = 0; microtasks < 10; microtasks++) {
        const buffers: ArrayBuffer[] = [];
        const part = (from: number, to: number): ArrayBuffer => {
          const buffer = new ArrayBuffer(to - from, { maxByteLength: 4 * MIB });
          new Uint8Array(buffer).set(MESSAGE.subarray(from, to));
          buffers.push(buffer);
          void Array.from({ length: microtasks })
            .reduce<Promise<unknown>>((before) => before.then(), Promise.resolve())
            .then(() => buffer.resize(microtasks % 2 ? 0 : 4 * MIB));
          return buffer;
        };
        const blob = {
          size,
          slice: (from: number, to: number) => ({ arrayBuffer: async () => part(from, to) }),
          arrayBuffer: async () => part(0, size),
        };
        const outcome = await pool.hash(blob as never).catch((error) => error);
        if (outcome instanceof Uint8Array) expectBytes(outcome, digestOf(size));
        else
          expect(String(outcome)).toMatch(
            /source must (keep its|be .* got a detached or shrunk buffer)|the Blob changed while it was being hashed/,
          );
      }
    }
  });
});

describe("what an object of the caller's says", () => {
  it("of its length is not believed: a subclass of Uint8Array", async () => {
    class Odd extends Uint8Array<ArrayBuffer> {
      said = 0;
      override get length(): number {
        return this.said;
      }
      override get byteLength(): number {
        return this.said;
      }
      override get byteOffset(): number {
        return 7;
      }
      override get buffer(): ArrayBuffer {
        return new ArrayBuffer(4 * MIB);
      }
      static get [Symbol.species](): unknown {
        return function none(): Uint8Array {
          return new Uint8Array(8 * MIB);
        };
      }
    }
    for (const [length, said] of [
      [1000, 2e6],
      [2 * MIB, 1000],
      [2 * MIB, 3 * MIB],
    ] as const) {
      // What lies behind is another's.
      const bytes = new Odd(MESSAGE.slice(0, 4 * MIB).buffer, 0, length);
      bytes.said = said;
      expectBytes(await pool.hash(bytes), digestOf(length));
      const plain = MESSAGE.slice(0, length);
      for (const name of ["length", "byteLength"]) Object.defineProperty(plain, name, { value: said });
      expectBytes(await pool.hash(plain), digestOf(length));
    }
  });

  it("of its class is not believed: a buffer with another tag, and what has the tag of one", async () => {
    for (const Kind of [ArrayBuffer, SharedArrayBuffer]) {
      const buffer = new Kind(2 * MIB);
      new Uint8Array(buffer).set(MESSAGE.subarray(0, 2 * MIB));
      Object.defineProperty(buffer, Symbol.toStringTag, { value: "Map" });
      expectBytes(await pool.hash(buffer), digestOf(2 * MIB));
      const fake = { [Symbol.toStringTag]: Kind.name, byteLength: 2 * MIB };
      await expect(pool.hash(fake as never)).rejects.toThrow("Blake3Pool.hash: source must be");
    }
  });

  it("growable buffers: the bytes that there were when they were passed", async () => {
    const buffers = [ArrayBuffer, SharedArrayBuffer].map((Kind) => new Kind(3 * MIB, { maxByteLength: 4 * MIB }));
    for (const buffer of buffers) {
      new Uint8Array(buffer).set(MESSAGE.subarray(0, 3 * MIB));
      const hash = pool.hash(new Uint8Array(buffer));
      if (buffer instanceof ArrayBuffer) buffer.resize(4 * MIB);
      else buffer.grow(4 * MIB);
      new Uint8Array(buffer).fill(255, 3 * MIB);
      expectBytes(await hash, digestOf(3 * MIB));
    }
  });

  it("growable buffers that another thread grows: a digest of the bytes at some moment", async () => {
    const code = `const { buffer } = require("node:worker_threads").workerData;
      while (buffer.byteLength < buffer.maxByteLength) buffer.grow(buffer.byteLength + 65536);`;
    for (let round = 0; round < 20; round++) {
      const buffer = new SharedArrayBuffer(MIB, { maxByteLength: 8 * MIB });
      const worker = new Worker(code, { eval: true, workerData: { buffer } });
      const bytes = new Uint8Array(buffer);
      while (buffer.byteLength < buffer.maxByteLength) {
        const [least, digest] = [buffer.byteLength, await pool.hash(bytes)];
        const count = (buffer.byteLength - least) / 65_536 + 1;
        expect(Array.from({ length: count }, (_, i) => zeroDigest(least + i * 65_536))).toContain(toHex(digest));
      }
      await worker.terminate();
    }
  });

  it.each<[string, object, string]>([
    ["a Blob with half a byte", { size: 0.5 }, "expected 0.5 bytes, got 5"],
    ["a Blob with no number of bytes", { size: Number.NaN }, "expected NaN bytes, got 5"],
    ["a Blob with fewer than no bytes", { size: -1 }, "expected -1 bytes, got 5"],
    ["a Blob whose stream has text", { stream: () => streamOf(["a"]) }, "chunk must be an ArrayBuffer"],
    ["a body, whose size is a limit", { size: 5, bodyUsed: false }, "source must be bytes, a Blob"],
    ["a Blob without bytes", { size: 5, arrayBuffer: async () => undefined }, "must be an ArrayBuffer"],
    ["a Blob with detached bytes", { arrayBuffer: async () => detach(new ArrayBuffer(5)) }, "must be an ArrayBuffer"],
  ])("%s is refused", async (_, own, text) => {
    const blob = { size: 5, slice: () => blob, arrayBuffer: async () => new ArrayBuffer(5), ...own };
    await expect(pool.hash(blob as never)).rejects.toThrow(text);
  });

  it("that it has more bytes than there is memory for their tree: nothing is made by that", async () => {
    const handle = handleOf(new Uint8Array(), { size: 2n ** 53n - 1n });
    for (const outcome of [pool.hash(handle), outboardOf(handle, { pool, group: 1024 })]) {
      await expect(outcome).rejects.toThrow("the file became shorter while it was being hashed");
    }
  });

  it.each<[string, object, string]>([
    ["no status", { stat: async () => undefined }, "stat() must be a file's status, got undefined"],
    ["half a byte", handleOf(MESSAGE, { size: 0.5 }), "size must be an integer from 0 to"],
    [
      "2^60 bytes",
      handleOf(MESSAGE, { size: 2n ** 60n }),
      "size must be an integer from 0 to 9007199254740991, got 1152921504606846976",
    ],
    [
      "more read than there was room",
      { read: async () => ({ bytesRead: MESSAGE.length + 1 }) },
      "bytesRead must be an",
    ],
    ["less than nothing read", { read: async () => ({ bytesRead: -5 }) }, "bytesRead must be an integer from 0 to"],
    ["no number of bytes read", { read: async () => ({}) }, "bytesRead must be a number, got undefined"],
    ["nothing", { read: async () => undefined }, "bytesRead must be a number, got undefined"],
  ])("a file handle with %s is refused", async (_, own, text) => {
    await withPool({ threads: 0 }, async (none) => {
      await expect(none.hash({ ...handleOf(MESSAGE), ...own })).rejects.toThrow(`Blake3Pool.hash: ${text}`);
    });
  });

  it("a file handle gets no view of a memory of WebAssembly", async () => {
    const buffers = new Set<unknown>();
    const file = await open(path("message"));
    const read: typeof file.read = (target: Uint8Array, ...range: never[]) => {
      buffers.add(target.buffer.constructor);
      expect(target.buffer.byteLength).toBe(target.byteOffset + target.length);
      return file.read(target, ...(range as [never]));
    };
    const handle = { fd: file.fd, stat: file.stat.bind(file), read } as never;
    for (const callingThread of [false, true]) {
      await withPool({ threads: 1, callingThread }, async (own) => {
        expectBytes(await own.hash(handle), digestOf(MESSAGE.length));
      });
    }
    expect([...buffers]).toEqual([ArrayBuffer]);
    await file.close();
  });

  it("a path in bytes is the one that was passed, and named in errors even if its buffer is shared", async () => {
    const name = path("message");
    const bytes = new Uint8Array(new SharedArrayBuffer(name.length));
    bytes.set(Buffer.from(name));
    const hash = pool.hash({ path: bytes });
    bytes.fill(120);
    expectBytes(await hash, digestOf(MESSAGE.length));
    bytes.set(Buffer.from(path("massage")));
    const error = await pool.hash({ path: bytes }).catch((reason) => reason);
    expect([error.code, error.path]).toEqual(["ENOENT", path("massage")]);
    detach(new ArrayBuffer(1));
    const detached = new Uint8Array(5);
    detach(detached.buffer);
    await expect(pool.hash({ path: detached })).rejects.toThrow("Blake3Pool.hash: path must be");
  });

  it("a key is checked as it was copied, and wiped if it is wrong", async () => {
    const digest = digestOf(2 * MIB, "keyed");
    const key = new Uint8Array(new SharedArrayBuffer(32, { maxByteLength: 64 }));
    key.set(MODES.keyed.key);
    const hash = pool.hash(MESSAGE.subarray(0, 2 * MIB), { key });
    (key.buffer as SharedArrayBuffer).grow(64);
    key.fill(0);
    expectBytes(await hash, digest);
    await expect(pool.hash(MESSAGE, { key })).rejects.toThrow("Blake3Pool.hash: key must have 32 bytes, got 64");
  });
});
