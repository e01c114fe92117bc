// Workers that die in the middle of a hash of each kind of source, that cannot be had, and that the process does not
// wait for.
import { execFileSync } from "node:child_process";
import type { Worker } from "node:worker_threads";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import type { Blake3Pool, Blake3Source } from "blake-simd/parallel";
import { beforeEach, describe, expect, it } from "vitest";
import { ROOT, runNode } from "../support/child.ts";
import { expectBytes } from "../support/messages.ts";
import { digestOf, fileOf, MESSAGE, MIB, MODES, SOURCES, withPool } from "../support/pool.ts";
import { useWorkers, WatchedWorker, workers } from "../support/workers.ts";

beforeEach(() => useWorkers(WatchedWorker));

/** Long enough that a hash continues for a while after a worker's death: it takes ten milliseconds and more. */
const LONG = Uint8Array.from(Buffer.concat([MESSAGE, MESSAGE, MESSAGE, MESSAGE, MESSAGE.subarray(0, 12345)]));
const digestOfLong = nobleBlake3(LONG, MODES.keyed);

/** How a worker can come to its end. */
const deaths: Record<string, (worker: Worker) => unknown> = {
  "is terminated": (worker) => worker.terminate(),
  throws: (worker) => worker.postMessage({ module: "none" }),
  "sends what cannot be received": (worker) => worker.emit("messageerror", new Error("tested")),
};

const kinds = ["bytes", "a part of a SharedArrayBuffer", "the pool's memory", "a Blob", "a path"];
const sourceOf = (kind: string, pool: Blake3Pool) => SOURCES[kind]!(LONG, pool);

/** Kills one of two workers after this many parts of a hash, as soon as it has received the next one. */
async function killDuring(pool: Blake3Pool, source: Blake3Source, kill: (worker: Worker) => unknown, i: number) {
  const working = () => [...workers].filter(({ parts }) => parts.sent > 0);
  while (working().length < pool.threads) await pool.hash(MESSAGE);
  const victim = working()[i % 2] as WatchedWorker;
  const ended = new Promise((resolve) => victim.once("exit", resolve));
  let [parts, undone] = [0, 0];
  const onProgress = (): void => {
    if (undone > 0 || ++parts < 1 + (i % 3) || victim.parts.inHand.size === 0) return;
    undone = victim.parts.inHand.size;
    kill(victim);
  };
  expectBytes(await pool.hash(source, { ...MODES.keyed, onProgress }), digestOfLong, `death ${i}`);
  expect(undone, `death ${i}`).toBeGreaterThan(0);
  await ended;
}

describe.each(Object.entries(deaths))("a worker that %s in the middle of a hash", (_, kill) => {
  it.each(kinds)("%s: the digest is right, 25 times", { timeout: 60_000 }, async (kind) => {
    await withPool({ threads: 2 }, async (pool) => {
      const source = await sourceOf(kind, pool);
      for (let i = 0; i < 25; i++) await killDuring(pool, source, kill, i);
      expectBytes(await pool.hash(source, MODES.keyed), digestOfLong);
      expect(pool.threads).toBe(2);
    });
    expect(workers.size).toBe(0);
  });
});

it("at any time, in whatever state the workers are", { timeout: 60_000 }, async () => {
  await withPool({ threads: 2 }, async (pool) => {
    for (let i = 0; i < 100; i++) {
      const strike = setTimeout(() => [...workers][i % 2]?.terminate(), i % 20);
      expectBytes(await pool.hash(MESSAGE), digestOf(MESSAGE.length));
      clearTimeout(strike);
    }
  });
});

