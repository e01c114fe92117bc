// What a program may replace is not believed: zone.js, Bluebird, Dexie and OpenTelemetry replace Promise, fake timers
// setTimeout, polyfills and jsdom all the rest. Every global that the package reads, replaced before and after the
// import by a right one, by one that throws, and by one that does nothing: no call hangs or gives another digest, and
// an error says what is wrong.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { ROOT, runNode } from "../support/child.ts";
import { uses } from "../support/globals.ts";

const ENTRIES = ["", "/states", "/streams", "/hmac", "/hazmat", "/bao", "/node", "/parallel"].map(
  (entry) => `blake-simd${entry}`,
);
const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Writes the body of an async function that returns a module's exports, and requires what matches by its own
 * `requireHere`.
 */
async function bundle(name: string, contents: string, filter: RegExp): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    ...{ bundle: true, format: "esm", platform: "neutral", conditions: ["node"], write: false },
    plugins: [
      {
        name: "required",
        setup({ onResolve, onLoad }) {
          onResolve({ filter }, ({ path }) => ({ path, namespace: "required" }));
          onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
            contents: `module.exports = requireHere(${JSON.stringify(path)});`,
          }));
        },
      },
    ],
  });
  const file = join(folder, name);
  const returned = (_: string, list: string) => `return {${list.replace(/(\w+) as (\w+)/g, "$2: $1")}};`;
  writeFileSync(file, outputFiles[0]!.text.replace(/\bexport \{([^}]*)\};\s*$/, returned));
  return file;
}

/** The globals of the library, and whether the language has them. */
const globals = new Map(
  uses.filter(({ file }) => !file.startsWith("cli/")).map(({ name, isLanguage }) => [name, isLanguage]),
);
const replaceable = [...globals].filter(([name]) => Object.getOwnPropertyDescriptor(globalThis, name)?.configurable);
/** What environments and libraries bring. */
const brought = replaceable.filter(([name, isLanguage]) => !isLanguage || name === "Promise");
/** What a subclass can stand for: objects of the language itself have the prototypes of the two others. */
const subclassed = replaceable.filter(([name]) => name !== "Object" && name !== "Uint8Array");
/** What can do nothing without an error: the language itself cannot, and a stream that does nothing is never read. */
const stubs = brought.filter(([name]) => name !== "ReadableStream");
const imports = ENTRIES.map((entry, i) => `import * as e${i} from "${entry}";`).join("\n");
const library = `export const library = { ${ENTRIES.map((entry, i) => `"${entry}": e${i}`)} };`;
const files = await Promise.all([
  bundle("package.js", `${imports}\n${library}`, /^node:/),
  bundle("table.js", 'export * from "./test/support/calls/plain.ts"', /^(node:|vitest$|blake-simd)/),
]);
const program = join(ROOT, "test/support/replace-globals.mjs");

/**
 * Polyfills, mocks of `fetch`, and what is made for the caller; whatever they are, a digest does not depend on them.
 */
const LATE = [
  "AbortController bao/remote-nodes.ts",
  "Blob parallel/worker-handle.ts",
  "DOMException streams/chunks.ts",
  "ReadableStream bao/fetch.ts",
  "ReadableStream streams/hashing-pair.ts",
  "Response streams/verified.ts",
  "TextDecoder sources/files.ts",
  "TextEncoder input/utf8.ts",
  "TransformStream streams/lazy-base.ts",
  "URL parallel/worker-handle.ts",
  "WebAssembly engine/backend.ts",
  "WebAssembly engine/compile.ts",
  "WebAssembly parallel/shared-memory.ts",
  "Worker parallel/worker-handle.ts",
  "WritableStream streams/hashing-pair.ts",
  "WritableStream streams/lazy-base.ts",
  "crossOriginIsolated parallel/shared-memory.ts",
  "fetch bao/fetch.ts",
  "navigator parallel/pool.ts",
  "performance engine/vector-latency.ts",
  "process input/builtin.ts",
  "process input/globals.ts",
  "process sources/fifo.ts",
  // In workers, whose globals no program replaces.
  "require parallel/worker.ts",
];

