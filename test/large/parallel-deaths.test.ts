// Workers that die, that cannot be had, and that the process does not wait for.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import threads, { Worker } from "node:worker_threads";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import type { Blake3Pool, Blake3Source } from "blake-simd/parallel";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ROOT, runNode } from "../support/child.ts";
import { expectBytes } from "../support/messages.ts";
import { digestOf, MESSAGE, MIB, MODES, withPool } from "../support/pool.ts";

/** Every worker that pools have started and that has not ended, and those among them that are ready for work. */
const workers = new Set<WatchedWorker>();
const ready = new Set<WatchedWorker>();

class WatchedWorker extends Worker {
  /** Jobs that it has been given and has not finished. */
  inHand = 0;

  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args);
    workers.add(this);
    this.once("message", () => ready.add(this));
    this.on("message", (reply) => {
      if ("slot" in reply) this.inHand--;
    });
    this.once("exit", () => {
      workers.delete(this);
      ready.delete(this);
    });
  }

  override postMessage(...[message, transfer]: Parameters<Worker["postMessage"]>): void {
    if ("slot" in message) this.inHand++;
    super.postMessage(message, transfer);
  }
}

/** Long enough that a hash continues for a while after a worker's death: it takes ten milliseconds and more. */
const LONG = Buffer.concat([MESSAGE, MESSAGE, MESSAGE, MESSAGE, MESSAGE.subarray(0, 12345)]);
const digestOfLong = nobleBlake3(LONG, MODES.keyed);

const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
const file = join(folder, "message");

beforeAll(() => {
  threads.Worker = WatchedWorker;
  writeFileSync(file, LONG);
});
afterEach(() => {
  threads.Worker = WatchedWorker;
});
afterAll(() => {
  threads.Worker = Worker;
  rmSync(folder, { recursive: true });
});

/** How a worker can come to its end. */
const deaths: Record<string, (worker: Worker) => unknown> = {
  "is terminated": (worker) => worker.terminate(),
  throws: (worker) => worker.postMessage({ module: "none" }),
  "sends what cannot be received": (worker) => worker.emit("messageerror", new Error("tested")),
};

const sources: Record<string, (pool: Blake3Pool) => Blake3Source> = {
  bytes: () => LONG,
  shared: () => {
    const bytes = new Uint8Array(new SharedArrayBuffer(LONG.length));
    bytes.set(LONG);
    return bytes;
  },
  "the pool's memory": (pool) => {
    const bytes = pool.allocate(LONG.length);
    bytes.set(LONG);
    return bytes;
  },
  "a Blob": () => new Blob([LONG]),
  "a file": () => ({ path: file }),
};

/** Hashes until all of a pool's workers are at work. */
async function allReady(pool: Blake3Pool): Promise<void> {
  while (ready.size < pool.threads) await pool.hash(MESSAGE);
}

/** Kills one of two workers after this many parts of a hash, as soon as it has received the next one. */
async function killDuring(pool: Blake3Pool, source: Blake3Source, kill: (worker: Worker) => unknown, i: number) {
  await allReady(pool);
  const victim = [...ready][i % 2] as WatchedWorker;
  const ended = new Promise((resolve) => victim.once("exit", resolve));
  let [parts, undone] = [0, 0];
  const onProgress = (): void => {
    if (undone > 0 || ++parts < 1 + (i % 3) || victim.inHand === 0) return;
    undone = victim.inHand;
    kill(victim);
  };
  const digest = await pool.hash(source, { ...MODES.keyed, onProgress });
  expectBytes(digest, digestOfLong, `death ${i}`);
  expect(undone, `death ${i}`).toBeGreaterThan(0);
  await ended;
}

