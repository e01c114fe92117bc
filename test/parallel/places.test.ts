// Where workers find a part's bytes, in engines of each kind: stand-ins for what an engine has or lacks, in Node's threads.
import { resolveObjectURL } from "node:buffer";
import { renameSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import threads, { MessageChannel, Worker } from "node:worker_threads";
import type { Blake3Pool, Blake3Source } from "blake-simd/parallel";
import { afterEach, beforeAll, expect, it } from "vitest";
import { expectBytes } from "../support/messages.ts";
import { digestOf, filled, KIB, MESSAGE, MIB, MODES, openFiles, poolAndFolder, withPool } from "../support/pool.ts";

const { path } = poolAndFolder();
const message = MESSAGE.subarray(0, 4 * MIB);
beforeAll(() => writeFileSync(path("message"), message));

interface JobMessage {
  readonly slot: number;
  readonly place?: { readonly kind: string };
  readonly parameters?: Uint8Array;
}

interface Reply {
  readonly slot: number;
  readonly values?: Uint8Array;
  readonly buffer?: ArrayBuffer;
}

/** The kinds of place of parts that workers have computed. */
const computed = new Set<string>();
/** The most jobs that a worker has had at a time. */
let atOnce = 0;
/** Keys that were sent to workers, and buffers of content that came back: all must be wiped. */
const secrets: Uint8Array[] = [];

/** Notes the jobs of one worker that it completes. */
class Jobs {
  readonly #kinds = new Map<number, string>();

  sent({ slot, place, parameters }: JobMessage): void {
    if (place) this.#kinds.set(slot, place.kind);
    if (parameters) secrets.push(parameters);
    atOnce = Math.max(atOnce, this.#kinds.size);
  }

  received({ slot, values, buffer }: Reply): void {
    if (values) computed.add(this.#kinds.get(slot) as string);
    if (buffer) secrets.push(new Uint8Array(buffer.slice()));
    this.#kinds.delete(slot);
  }
}

class WatchedThread extends Worker {
  readonly jobs = new Jobs();

  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args);
    this.on("message", (reply) => this.jobs.received(reply));
  }

  override postMessage(...args: Parameters<Worker["postMessage"]>): void {
    this.jobs.sent(args[0]);
    super.postMessage(...args);
  }
}

/** Runs a browser's worker: its scope has nothing of Node's. */
const START = `{
  const { port, code } = require("node:worker_threads").workerData;
  const { runInThisContext } = require("node:vm");
  globalThis.process = undefined;
  globalThis.postMessage = (message, transfer) => port.postMessage(message, transfer);
  port.on("message", (data) => globalThis.onmessage({ data }));
  runInThisContext(code);
}`;

/** A browser's Worker. */
class PageWorker {
  readonly jobs = new Jobs();
  readonly #port: InstanceType<typeof MessageChannel>["port1"];
  readonly #thread: Promise<Worker>;

  constructor(url: string) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on("message", (reply) => this.jobs.received(reply));
    const text = (resolveObjectURL(url) as unknown as Blob).text();
    this.#thread = text.then(
      (code) => new Worker(START, { eval: true, workerData: { port: port2, code }, transferList: [port2] }),
    );
  }

  addEventListener(type: string, listener: (event: { data: unknown }) => void, { once = false } = {}): void {
    if (type === "message") this.#port[once ? "once" : "on"](type, (data: unknown) => listener({ data }));
    else void this.#thread.then((thread) => thread.on(type, () => listener({ data: undefined })));
  }

  postMessage(message: JobMessage, transfer: ArrayBuffer[]): void {
    this.jobs.sent(message);
    this.#port.postMessage(message, transfer);
  }

  terminate(): void {
    this.#port.close();
    void this.#thread.then((thread) => thread.terminate());
  }
}

/** Global names with the values that they have in a test; a module's code looks them up when it runs. */
const globals = globalThis as Record<string, unknown>;
const { process } = globalThis;
const isolated = { crossOriginIsolated: false };
const page = {
  process: Object.create(process, { getBuiltinModule: { value: undefined }, versions: { value: undefined } }),
  Worker: PageWorker,
};
const engines: Record<string, { has: object; places: Record<string, string> }> = {
  Node: {
    has: {},
    places: {
      bytes: "slot",
      shared: "shared",
      allocated: "shared",
      blob: "slot",
      path: "descriptor",
      handle: "descriptor",
    },
  },
  "Node without shared memory": {
    has: isolated,
    places: { bytes: "moved", shared: "moved", allocated: "moved", blob: "moved", path: "descriptor" },
  },
  // There a descriptor belongs to the thread that opened it.
  Deno: {
    has: { Deno: {} },
    places: { bytes: "slot", shared: "slot", allocated: "slot", blob: "slot", path: "path", handle: "slot" },
  },
  "a page": { has: page, places: { bytes: "slot", shared: "shared", allocated: "shared", blob: "blob" } },
  "a page that is not isolated": {
    has: { ...page, ...isolated },
    places: { bytes: "moved", shared: "moved", allocated: "moved", blob: "blob" },
  },
};

const sources: Record<string, (pool: Blake3Pool) => Blake3Source | Promise<Blake3Source>> = {
  bytes: () => message,
  shared: () => filled(new Uint8Array(new SharedArrayBuffer(message.length))),
  allocated: (pool) => filled(pool.allocate(message.length)),
  blob: () => new Blob([message]),
  path: () => ({ path: path("message") }),
  handle: () => open(path("message")),
};

const before = new Map(Object.keys({ ...page, ...isolated, Deno: 0 }).map((name) => [name, globals[name]]));
afterEach(() => {
  threads.Worker = Worker;
  for (const [name, value] of before) {
    if (value === undefined) delete globals[name];
    else globals[name] = value;
  }
});