it("all workers at once, with several hashes in flight", async () => {
  await withPool({ threads: 3 }, async (pool) => {
    for (let i = 0; i < 10; i++) {
      const hashes = [MESSAGE, MESSAGE.subarray(0, 5 * MIB), LONG].map((source) => pool.hash(source, MODES.keyed));
      setTimeout(() => {
        for (const worker of [...workers]) worker.terminate();
      }, i);
      const digests = await Promise.all(hashes);
      const wanted = [digestOf(MESSAGE.length, "keyed"), digestOf(5 * MIB, "keyed"), digestOfLong];
      for (const [j, digest] of wanted.entries()) expectBytes(digests[j] as Uint8Array, digest);
    }
  });
});

it("workers that end before they start are given up, and the calling thread computes", async () => {
  await withPool({ threads: 2 }, async (pool) => {
    const hash = pool.hash(MESSAGE);
    while (workers.size < 2) await null;
    for (const worker of [...workers]) worker.terminate();
    expectBytes(await hash, digestOf(MESSAGE.length));
    await expect.poll(() => [workers.size, pool.threads]).toEqual([0, 0]);
    expectBytes(await pool.hash(MESSAGE.subarray(0, MIB)), digestOf(MIB));
    expect(workers.size).toBe(0);
  });
});

it("as many workers as a message can use", async () => {
  await withPool({ threads: 7 }, async (pool) => {
    expectBytes(await pool.hash(MESSAGE.subarray(0, MIB)), digestOf(MIB));
    expect(workers.size).toBe(4);
    expectBytes(await pool.hash(MESSAGE), digestOf(MESSAGE.length));
    expect([workers.size, pool.threads]).toEqual([7, 7]);
  });
});

describe("in a separate process", () => {
  const prelude = `
    const { Blake3Pool } = await import("blake-simd/parallel");
    const { blake3, equal } = await import("blake-simd");
    const message = new Uint8Array(3_000_000).map((_, i) => i % 251);
    const pool = new Blake3Pool({ threads: 2 });`;

  it("a hash that nothing else waits for comes to its end, and then the process does, with a pool that is open", () => {
    const code = `${prelude}
      await pool.hash(message);
      pool.hash(message).then((digest) => console.log(JSON.stringify(equal(digest, blake3(message)) && pool.threads)));`;
    for (const BLAKE_SIMD_DISABLE of ["", "1"]) expect(runNode(code, { env: { BLAKE_SIMD_DISABLE } })).toBe(2);
  });

  it("without SharedArrayBuffer workers compute what is sent to them", () => {
    // Node's own workers need the global at their first use.
    const code = `import { readFileSync } from "node:fs";
      import "node:worker_threads";
      delete globalThis.SharedArrayBuffer;
      ${prelude}
      const path = ${JSON.stringify(fileOf(MESSAGE))};
      const own = pool.allocate(message.length);
      own.set(message);
      const sources = [[message, message], [new Blob([message]), message], [own, message], [{ path }, readFileSync(path)]];
      const results = [];
      for (const [source, bytes] of sources) {
        for (const options of [{}, { key: message.subarray(0, 32) }]) {
          results.push(equal(await pool.hash(source, options), blake3(bytes, options)));
        }
      }
      console.log(JSON.stringify([...results, own.buffer instanceof ArrayBuffer, pool.threads]));`;
    expect(runNode(code)).toEqual([...Array(9).fill(true), 2]);
  });

  it("a pool in a worker", () => {
    const inner = `(async () => {${prelude}
      const right = equal(await pool.hash(message), blake3(message));
      process.getBuiltinModule("node:worker_threads").parentPort.postMessage([right, pool.threads]);
    })()`;
    const code = `import { Worker } from "node:worker_threads";
      new Worker(${JSON.stringify(inner)}, { eval: true }).on("message", (m) => console.log(JSON.stringify(m)));`;
    expect(runNode(code)).toEqual([true, 2]);
  });

  it("whatever flags the process has been given", () => {
    const code = `${prelude} await pool.hash(message); console.log(pool.threads);`;
    const args = ["--input-type=module", "--no-warnings", "--expose-gc", "--eval", code];
    expect(execFileSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" })).toBe("2\n");
  });
});
