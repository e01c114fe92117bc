// Pools in engines that lack something: each time in a process of its own, in which it is taken away before the import.
import { expect, it } from "vitest";
import { runNode } from "../support/child.ts";
import { MIB } from "../support/pool.ts";

const LENGTH = 5 * MIB;

/** What a pool of two threads has of a message, in memory and in a Blob, and of a file's name, after `before`. */
function poolWithout(before: string): unknown {
  return runNode(`
    { ${before} }
    const { toHex } = await import("blake-simd");
    const { Blake3Pool } = await import("blake-simd/parallel");
    const message = new Uint8Array(${LENGTH}).map((_, i) => (i * i + (i >>> 8)) & 255);
    let rounds = 0;
    const turn = setInterval(() => rounds++, 1);
    const pool = new Blake3Pool({ threads: 2 });
    const [memory, blob] = [toHex(await pool.hash(message)), toHex(await pool.hash(new Blob([message])))];
    const file = await pool.hash({ path: "package.json" }).then((digest) => digest.length, ({ name, message }) => name + ": " + message);
    clearInterval(turn);
    const { urls } = globalThis;
    const allocate = () => (pool.allocate(10).buffer instanceof SharedArrayBuffer ? "shared" : "not shared");
    const allocated = await Promise.resolve().then(allocate).catch(({ name }) => name);
    const { threads } = pool;
    await pool.close();
    const { blake3 } = await import("@noble/hashes/blake3.js");
    const wanted = toHex(blake3(message));
    console.log(JSON.stringify({ right: memory === wanted && blob === wanted, file, threads, turns: rounds > 0, allocated, urls }));
  `);
}

const NO_MODULES = "process.getBuiltinModule = undefined;";
const all = { right: true, file: 32, threads: 2, turns: true, allocated: "shared" };
// Without workers, before Node 20.16.
const alone = {
  ...all,
  file: "TypeError: Blake3Pool.hash: source must not be a file here: there is no process.getBuiltinModule",
  threads: 0,
  allocated: "not shared",
};
const WORKER = 'const threads = process.getBuiltinModule("node:worker_threads"); threads.Worker = class';

it.each<[string, object, string]>([
  ["nothing", all, ""],
  ["Node's modules", alone, NO_MODULES],
  ["setImmediate", alone, `${NO_MODULES} delete globalThis.setImmediate;`],
  ["MessageChannel", alone, `${NO_MODULES} delete globalThis.setImmediate; delete globalThis.MessageChannel;`],
  [
    "memory that can be shared: bytes are transferred",
    { ...all, allocated: "not shared" },
    `const { Memory } = WebAssembly;
    WebAssembly.Memory = function (options) {
      if (options.shared) throw new RangeError("could not allocate memory");
      return new Memory(options);
    };`,
  ],
  [
    "room in shared memory for more than the calling thread and a worker",
    { ...all, threads: 1 },
    `const { grow } = WebAssembly.Memory.prototype;
    let grown = 0;
    WebAssembly.Memory.prototype.grow = function (pages) {
      if (grown++ > 1) throw new RangeError("could not grow");
      return grow.call(this, pages);
    };`,
  ],
  [
    // No URL, which would keep a worker's script in memory, is made for nothing.
    "a worker that can be started",
    { ...all, threads: 0, urls: 0 },
    `${WORKER} { constructor() { throw new Error("no thread"); } };
    const { createObjectURL } = URL;
    globalThis.urls = 0;
    URL.createObjectURL = (blob) => {
      globalThis.urls++;
      return createObjectURL(blob);
    };`,
  ],
  [
    "a worker that can be given its first message",
    { ...all, threads: 0 },
    `${WORKER} extends threads.Worker { postMessage() { throw new Error("cannot be cloned"); } };`,
  ],
])("lacks %s", (_, wanted, before) => {
  expect(poolWithout(before)).toEqual(wanted);
});

it("lacks Node's modules and the number of cores: one thread, which is the calling one", () => {
  const cores = (before: string) =>
    runNode(`{ ${before} }
      const { Blake3Pool } = await import("blake-simd/parallel");
      console.log(new Blake3Pool({ callingThread: true }).threads);`);
  const none = 'Object.defineProperty(globalThis, "navigator", { value: undefined });';
  expect(cores(`${NO_MODULES} ${none}`)).toBe(0);
});

it("lacks Node's modules, but not workers: as many threads as the browser says that there are cores, 1 to 1024", () => {
  const code = `
    const { getBuiltinModule } = process;
    process.getBuiltinModule = undefined;
    const { Blake3Pool } = await import("blake-simd/parallel");
    globalThis.Worker = class {};
    const threads = [5, 1, 0, 1024, 5000, undefined].map((hardwareConcurrency) => {
      Object.defineProperty(globalThis, "navigator", { value: { hardwareConcurrency }, configurable: true });
      return new Blake3Pool().threads;
    });
    process.getBuiltinModule = getBuiltinModule;
    console.log(JSON.stringify(threads));`;
  expect(runNode(code)).toEqual([5, 1, 1, 1024, 1024, 1]);
});
