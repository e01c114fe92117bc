// The seam to the compiled modules: what they import and export, and their memory.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { useBackend } from "blake-simd";
import { describe, expect, it, vi } from "vitest";
import { BACKENDS } from "../support/backends.ts";
import { ROOT, runNode } from "../support/child.ts";
import { decodedKernel } from "../support/kernel-text.ts";
import { memoryMap } from "../support/memory.ts";
import { expectBytes } from "../support/messages.ts";
import { subjects } from "../support/subjects.ts";

const folder = join(ROOT, "wasm/dist");
const files = readdirSync(folder).filter((name) => name.endsWith(".wasm"));
const read = (file: string) => readFileSync(join(folder, file));
const PAGE = 0x10000;

const namesOf = (bytes: Uint8Array<ArrayBuffer>) => WebAssembly.Module.exports(new WebAssembly.Module(bytes));

describe("the text of a kernel", () => {
  it.each(files)("%s is decoded to the bytes of the file", async (file) => {
    const [name, build] = file.split(".") as [string, string];
    expectBytes(await decodedKernel(`${name}.js`, build), read(file));
  });

  it.each(files)("%s is decoded for Bun to the same bytes, or to a module with the same exports", async (file) => {
    const [name, build] = file.split(".") as [string, string];
    const bytes = await decodedKernel(`${name}.bun.js`, build);
    if (build === "baseline") expectBytes(bytes, read(file));
    else expect(namesOf(bytes)).toEqual(namesOf(new Uint8Array(read(file))));
  });
});

/** Kernels that import their memory; the others have their own. */
const guests = files.filter((name) => name.startsWith("blake3-subtrees."));
const hosts = files.filter((name) => !guests.includes(name));

describe.each(guests)("%s", (file) => {
  const module = new WebAssembly.Module(read(file));

  it("imports a memory and nothing else, and needs one page of it", () => {
    expect(WebAssembly.Module.imports(module)).toEqual([{ module: "env", name: "memory", kind: "memory" }]);
    for (const initial of [1, 3]) {
      const memory = new WebAssembly.Memory({ initial, maximum: 4 });
      expect(new WebAssembly.Instance(module, { env: { memory } })).toBeInstanceOf(WebAssembly.Instance);
      const used = new Uint8Array(memory.buffer).findLastIndex((byte) => byte !== 0) + 1;
      expect(used).toBeLessThanOrEqual(PAGE);
    }
  });

  it("exports what wasm/blake3/blake3-subtrees.c describes", () => {
    const names = WebAssembly.Module.exports(module).map(({ name, kind }) => `${kind} ${name}`);
    // Lanes are one of two shapes.
    const chain = file.includes("simd128") ? ["chain"] : [];
    expect(names.toSorted()).toEqual(
      [...chain, "clear", "collect", "groups", "level", "merge", "stackRestore"].map((name) => `function ${name}`),
    );
  });
});

describe.each(hosts)("%s", (file) => {
  const module = new WebAssembly.Module(read(file));

  it("imports nothing", () => {
    expect(WebAssembly.Module.imports(module)).toEqual([]);
  });

  it("exports the ABI and nothing else", () => {
    const names = WebAssembly.Module.exports(module).map(({ name, kind }) => `${kind} ${name}`);
    const required = ["memory memory", "function init", "function update", "function finalize", "function hash"];
    expect(names).toEqual(expect.arrayContaining(required));
    const optional = ["root", "squeeze", "many", "chain"].map((name) => `function ${name}`);
    expect([...required, ...optional]).toEqual(expect.arrayContaining(names));
  });

  it("has two pages of memory, which cannot grow", () => {
    const { memory } = new WebAssembly.Instance(module).exports as { memory: WebAssembly.Memory };
    expect(memory.buffer.byteLength).toBe(2 * PAGE);
    expect(() => memory.grow(1)).toThrow(RangeError);
  });

  it("keeps its constants and its stack below the areas of the map", () => {
    const { memory } = new WebAssembly.Instance(module).exports as { memory: WebAssembly.Memory };
    const used = new Uint8Array(memory.buffer).findLastIndex((byte) => byte !== 0) + 1;
    expect(used).toBeLessThan(memoryMap().get("PARAMETERS")!);
  });
});

describe("the builds", () => {
  it("are two of each kernel", () => {
    const kernels = new Set(subjects.map(({ kernel }) => kernel));
    const wanted = [...kernels].flatMap((name) => [`${name}.baseline.wasm`, `${name}.simd128.wasm`]);
    expect(hosts.toSorted()).toEqual(wanted.toSorted());
    expect(guests).toEqual(["blake3-subtrees.baseline.wasm", "blake3-subtrees.simd128.wasm"]);
  });

  const oneOfEach = [...new Map(subjects.map((subject) => [subject.kernel, subject])).values()];

  it.each(oneOfEach)("are what $name compiles, once", ({ algorithm, kernel }) => {
    const compiled = vi.spyOn(WebAssembly, "Module");
    for (const backend of [...BACKENDS, ...BACKENDS]) {
      useBackend(backend);
      algorithm.create().update("twice").digest();
      algorithm("twice");
    }
    const modules = compiled.mock.calls.map(([source]) => Buffer.from(source as Uint8Array));
    vi.restoreAllMocks();
    // Before each kernel comes the module of a hundred bytes that decodes it.
    const bytes = modules.filter(({ length }) => length > 1000);
    expect(modules).toHaveLength(2 * bytes.length);
    expect(bytes).toHaveLength(BACKENDS.length);
    for (const [i, backend] of BACKENDS.entries()) {
      expectBytes(bytes[i]!, read(`${kernel}.${backend}.wasm`));
    }
  });

  it.runIf(process.arch === "x64")("baseline is valid without SIMD, and simd128 if it is the same", () => {
    const code = `
      import { readFileSync } from "node:fs";
      const names = ${JSON.stringify(files)};
      const valid = names.filter((name) => WebAssembly.validate(readFileSync("wasm/dist/" + name)));
      console.log(JSON.stringify(valid));
    `;
    const isBaseline = (file: string) => read(file).equals(read(file.replace("simd128", "baseline")));
    expect(runNode(code, { flags: ["--no-enable-sse4-1"] })).toEqual(files.filter(isBaseline));
    expect(runNode(code)).toEqual(files);
  });
});
