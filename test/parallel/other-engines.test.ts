// Pools in engines that lack something: in a process of its own, in which it is taken away before the import.
import { toHex } from "blake-simd";
import { expect, it } from "vitest";
import { runNode } from "../support/child.ts";
import { digestOf, MIB } from "../support/pool.ts";

const LENGTH = 5 * MIB;

const prelude = `
  const { toHex } = await import("blake-simd");
  const { Blake3Pool } = await import("blake-simd/parallel");
  const message = new Uint8Array(Buffer.alloc(${LENGTH}, Uint8Array.from({ length: 251 }, (_, i) => i)));
  const right = (digest) => toHex(digest) === "${toHex(digestOf(LENGTH))}";`;

/** What a pool of two threads has of a message, in memory and in a Blob, and of a file's name, after `before`. */
function poolWithout(before: string): unknown {
  return runNode(`
    { ${before} }
    ${prelude}
    let rounds = 0;
    const turn = setInterval(() => rounds++, 1);
    const pool = new Blake3Pool({ threads: 2 });
    const digests = [await pool.hash(message), await pool.hash(new Blob([message]))];
    const file = await pool.hash({ path: "package.json" }).then((digest) => digest.length, ({ name, message }) => name + ": " + message);
    clearInterval(turn);
    const { urls } = globalThis;
    const allocate = () => (pool.allocate(10).buffer instanceof SharedArrayBuffer ? "shared" : "not shared");
    const allocated = await Promise.resolve().then(allocate).catch(({ name }) => name);
    const { threads } = pool;
    await pool.close();
    console.log(JSON.stringify({ right: digests.every(right), file, threads, turns: rounds > 0, allocated, urls }));
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
  ["Node's modules", alone, NO_MODULES],
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
    // No URL, which would keep a worker's script in memory, is made for nothing.
    "a worker that can be started",
    { ...all, threads: 0, urls: 0 },
    `${WORKER} { constructor() { throw new Error("no thread"); } };
    globalThis.urls = 0;
    URL.createObjectURL = () => void globalThis.urls++;`,
  ],
  [
    "a worker that can be given its first message",
    { ...all, threads: 0 },
    `${WORKER} extends threads.Worker { postMessage() { throw new Error("cannot be cloned"); } };`,
  ],
])("lacks %s", (_, wanted, before) => {
  expect(poolWithout(before)).toEqual(wanted);
});

it("lacks Node's modules: as many threads as the browser says that there are cores, 1 to 1024, if there are workers", () => {
  const code = `
    const { getBuiltinModule } = process;
    process.getBuiltinModule = undefined;
    const { Blake3Pool } = await import("blake-simd/parallel");
    const threadsFor = (hardwareConcurrency) => {
      const value = hardwareConcurrency === null ? undefined : { hardwareConcurrency };
      Object.defineProperty(globalThis, "navigator", { value, configurable: true });
      return new Blake3Pool().threads;
    };
    const alone = [4, null].map(threadsFor);
    globalThis.Worker = class {};
    const threads = [5, 1, 0, 1024, 5000, undefined, null].map(threadsFor);
    process.getBuiltinModule = getBuiltinModule;
    console.log(JSON.stringify([alone, threads]));`;
  expect(runNode(code)).toEqual([
    [0, 0],
    [5, 1, 1, 1024, 1024, 1, 1],
  ]);
});
