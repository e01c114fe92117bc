// A worker that dies in the middle of a hash, a signal that throws, a pool that nobody closes, and a calling thread that has
// other things to do.
import { mkdtempSync, promises, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import threads, { Worker } from "node:worker_threads";
import { Blake3Pool, type OpenFile } from "blake-simd/parallel";
import { afterEach, expect, it, vi } from "vitest";
import { expectBytes } from "../support/messages.ts";
import { digestOf, MESSAGE, MODES, watchSharedMemories, withPool } from "../support/pool.ts";

const sharedMemories = watchSharedMemories();

/** Workers that are alive, with what they have been sent and how they hold the process. */
const workers = new Set<WatchedWorker>();

class WatchedWorker extends Worker {
  /** What a job that is posted throws, if anything. */
  static refusal: Error | undefined;
  jobs = 0;
  holds = true;

  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args);
    workers.add(this);
    this.once("exit", () => workers.delete(this));
  }

  override postMessage(...args: Parameters<Worker["postMessage"]>): void {
    if ("slot" in args[0]) this.jobs++;
    if ("slot" in args[0] && WatchedWorker.refusal) throw WatchedWorker.refusal;
    super.postMessage(...args);
  }

  override ref(): void {
    this.holds = true;
    super.ref();
  }

  override unref(): void {
    this.holds = false;
    super.unref();
  }
}

/** Calls `use` with the name of a file with some content. */
async function withFile(content: Uint8Array, use: (name: string) => Promise<void>): Promise<void> {
  const name = join(mkdtempSync(join(tmpdir(), "blake-simd-")), "file");
  writeFileSync(name, content);
  await use(name);
  rmSync(dirname(name), { recursive: true });
}

/** A pool whose workers have all computed something. */
async function withWorkingPool(use: (pool: Blake3Pool) => Promise<void>): Promise<void> {
  threads.Worker = WatchedWorker;
  await withPool({ threads: 2 }, async (pool) => {
    await vi.waitFor(async () => {
      await pool.hash(MESSAGE);
      const jobs = Array.from(workers, (worker) => worker.jobs);
      expect(jobs.filter((count) => count > 0)).toHaveLength(2);
    }, 120_000);
    await use(pool);
  });
}

afterEach(() => {
  threads.Worker = Worker;
  WatchedWorker.refusal = undefined;
  workers.clear();
});

it("a worker that cannot read its part says why, and goes on with others", async () => {
  await withWorkingPool(async (pool) => {
    const before = [...workers];
    await withFile(MESSAGE, async (name) => {
      const file = await open(name);
      const status = { ...(await file.stat({ bigint: true })), size: 2n * BigInt(MESSAGE.length), isFile: () => true };
      const tooShort = { fd: file.fd, stat: async () => status, read: file.read.bind(file) };
      const neighbour = pool.hash(MESSAGE);
      for (let i = 0; i < 2; i++) await expect(pool.hash(tooShort)).rejects.toThrow("the file became shorter");
      expectBytes(await neighbour, digestOf(MESSAGE.length));
      await file.close();
    });
    expectBytes(await pool.hash(MESSAGE), digestOf(MESSAGE.length));
    expect([...workers]).toEqual(before);
  });
});

it("a worker's error has the system's properties, and no name of a file that has none", async () => {
  await withWorkingPool(async (pool) => {
    await withFile(MESSAGE, async (name) => {
      const file = await open(name, "a");
      const error = await pool.hash(file).catch((reason) => reason);
      expect({ ...error }).toEqual({ code: "EBADF", errno: expect.any(Number), syscall: "read" });
      expect(error.message).toBe("EBADF: bad file descriptor, read");
      await file.close();
    });
  });
});

it("a job that cannot be posted leaves no key, and fails its hash alone", async () => {
  await withWorkingPool(async (pool) => {
    const key = crypto.getRandomValues(new Uint8Array(32));
    WatchedWorker.refusal = new Error("cannot be cloned");
    await expect(pool.hash(MESSAGE, { key })).rejects.toBe(WatchedWorker.refusal);
    WatchedWorker.refusal = undefined;
    expect(sharedMemories().length).toBeGreaterThan(0);
    for (const memory of sharedMemories()) expect(memory.indexOf(key)).toBe(-1);
    expectBytes(await pool.hash(MESSAGE, MODES.keyed), digestOf(MESSAGE.length, "keyed"));
  });
});

it("a file that its owner has closed is not read any more: its number may be another file's", async () => {
  await withFile(Buffer.concat([MESSAGE, MESSAGE, MESSAGE, MESSAGE]), async (name) => {
    const file = await open(name);
    for (const threads of [0, 2]) {
      const closed = { fd: file.fd, stat: file.stat.bind(file), read: file.read.bind(file) };
      const onProgress = (): void => void Object.assign(closed, { fd: -1 });
      const hash = withPool({ threads }, (pool) => pool.hash(closed as OpenFile, { onProgress }));
      await expect(hash).rejects.toThrow("got a file that has been closed");
    }
    await file.close();
  });
});

