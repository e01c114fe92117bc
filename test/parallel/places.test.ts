// Where workers find a part's bytes, in engines of each kind: stand-ins for what an engine has or lacks, in Node's
// threads.
import { resolveObjectURL } from "node:buffer";
import { renameSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { MessageChannel, Worker } from "node:worker_threads";
import type { OpenFile } from "blake-simd/parallel";
import { afterEach, expect, it } from "vitest";
import { expectBytes } from "../support/messages.ts";
import { openFiles } from "../support/open-files.ts";
import { digestOf, fileOf, KIB, MESSAGE, MIB, MODES, path, SOURCES, withPool } from "../support/pool.ts";
import {
  computed,
  type PartMessage,
  Parts,
  secrets,
  useWorkers,
  WatchedWorker,
  withWorkingPool,
  workers,
} from "../support/workers.ts";

const message = MESSAGE.subarray(0, 4 * MIB);

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
  readonly parts = new Parts();
  readonly #port: InstanceType<typeof MessageChannel>["port1"];
  readonly #thread: Promise<Worker>;

  constructor(url: string) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on("message", (reply) => this.parts.receive(reply));
    const text = (resolveObjectURL(url) as unknown as Blob).text();
    this.#thread = text.then(
      (code) => new Worker(START, { eval: true, workerData: { port: port2, code }, transferList: [port2] }),
    );
  }

  addEventListener(type: string, listener: (event: { data: unknown }) => void, { once = false } = {}): void {
    if (type === "message") this.#port[once ? "once" : "on"](type, (data: unknown) => listener({ data }));
    else void this.#thread.then((thread) => thread.on(type, () => listener({ data: undefined })));
  }

  postMessage(message: PartMessage, transfer: ArrayBuffer[]): void {
    this.parts.send(message);
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
const before = new Map(Object.keys({ ...page, ...isolated, Deno: 0 }).map((name) => [name, globals[name]]));
afterEach(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete globals[name];
    else globals[name] = value;
  }
});

const KINDS = ["bytes", "a part of a SharedArrayBuffer", "the pool's memory", "a Blob", "a path", "a handle"];

it.each<[engine: string, has: object, places: string]>([
  ["Node", {}, "slot shared shared slot descriptor descriptor"],
  ["Node without shared memory", isolated, "moved moved moved moved descriptor descriptor"],
  // There a descriptor belongs to the thread that opened it.
  ["Deno", { Deno: {} }, "slot slot slot slot path slot"],
  ["a page", page, "slot shared shared blob"],
  ["a page that is not isolated", { ...page, ...isolated }, "moved moved moved blob"],
])("%s: each kind of source", async (_, has, places) => {
  Object.assign(globals, has);
  useWorkers(WatchedWorker);
  Parts.most = secrets.length = 0;
  await withPool({ threads: 1 }, async (pool) => {
    for (const [i, place] of places.split(" ").entries()) {
      const kind = KINDS[i] as string;
      computed.clear();
      const source = await SOURCES[kind]!(kind === "a handle" ? MESSAGE : message, pool);
      const length = kind === "a handle" ? MESSAGE.length : message.length;
      // Before the worker is ready, the calling thread computes.
      while (computed.size === 0) expectBytes(await pool.hash(source, MODES.keyed), digestOf(length, "keyed"), kind);
      expect([...computed], kind).toEqual([place]);
    }
    // The next part is there when one is done.
    expect([pool.threads, Parts.most]).toEqual([1, 2]);
    expect(openFiles()).not.toContain(fileOf(message));
  });
  expect(secrets.length > 0).toBe("crossOriginIsolated" in has);
  for (const bytes of secrets) expect(Buffer.from(bytes).equals(Buffer.alloc(bytes.length))).toBe(true);
});

it("Node without shared memory: a buffer that does not come back is replaced", async () => {
  Object.assign(globals, isolated);
  await withWorkingPool(1, async (pool) => {
    WatchedWorker.intercept = (worker, message, transfer) => {
      structuredClone(message, { transfer });
      const value = { message: "tested", name: "Error" };
      setImmediate(() => worker.emit("message", { kind: "error", slot: message.slot, value }));
      return true;
    };
    await expect(pool.hash(message)).rejects.toThrow("tested");
    WatchedWorker.intercept = undefined;
    for (let i = 0; i < 3; i++) expectBytes(await pool.hash(message, MODES.keyed), digestOf(message.length, "keyed"));
  });
});

it("Deno: a worker that ends while bytes are read for it", async () => {
  Object.assign(globals, { Deno: {} });
  await withWorkingPool(1, async (pool) => {
    const [worker] = [...workers];
    const file = await open(fileOf(message));
    let ended = 0;
    const read: OpenFile["read"] = async (...range) => {
      // Its parts are read for the worker, in which nothing runs yet.
      if (ended++ === 0) await worker?.terminate();
      return file.read(...range);
    };
    const handle = { fd: file.fd, stat: file.stat.bind(file), read } as OpenFile;
    expectBytes(await pool.hash(handle, MODES.keyed), digestOf(message.length, "keyed"));
    expect(ended).toBeGreaterThan(1);
    await file.close();
    expectBytes(await pool.hash(message), digestOf(message.length));
    expect(workers.size).toBe(1);
    expect(workers).not.toContain(worker);
  });
});

it("Deno: a file that is replaced while it is hashed", async () => {
  Object.assign(globals, { Deno: {} });
  await withWorkingPool(1, async (pool) => {
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
    expectBytes(await pool.hash({ path: fileOf(message) }), digestOf(message.length));
  });
});

it.each<[length: number, kind: number, options: { threads: number; callingThread?: boolean }, parts: number]>([
  // Whole up to 768 KiB.
  [768 * KIB, 0, { threads: 0 }, 1],
  [768 * KIB + 1, 0, { threads: 0 }, 2],
  // Of at most 1 MiB if the bytes are sent, and of at most 4 MiB if a worker has them.
  [4 * MIB, 0, { threads: 1 }, 4],
  [4 * MIB, 0, { threads: 3, callingThread: true }, 6],
  [4 * MIB, 1, { threads: 0 }, 4],
  [4 * MIB, 1, { threads: 1 }, 2],
  [4 * MIB, 1, { threads: 3 }, 3],
  // And of at least 256 KiB.
  [MIB, 1, { threads: 6 }, 4],
])("%i bytes, source %i, %o: %i parts, each of which is reported", async (length, kind, options, parts) => {
  await withPool(options, async (pool) => {
    const source = await SOURCES[KINDS[kind] as string]!(MESSAGE.subarray(0, length), pool);
    let reports = 0;
    expectBytes(await pool.hash(source, { onProgress: () => reports++ }), digestOf(length));
    expect(reports).toBe(parts);
  });
});