describe.concurrent.each([
  ["after", "right", replaceable],
  ["after", "broken", replaceable],
  ["after", "silent", stubs],
  ["before", "right", subclassed],
  ["before", "broken", replaceable],
  ["before", "silent", stubs],
] as const)("replaced %s the import by a %s one", (when, kind, names) => {
  it("no global makes a call hang or give another digest, and errors are clear", async () => {
    const args = [program, when, kind, ...files, JSON.stringify(names)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, maxBuffer: 2 ** 28 });
    const { calls, faults } = JSON.parse(stdout);
    expect(calls).toBeGreaterThan(100);
    expect(faults).toEqual([]);
  });
});

const TURNS = ["setImmediate", "MessageChannel", "setTimeout"];

it.each([
  ["nothing calls back but Node's own", TURNS, "function () { return { port1: {}, port2: { postMessage() {} } }; }"],
  ["nothing is there but Node's own", TURNS, "undefined"],
  ["nothing is there at all", [...TURNS, "process"], "undefined"],
  ...TURNS.map((own) => [`nothing calls back but ${own}`, TURNS.filter((name) => name !== own), "() => 1"] as const),
] as const)("turns of the event loop: %s", (_, names, value) => {
  const code = `import "blake-simd/blake3";
    const { stdout } = process;
    for (const name of ${JSON.stringify(names)}) globalThis[name] = ${value};
    const { blake3 } = await import("blake-simd/blake3");
    const { digestOf } = await import("blake-simd/streams");
    const { Blake3Pool } = await import("blake-simd/parallel");
    const piece = new Uint8Array(2 ** 20);
    function* pieces() { for (let end = Date.now() + 300; Date.now() < end; ) yield piece; }
    await digestOf(blake3, pieces(), { signal: new AbortController().signal });
    const message = new Uint8Array(8 * 2 ** 20);
    const digests = [await new Blake3Pool({ threads: 0 }).hash(message), blake3(message)];
    stdout.write(JSON.stringify(digests.map((digest) => digest.join())));`;
  const [pooled, digest] = runNode(code) as [string, string];
  expect(pooled).toBe(digest);
});

it("a class that is not that of promises never makes the digest of nothing", () => {
  const code = `Promise.prototype.constructor = function () {};
    globalThis.Promise = function () {};
    const { blake3 } = await import("blake-simd/blake3");
    const { digestOf } = await import("blake-simd/streams");
    const signal = new AbortController().signal;
    console.log(JSON.stringify(await digestOf(blake3, ["abc"], { signal }).then(blake3.hex, String)));`;
  expect(runNode(code)).toBe("TypeError: blake-simd: a replaced Promise must be a class of promises");
});

describe("the source", () => {
  it("compares by instanceof with classes of its own alone", () => {
    // Asked beside what cannot be replaced, because it is fast: whatever it says, the length and the bytes are right.
    const fast = ({ file, name }: { file: string; name: string }) =>
      file === "input/caller-bytes.ts" && name === "Uint8Array";
    expect(uses.filter((use) => use.isInstanceof && !fast(use))).toEqual([]);
  });

  it("makes its promises of the engine's own class", () => {
    const places = new Set(uses.filter(({ name }) => name === "Promise").map(({ file }) => file));
    expect([...places].filter((file) => !file.startsWith("cli/"))).toEqual(["input/promises.ts"]);
  });

  it("looks up after the import only what may come after it, or what is asked once", () => {
    const late = uses.filter(
      (use) => use.isLate && !use.isLanguage && !use.file.startsWith("cli/") && use.name !== "Buffer",
    );
    const places = [...new Set(late.map(({ name, file }) => `${name} ${file}`))].sort();
    expect(places).toEqual(LATE);
  });
});