it.each(Object.entries(engines))("%s: each kind of source", async (_, { has, places }) => {
  Object.assign(globals, has);
  threads.Worker = WatchedThread;
  atOnce = 0;
  secrets.length = 0;
  await withPool({ threads: 1 }, async (pool) => {
    for (const [kind, place] of Object.entries(places)) {
      computed.clear();
      const source = await sources[kind]!(pool);
      // Before the worker is ready, the calling thread computes.
      for (let i = 0; i < 300 && computed.size === 0; i++) {
        expectBytes(await pool.hash(source, MODES.keyed), digestOf(message.length, "keyed"), kind);
      }
      expect([...computed], kind).toEqual([place]);
      if (kind === "handle") await (source as Awaited<ReturnType<typeof open>>).close();
    }
    // The next job is there when one is done.
    expect([pool.threads, atOnce]).toEqual([1, 2]);
    expect(openFiles()).not.toContain(path("message"));
  });
  expect(secrets.length > 0).toBe("crossOriginIsolated" in has);
  for (const bytes of secrets) expect(Buffer.from(bytes).equals(Buffer.alloc(bytes.length))).toBe(true);
});

/** Hashes until a worker has computed something; each digest must be right. */
async function untilWorking(pool: Blake3Pool): Promise<void> {
  computed.clear();
  for (let i = 0; i < 300 && computed.size === 0; i++) expectBytes(await pool.hash(message), digestOf(message.length));
  expect(computed.size).toBe(1);
}

it("Node without shared memory: a buffer that does not come back is replaced", async () => {
  Object.assign(globals, isolated);
  let fails = false;
  threads.Worker = class extends WatchedThread {
    override postMessage(...args: Parameters<Worker["postMessage"]>): void {
      const { slot, place } = args[0] as JobMessage;
      if (!fails || place?.kind !== "moved") {
        super.postMessage(...args);
        return;
      }
      structuredClone(args[0], { transfer: args[1] as ArrayBuffer[] });
      setImmediate(() => this.emit("message", { slot, error: { message: "tested", name: "Error" } }));
    }
  };
  await withPool({ threads: 1 }, async (pool) => {
    await untilWorking(pool);
    fails = true;
    await expect(pool.hash(message)).rejects.toThrow("tested");
    fails = false;
    await untilWorking(pool);
    expectBytes(await pool.hash(message, MODES.keyed), digestOf(message.length, "keyed"));
  });
});

it("Deno: a worker that ends while bytes are read for it", async () => {
  Object.assign(globals, { Deno: {} });
  const workers: Worker[] = [];
  threads.Worker = class extends WatchedThread {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      workers.push(this);
    }
  };
  await withPool({ threads: 1 }, async (pool) => {
    await untilWorking(pool);
    const file = await open(path("message"));
    let ended = 0;
    const read: typeof file.read = async (...args: [never]) => {
      // Its parts are read for the worker, in which nothing runs yet.
      if (ended++ === 0) await workers[0]!.terminate();
      return file.read(...args);
    };
    const handle = { fd: file.fd, stat: file.stat.bind(file), read } as unknown as Blake3Source;
    expectBytes(await pool.hash(handle, MODES.keyed), digestOf(message.length, "keyed"));
    expect(ended).toBeGreaterThan(1);
    await file.close();
    await untilWorking(pool);
    expect(workers).toHaveLength(2);
  });
});

it("Deno: a file that is replaced while it is hashed", async () => {
  Object.assign(globals, { Deno: {} });
  threads.Worker = WatchedThread;
  await withPool({ threads: 1 }, async (pool) => {
    await untilWorking(pool);
    const long = Buffer.concat([MESSAGE, MESSAGE, MESSAGE]);
    writeFileSync(path("replaced"), long);
    let reports = 0;
    const onProgress = (): void => {
      if (reports++ > 0) return;
      writeFileSync(path("new"), long);
      renameSync(path("new"), path("replaced"));
    };
    await expect(pool.hash({ path: path("replaced") }, { onProgress })).rejects.toThrow(
      "the file was replaced while it was being hashed",
    );
    expectBytes(await pool.hash({ path: path("message") }), digestOf(message.length));
  });
});

it.each<[length: number, source: string, options: { threads: number; callingThread?: boolean }, parts: number]>([
  // Of at most 1 MiB if the bytes are sent, and of at most 4 MiB if a worker has them.
  [4, "bytes", { threads: 1 }, 4],
  [4, "bytes", { threads: 3, callingThread: true }, 6],
  [4, "shared", { threads: 0 }, 4],
  [4, "shared", { threads: 1 }, 2],
  [4, "shared", { threads: 3 }, 3],
  // And of at least 256 KiB.
  [1, "shared", { threads: 6 }, 4],
])("of %i MiB, %s, %o: %i parts, each of which is reported", async (mebibytes, kind, options, parts) => {
  await withPool(options, async (pool) => {
    const source = (await sources[kind]!(pool)) as Uint8Array;
    let reports = 0;
    const digest = await pool.hash(source.subarray(0, mebibytes * MIB), { onProgress: () => reports++ });
    expectBytes(digest, digestOf(mebibytes * MIB));
    expect(reports).toBe(parts);
  });
});

it.each([
  [768 * KIB, 1],
  [768 * KIB + 1, 2],
])("%i bytes in %i parts: whole up to 768 KiB, divided beyond", async (length, parts) => {
  await withPool({ threads: 0 }, async (pool) => {
    let reports = 0;
    const bytes = MESSAGE.subarray(0, length);
    expectBytes(await pool.hash(bytes, { onProgress: () => reports++ }), digestOf(length));
    expect(reports).toBe(parts);
  });
});
