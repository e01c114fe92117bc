import { writeFileSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { blake3, toHex } from "blake-simd";
import { Blake3Pool, type Blake3Source } from "blake-simd/parallel";
import { describe, expect, it, vi } from "vitest";
import { detach, type ErrorKind, expectError } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import {
  digestOf,
  filled,
  KIB,
  MESSAGE,
  MIB,
  MODES,
  poolAndFolder,
  watchSharedMemories,
  withPool,
} from "../support/pool.ts";

const { pool, path } = poolAndFolder();
const sharedMemories = watchSharedMemories();

/** Every kind of source with its length. */
function sources(): [name: string, source: Blake3Source, length: number][] {
  const shared = filled(new Uint8Array(new SharedArrayBuffer(5 * MIB)));
  return [
    ["short bytes", MESSAGE.subarray(0, 1000), 1000],
    ["no bytes", new Uint8Array(), 0],
    ["bytes", MESSAGE, MESSAGE.length],
    ["a SharedArrayBuffer", shared, shared.length],
    ["a Blob", new Blob([MESSAGE.subarray(0, 3 * MIB)]), 3 * MIB],
    ["a short Blob", new Blob([MESSAGE.subarray(0, 3)]), 3],
    ["a path", { path: path("message") }, MESSAGE.length],
  ];
}

// A worker that fails is made up for by others, and by the calling thread: its digests would be right all the same.
it("workers do their part, and none ends before the pool is closed", async () => {
  const started: Worker[] = [];
  const ended: Worker[] = [];
  const notice = (worker: Worker): void => {
    started.push(worker);
    worker.once("exit", () => ended.push(worker));
  };
  process.on("worker", notice);
  const own = new Blake3Pool({ threads: 2 });
  try {
    for (const [name, source, length] of sources()) expectBytes(await own.hash(source), digestOf(length), name);
    expect([started.length, ended.length]).toEqual([2, 0]);
  } finally {
    process.off("worker", notice);
    await own.close();
  }
  expect(ended.length).toBe(2);
});

describe("progress", () => {
  it("grows to the total, which is passed each time", async () => {
    for (const threads of [0, 2]) {
      await withPool({ threads }, async (own) => {
        for (const [name, source, length] of sources()) {
          const seen: [number, number | undefined][] = [];
          await own.hash(source, { onProgress: (bytes, total) => seen.push([bytes, total]) });
          expect(seen.length, name).toBeGreaterThan(0);
          expect(seen.at(-1), name).toEqual([length, length]);
          const bytes = seen.map(([so]) => so);
          expect(bytes, name).toEqual([...bytes].sort((a, b) => a - b));
          expect(new Set(seen.map(([, total]) => total)), name).toEqual(new Set([length]));
          if (length > MIB) expect(seen.length, name).toBeGreaterThan(1);
        }
      });
    }
  });

  it.runIf(process.platform === "linux")("tells no total where there is none", async () => {
    const totals: unknown[] = [];
    await pool.hash({ path: "/proc/version" }, { onProgress: (_, total) => totals.push(total) });
    expect(new Set(totals)).toEqual(new Set([undefined]));
  });

  it("ends the hash by what it throws", async () => {
    const trouble = new Error("no more");
    const onProgress = (): never => {
      throw trouble;
    };
    for (const [, source] of sources()) await expect(pool.hash(source, { onProgress })).rejects.toBe(trouble);
    expectBytes(await pool.hash(MESSAGE), digestOf(MESSAGE.length));
  });
});

describe("abortion", () => {
  it("before: rejects with the reason, and reads nothing", async () => {
    const reason = { why: "tested" };
    for (const [, source] of [...sources(), ["", { path: path("absent") }] as const]) {
      await expect(pool.hash(source, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    }
  });

  it.each([0, 2])("during, with %i threads: rejects at once, and leaves the workers to others", async (threads) => {
    await withPool({ threads }, async (own) => {
      for (const [name, source, length] of sources().filter(([, , size]) => size > MIB)) {
        const controller = new AbortController();
        const seen: number[] = [];
        const onProgress = (bytes: number): void => {
          if (seen.push(bytes) === 1) controller.abort(name);
        };
        await expect(own.hash(source, { signal: controller.signal, onProgress })).rejects.toBe(name);
        expect(seen.length, "no progress after the end").toBe(1);
        expect(seen[0]).toBeLessThan(length);
        expectBytes(await own.hash(MESSAGE.subarray(0, MIB)), digestOf(MIB));
      }
    });
  });

  it("at any time: the digest or the reason, nothing else", async () => {
    for (let i = 0; i < 40; i++) {
      const controller = new AbortController();
      const hash = pool.hash(MESSAGE, { signal: controller.signal });
      setTimeout(() => controller.abort("late"), i / 4);
      const outcome = await hash.then(toHex, (reason) => reason);
      expect(["late", toHex(digestOf(MESSAGE.length))]).toContain(outcome);
    }
  });

  it("after: changes nothing, and leaves no listener", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const [add, remove] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
    const digest = await pool.hash(MESSAGE, { signal });
    await Promise.resolve();
    const listeners = ({ mock }: typeof add | typeof remove) => mock.calls.map(([, listener]) => listener);
    expect(listeners(add).length).toBeGreaterThan(0);
    expect(new Set(listeners(remove))).toEqual(new Set(listeners(add)));
    controller.abort();
    expectBytes(digest, digestOf(MESSAGE.length));
  });

  it("at the last progress: rejects with the reason", async () => {
    for (const [name, source, length] of sources()) {
      const controller = new AbortController();
      const onProgress = (bytes: number): void => {
        if (bytes === length) controller.abort(name);
      };
      await expect(pool.hash(source, { signal: controller.signal, onProgress })).rejects.toBe(name);
    }
  });

  it("while a short Blob is read: no progress any more", async () => {
    const controller = new AbortController();
    const onProgress = vi.fn();
    const hash = pool.hash(new Blob(["abc"]), { signal: controller.signal, onProgress });
    controller.abort("enough");
    await expect(hash).rejects.toBe("enough");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(onProgress).not.toHaveBeenCalled();
  });
});

describe("several hashes at a time", () => {
  it("a short one need not wait for a long one", async () => {
    const order: string[] = [];
    const long = pool.hash(new Blob(Array(30).fill(MESSAGE))).then(() => order.push("long"));
    const short = pool.hash(MESSAGE.subarray(0, MIB)).then(() => order.push("short"));
    await Promise.all([long, short]);
    expect(order).toEqual(["short", "long"]);
  });

  it("the options are those of the call, whatever becomes of them", async () => {
    const key = pattern(32);
    const hash = pool.hash(MESSAGE, { key });
    key.fill(0);
    expectBytes(await hash, digestOf(MESSAGE.length, "keyed"));
  });
});

it("options may come from a prototype", async () => {
  class Options {
    get key(): Uint8Array {
      return MODES.keyed.key;
    }
  }
  for (const length of [1000, MESSAGE.length]) {
    expectBytes(await pool.hash(MESSAGE.subarray(0, length), new Options()), digestOf(length, "keyed"));
  }
});

describe("close", () => {
  it("lets what is in flight come to its end, even if it has only begun to open its source, then refuses", async () => {
    for (const [name, source, length] of sources()) {
      const own = new Blake3Pool({ threads: 2 });
      let digest = new Uint8Array(1);
      void own.hash(source, { signal: new AbortController().signal }).then((value) => {
        digest = value;
      });
      const closed = own.close();
      expect(own.close()).toBe(closed);
      await expect(own.hash(source)).rejects.toThrow("Blake3Pool.hash: the pool is closed");
      expectError(() => own.allocate(1), Error, "Blake3Pool.allocate: the pool is closed");
      await closed;
      expectBytes(digest, digestOf(length), name);
    }
  });

  it.runIf(Symbol.asyncDispose)("is what `await using` calls, also of a pool that has done nothing", async () => {
    const own = new Blake3Pool({ threads: 1 });
    await own[Symbol.asyncDispose]();
    await expect(own.hash(new Uint8Array(1))).rejects.toThrow("the pool is closed");
  });
});

describe("memory", () => {
  it("is zero, shared and apart from what else there is", () => {
    const [a, b] = [pool.allocate(1000), pool.allocate(MIB)];
    expect([a.length, b.length]).toEqual([1000, MIB]);
    expect(a.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(a.every((byte) => byte === 0)).toBe(true);
    a.fill(1);
    b.fill(2);
    expect(a.every((byte) => byte === 1)).toBe(true);
    pool.release(a);
    pool.release(b);
  });

  it("is an ordinary array's if there are no workers", async () => {
    await withPool({ threads: 0 }, async (own) => expect(own.allocate(10).buffer).toBeInstanceOf(ArrayBuffer));
  });

  it("is in no other array's buffer, which is at most an eighth longer", () => {
    for (const length of [0, 1, 64, 65, 1000, 65_537, MIB, 3 * MIB + 1]) {
      const { buffer } = pool.allocate(length);
      expect(buffer.byteLength).toBeGreaterThanOrEqual(length);
      expect(buffer.byteLength).toBeLessThanOrEqual(Math.max(64, length + Math.max(63, length / 8)));
      expect(pool.allocate(length).buffer).not.toBe(buffer);
    }
  });

  it("has no key in its buffer, and a write to all of it spoils no hash", async () => {
    const key = crypto.getRandomValues(new Uint8Array(32));
    const wanted = blake3(MESSAGE, { key });
    const bytes = new Uint8Array(pool.allocate(64).buffer);
    for (let i = 0; i < 10; i++) {
      const digest = pool.hash(MESSAGE, { key });
      // The jobs are under way, as their keys in the workers' memory show.
      await new Promise((resolve) => setImmediate(resolve));
      expect(Buffer.from(bytes.buffer).indexOf(key)).toBe(-1);
      bytes.fill(1);
      expectBytes(await digest, wanted);
    }
  });

  it.each([0, 1])("comes back wiped after a release, for about the same length, with %i threads", async (threads) => {
    const own = new Blake3Pool({ threads });
    const pieces = Array.from({ length: 10 }, () => own.allocate(100 * KIB).fill(7));
    const buffers = new Set(pieces.map(({ buffer }) => buffer));
    expect(buffers.size).toBe(10);
    for (const bytes of pieces) own.release(bytes);
    for (let i = 0; i < 10; i++) {
      const again = own.allocate(99 * KIB + i);
      expect(buffers.delete(again.buffer)).toBe(true);
      expect(new Uint8Array(again.buffer).every((byte) => byte === 0)).toBe(true);
    }
    expect(own.allocate(100 * KIB).every((byte) => byte === 0)).toBe(true);
    await own.close();
  });

  it("is released as a whole, whatever the array says of its length", () => {
    const [bytes, others] = [pool.allocate(100).fill(1), pool.allocate(100).fill(2)];
    Object.defineProperty(bytes, "length", { value: MIB });
    Object.defineProperty(bytes, "byteOffset", { value: 0 });
    pool.release(bytes);
    expect(Buffer.from(bytes.buffer).every((byte) => byte === 0)).toBe(true);
    expect(others.every((byte) => byte === 2)).toBe(true);
    pool.release(others);
  });

  it("can be released, but not used again, if it was detached", async () => {
    await withPool({ threads: 0 }, async (own) => {
      const bytes = own.allocate(100);
      detach(bytes.buffer as ArrayBuffer);
      own.release(bytes);
      expect(own.allocate(100)).toHaveLength(100);
    });
  });

  it.each<[unknown, ErrorKind, string]>([
    [2 ** 50, RangeError, "got number 1125899906842624"],
    [-1, RangeError, "got -1"],
    ["1", TypeError, "string"],
    [undefined, TypeError, "undefined"],
  ])("cannot have the length %o", (length, kind, got) => {
    expectError(() => pool.allocate(length as number), kind, "Blake3Pool.allocate: length", got);
  });

  it("is released once, by the array that was allocated", () => {
    const bytes = pool.allocate(1);
    const text = "Blake3Pool.release: bytes must be an array from allocate that has not been released";
    for (const other of [new Uint8Array(1), bytes.subarray(0)]) expectError(() => pool.release(other), TypeError, text);
    pool.release(bytes);
    expectError(() => pool.release(bytes), TypeError, text);
  });

  it.each([{ threads: 2 }, { threads: 2, callingThread: true }])(
    "keeps no key and no message, with %o",
    async (options) => {
      const own = new Blake3Pool(options);
      const secret = crypto.getRandomValues(new Uint8Array(32));
      const message = new Uint8Array(4 * MIB);
      for (let at = 0; at < message.length; at += 32) message.set(secret, at);
      writeFileSync(path("secret"), message);
      for (const source of [message, new Blob([message]), { path: path("secret") }]) {
        await own.hash(source, { key: secret });
        expect(sharedMemories().length).toBeGreaterThan(0);
        for (const memory of sharedMemories()) expect(memory.indexOf(secret.subarray(0, 16))).toBe(-1);
      }
      await own.close();
    },
  );
});