it("an error of a worker keeps its name", async () => {
  threads.Worker = class extends Worker {
    override postMessage(...args: Parameters<Worker["postMessage"]>): void {
      const { slot } = args[0] as { slot?: number };
      const error = { message: "the file has changed", name: "NotReadableError" };
      if (slot === undefined) super.postMessage(...args);
      else setImmediate(() => this.emit("message", { slot, error }));
    }
  };
  await withPool({ threads: 2, callingThread: false }, async (pool) => {
    // Until a worker is ready, the calling thread computes.
    await vi.waitFor(async () => {
      const error = await pool.hash(MESSAGE).catch((reason) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(`${error}`).toBe("NotReadableError: the file has changed");
    }, 120_000);
  });
});

it("a hash whose workers cannot be held fails alone, and holds up nothing", async () => {
  await withWorkingPool(async (pool) => {
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
    const onProgress = (): void => controller.abort("enough");
    const first = pool.hash(MESSAGE, { onProgress });
    const second = pool.hash(MESSAGE, { ...MODES.keyed, signal: controller.signal });
    await expect(second).rejects.toBe("enough");
    expectBytes(await first, digestOf(MESSAGE.length));
    expectBytes(await pool.hash(MESSAGE, MODES.keyed), digestOf(MESSAGE.length, "keyed"));
  });
});

it("workers that never say that they have started: the calling thread computes", async () => {
  threads.Worker = class extends Worker {
    override on(...args: Parameters<Worker["on"]>): this {
      return args[0] === "message" ? this : super.on(...args);
    }
  } as typeof Worker;
  await withPool({ threads: 2 }, async (pool) => {
    expectBytes(await pool.hash(MESSAGE), digestOf(MESSAGE.length));
    expect(pool.threads).toBe(2);
  });
});

it("a worker dies with its jobs: others do them, and the digest is right", async () => {
  await withWorkingPool(async (pool) => {
    const victim = [...workers][0]!;
    const before = victim.jobs;
    const onProgress = (): void => {
      if (victim.jobs > before) void victim.terminate();
    };
    expectBytes(await pool.hash(MESSAGE, { ...MODES.keyed, onProgress }), digestOf(MESSAGE.length, "keyed"));
    expect(workers.has(victim)).toBe(false);
    expectBytes(await pool.hash(MESSAGE, MODES.keyed), digestOf(MESSAGE.length, "keyed"));
  });
});

it("a message that a worker cannot receive ends it: others do its jobs, and the digest is right", async () => {
  const ends: string[] = [];
  threads.Worker = class extends Worker {
    constructor(code: string | URL, options: ConstructorParameters<typeof Worker>[1]) {
      const failure = `{
        const { parentPort } = require("node:worker_threads");
        parentPort.on("message", ({ slot }) => slot >= 0 && parentPort.emit("messageerror", new Error("tested")));
      }`;
      super(`${code}\n${failure}`, options);
      this.once("error", ({ message }) => ends.push(message));
    }
  } as typeof Worker;
  await withPool({ threads: 2 }, async (pool) => {
    const message = "a message could not be received";
    await vi.waitFor(async () => {
      expectBytes(await pool.hash(MESSAGE, MODES.keyed), digestOf(MESSAGE.length, "keyed"));
      expect(ends.length).toBeGreaterThanOrEqual(2);
    }, 120_000);
    expectBytes(await pool.hash(MESSAGE), digestOf(MESSAGE.length));
    expect(new Set(ends)).toEqual(new Set([message]));
  });
});

it("workers hold the process during a hash alone, so that it ends although the pool is open", async () => {
  await withWorkingPool(async (pool) => {
    const held = () => Array.from(workers, ({ holds }) => holds);
    expect(held()).toEqual([false, false]);
    let during: boolean[] = [];
    const onProgress = (): void => {
      during = held();
    };
    expectBytes(await pool.hash(MESSAGE, { onProgress }), digestOf(MESSAGE.length));
    expect(during).toEqual([true, true]);
    expect(held()).toEqual([false, false]);
  });
});

it.each<[string, number, (signal: AbortSignal, act: () => void) => void]>([
  ["cannot be listened to", 1, (signal, act) => Object.assign(signal, { addEventListener: act })],
  ["cannot be listened to again", 2, (signal, act) => Object.assign(signal, { addEventListener: act })],
  ["throws when it is asked again", 2, (signal, act) => Object.assign(signal, { throwIfAborted: act })],
])("a signal that %s: the file is closed, and nothing rejects unhandled", async (_, nth, replace) => {
  const hashed = async (path: string): Promise<unknown> => {
    const { signal } = new AbortController();
    let calls = 0;
    replace(signal, () => {
      if (++calls === nth) throw "tested";
    });
    return withPool({ threads: 1 }, (pool) => pool.hash({ path }, { signal })).catch((error) => error);
  };
  const opened = vi.spyOn(promises, "open");
  let gone = "";
  await withFile(MESSAGE, async (name) => {
    gone = name;
    expect(await hashed(name)).toBe("tested");
    const file = (await opened.mock.results[0]?.value) as FileHandle;
    await vi.waitFor(() => expect(file.fd).toBe(-1));
  });
  opened.mockRestore();
  const error = (await hashed(gone)) as { code?: string };
  expect(["tested", "ENOENT"]).toContainEqual(error.code ?? error);
});

it("the calling thread lets others run while it hashes alone", async () => {
  const pool = new Blake3Pool({ threads: 0 });
  let turns = 0;
  let done = false;
  const turn = (): void => {
    turns++;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  const digest = await pool.hash(MESSAGE);
  done = true;
  await pool.close();
  expectBytes(digest, digestOf(MESSAGE.length));
  expect(turns).toBeGreaterThanOrEqual(3);
});
