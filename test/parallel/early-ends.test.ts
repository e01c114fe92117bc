// Workers that die in the middle of a hash, that fail, or that cannot be had; a pool that nobody closes, and a calling
// thread that has other things to do.

import { open } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { OpenFile } from "blake-simd/parallel";
import { expect, it, vi } from "vitest";
import { expectBytes } from "../support/messages.ts";
import { digestOf, fileOf, MESSAGE, MODES, watchSharedMemories, withPool } from "../support/pool.ts";
import { useWorkers, WatchedWorker, withWorkingPool, workers } from "../support/workers.ts";

const sharedMemories = watchSharedMemories();

it("a worker that cannot read its part says why, and goes on with others", async () => {
  await withWorkingPool(2, async (pool) => {
    const before = [...workers];
    const file = await open(fileOf(MESSAGE));
    const status = { ...(await file.stat({ bigint: true })), size: 2n * BigInt(MESSAGE.length), isFile: () => true };
    const tooShort: OpenFile = { stat: async () => status, read: file.read.bind(file) };
    const unreadable = await open(fileOf(MESSAGE), "a");
    const neighbour = pool.hash(MESSAGE);
    for (let i = 0; i < 2; i++) await expect(pool.hash(tooShort)).rejects.toThrow("the file became shorter");
    // It has the system's properties, and no name of a file that has none.
    const error = await pool.hash(unreadable).catch((reason) => reason);
    expect({ ...error }).toEqual({ code: "EBADF", errno: expect.any(Number), syscall: "read" });
    expect(error.message).toBe("EBADF: bad file descriptor, read");
    expectBytes(await neighbour, digestOf(MESSAGE.length));
    await Promise.all([file.close(), unreadable.close()]);
    expectBytes(await pool.hash(MESSAGE), digestOf(MESSAGE.length));
    expect([...workers]).toEqual(before);
  });
});

it("a part that cannot be posted leaves no key, and fails its hash alone", async () => {
  await withWorkingPool(2, async (pool) => {
    const key = crypto.getRandomValues(new Uint8Array(32));
    const refusal = new Error("cannot be cloned");
    WatchedWorker.intercept = () => {
      throw refusal;
    };
    await expect(pool.hash(MESSAGE, { key })).rejects.toBe(refusal);
    WatchedWorker.intercept = undefined;
    expect(sharedMemories().length).toBeGreaterThan(0);
    for (const memory of sharedMemories()) expect(memory.indexOf(key)).toBe(-1);
    expectBytes(await pool.hash(MESSAGE, MODES.keyed), digestOf(MESSAGE.length, "keyed"));
  });
});

it("an error of a worker keeps its name", async () => {
  await withWorkingPool(2, async (pool) => {
    const value = { message: "the file has changed", name: "NotReadableError" };
    WatchedWorker.intercept = (worker, { slot }) => {
      setImmediate(() => worker.emit("message", { kind: "error", slot, value }));
      return true;
    };
    const reason = await pool.hash(MESSAGE).catch((reason) => reason);
    expect(reason).toBeInstanceOf(Error);
    expect(`${reason}`).toBe("NotReadableError: the file has changed");
  });
});

it("a hash whose workers cannot be held fails alone, and holds up nothing", async () => {
  await withWorkingPool(2, async (pool) => {
    const ref = vi.spyOn(WatchedWorker.prototype, "ref").mockImplementation(() => {
      throw new Error("tested");
    });
    await expect(pool.hash(MESSAGE, MODES.keyed)).rejects.toThrow("tested");
    ref.mockRestore();
    expectBytes(await pool.hash(MESSAGE, MODES.keyed), digestOf(MESSAGE.length, "keyed"));
  });
});

it("a hash that is aborted while all threads compute another one", async () => {
  const controller = new AbortController();
  await withPool({ threads: 0 }, async (pool) => {
    const first = pool.hash(MESSAGE, { onProgress: () => controller.abort("enough") });
    const second = pool.hash(MESSAGE, { ...MODES.keyed, signal: controller.signal });
    await expect(second).rejects.toBe("enough");
    expectBytes(await first, digestOf(MESSAGE.length));
    expectBytes(await pool.hash(MESSAGE, MODES.keyed), digestOf(MESSAGE.length, "keyed"));
  });
});

it("workers that never say that they have started: the calling thread computes", async () => {
  useWorkers(
    class extends Worker {
      override on(...args: Parameters<Worker["on"]>): this {
        return args[0] === "message" ? this : super.on(...args);
      }
    } as typeof Worker,
  );
  await withPool({ threads: 2 }, async (pool) => {
    expectBytes(await pool.hash(MESSAGE), digestOf(MESSAGE.length));
    expect(pool.threads).toBe(2);
  });
});

it("a worker that ends with its parts fails their hash, and the next one has another", async () => {
  await withWorkingPool(2, async (pool) => {
    const [victim] = [...workers] as [WatchedWorker];
    const before = victim.parts.sent;
    const onProgress = (): void => {
      if (victim.parts.sent > before) void victim.terminate();
    };
    const text = "Blake3Pool.hash: a worker ended before its part was hashed";
    await expect(pool.hash(MESSAGE, { ...MODES.keyed, onProgress })).rejects.toThrow(text);
    expect(workers.has(victim)).toBe(false);
    expectBytes(await pool.hash(MESSAGE, MODES.keyed), digestOf(MESSAGE.length, "keyed"));
    expect(pool.threads).toBe(2);
  });
});

it("workers hold the process during a hash alone, so that it ends although the pool is open", async () => {
  await withWorkingPool(2, async (pool) => {
    const held = () => Array.from(workers, ({ holds }) => holds);
    expect(held()).toEqual([false, false]);
    let during: boolean[] = [];
    const onProgress = (): void => {
      during = held();
    };
    expectBytes(await pool.hash(MESSAGE, { onProgress }), digestOf(MESSAGE.length));
    expect([during, held()]).toEqual([
      [true, true],
      [false, false],
    ]);
  });
  expect(workers.size).toBe(0);
});

it("the calling thread lets others run while it hashes alone", async () => {
  let turns = 0;
  let digest: Uint8Array | undefined;
  await withPool({ threads: 0 }, async (pool) => {
    void pool.hash(MESSAGE).then((value) => {
      digest = value;
    });
    for (; !digest; turns++) await turn();
  });
  expectBytes(digest as unknown as Uint8Array, digestOf(MESSAGE.length));
  expect(turns).toBeGreaterThanOrEqual(3);
});