describe.each(Object.entries(deaths))("a worker that %s in the middle of a hash", (_, kill) => {
  it.each(Object.entries(sources))("%s: the digest is right, 25 times", { timeout: 60_000 }, async (_, make) => {
    await withPool({ threads: 2 }, async (pool) => {
      const source = make(pool);
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
    while (workers.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(pool.threads).toBe(0);
    expectBytes(await pool.hash(MESSAGE.subarray(0, MIB)), digestOf(MIB));
    expect(workers.size).toBe(0);
  });
});

it("workers that cannot be had", async () => {
  threads.Worker = class {
    constructor() {
      throw new Error("forbidden");
    }
  } as never;
  await withPool({ threads: 2 }, async (pool) => {
    expect(pool.threads).toBe(2);
    for (const make of Object.values(sources)) {
      expectBytes(await pool.hash(make(pool), MODES.keyed), digestOfLong);
    }
    expect(pool.threads).toBe(0);
    const own = pool.allocate(MIB);
    own.set(MESSAGE.subarray(0, MIB));
    expectBytes(await pool.hash(own), digestOf(MIB));
    pool.release(own);
  });
});

it("as many workers as a message can use", async () => {
  await withPool({ threads: 7 }, async (pool) => {
    expectBytes(await pool.hash(MESSAGE.subarray(0, MIB)), digestOf(MIB));
    expect(workers.size).toBe(4);
    expectBytes(await pool.hash(MESSAGE), digestOf(MESSAGE.length));
    expect(workers.size).toBe(7);
    expect(pool.threads).toBe(7);
  });
});

it("0 threads: no workers", async () => {
  await withPool({ threads: 0 }, async (pool) => {
    expect(pool.threads).toBe(0);
    for (const make of Object.values(sources)) {
      expectBytes(await pool.hash(make(pool), MODES.keyed), digestOfLong);
    }
    expect(workers.size).toBe(0);
  });
});

describe("in a separate process", () => {
  const prelude = `
    const { Blake3Pool } = await import("blake-simd/parallel");
    const { blake3, equal } = await import("blake-simd");
    const message = new Uint8Array(3_000_000).map((_, i) => i % 251);
    const pool = new Blake3Pool({ threads: 2 });
  `;
  const sourcesThere = `[message, new Blob([message]), { path: ${JSON.stringify(file)} }]`;

  it("the process ends by itself, with a pool that is open", () => {
    const code = `${prelude}
      console.log(JSON.stringify(equal(await pool.hash(message), blake3(message)) && pool.threads));`;
    expect(runNode(code)).toBe(2);
  });

  it("the process waits for a hash that nothing else waits for", () => {
    const code = `${prelude}
      await pool.hash(message);
      pool.hash(message).then((digest) => console.log(JSON.stringify(equal(digest, blake3(message)))));`;
    expect(runNode(code)).toBe(true);
  });

  it("without process.getBuiltinModule the calling thread computes, and paths are refused", () => {
    const code = `delete process.getBuiltinModule;
      ${prelude}
      const digest = await pool.hash(message);
      const error = await pool.hash({ path: "x" }).catch(({ message }) => message);
      console.log(JSON.stringify([pool.threads, equal(digest, blake3(message)), error]));`;
    const error = "Blake3Pool.hash: source must not be a file here: there is no process.getBuiltinModule";
    expect(runNode(code)).toEqual([0, true, error]);
  });

  it("without SharedArrayBuffer workers compute what is sent to them", () => {
    // Node's own workers need the global at their first use.
    const code = `import { readFileSync } from "node:fs";
      import "node:worker_threads";
      delete globalThis.SharedArrayBuffer;
      ${prelude}
      const own = pool.allocate(message.length);
      own.set(message);
      const results = [];
      for (const source of [...${sourcesThere}, own]) {
        const bytes = source.path ? readFileSync(source.path) : source instanceof Blob ? message : source;
        for (const options of [{}, { key: message.subarray(0, 32) }]) {
          results.push(equal(await pool.hash(source, options), blake3(bytes, options)));
        }
      }
      results.push(own.buffer instanceof ArrayBuffer, pool.threads);
      console.log(JSON.stringify(results));`;
    expect(runNode(code)).toEqual([...Array(9).fill(true), 2]);
  });

  it("both builds, chosen by the environment", () => {
    const code = `${prelude} console.log(JSON.stringify(equal(await pool.hash(message), blake3(message))));`;
    expect(runNode(code, { env: { BLAKE_SIMD_DISABLE: "1" } })).toBe(true);
  });

  it("a pool in a worker", () => {
    const inner = `import("blake-simd/parallel").then(async ({ Blake3Pool }) => {
      const { blake3, equal } = await import("blake-simd");
      const message = new Uint8Array(3_000_000).map((_, i) => i % 251);
      const pool = new Blake3Pool({ threads: 2 });
      const right = equal(await pool.hash(message), blake3(message));
      process.getBuiltinModule("node:worker_threads").parentPort.postMessage([right, pool.threads]);
    })`;
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
