// Looks into the kernels' memory from outside: every instance that is made is watched, so the package needs no hook.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./child.ts";

export interface Call {
  readonly name: string;
  readonly args: readonly number[];
}

/** One instance: its memory, and the calls of its functions. */
export interface Watched {
  readonly memory: WebAssembly.Memory;
  readonly bytes: Uint8Array;
  readonly calls: Call[];
}

/**
 * From now on, the list grows by each instance of a kernel that is made, and `trees` by the memory of one for subtrees.
 */
export function watchInstances(trees: WebAssembly.Memory[] = []): Watched[] {
  const list: Watched[] = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class {
    exports: WebAssembly.Exports;

    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      const { exports } = new Instance(module, imports);
      this.exports = exports;
      const memory = exports.memory as WebAssembly.Memory;
      if (imports?.env?.memory) trees.push(imports.env.memory as WebAssembly.Memory);
      // The decoder of kernels' text is no kernel.
      if (!exports.init) return;
      const calls: Call[] = [];
      list.push({ memory, bytes: new Uint8Array(memory.buffer), calls });
      this.exports = Object.fromEntries(
        Object.entries(exports).map(([name, value]) => [name, logged(name, value, calls)]),
      );
    }
  } as typeof WebAssembly.Instance;
  return list;
}

function logged(name: string, value: WebAssembly.ExportValue, calls: Call[]): WebAssembly.ExportValue {
  if (typeof value !== "function") return value;
  return (...args: number[]) => {
    calls.push({ name, args });
    return value(...args);
  };
}

/** The areas that wasm/memory.h names, with their first address. */
export function memoryMap(): Map<string, number> {
  const text = readFileSync(join(ROOT, "wasm/memory.h"), "utf8");
  const pattern = /^#define (\w+) (?:\(\(u8 \*\))?(0x[0-9a-f]+)\)?$/gm;
  return new Map([...text.matchAll(pattern)].map(([, name, value]) => [name!, Number(value)]));
}

const sizes = /_SIZE$/;
const named = [...memoryMap()].filter(([name]) => !sizes.test(name));
const areas = [["constants and stack", 0] as const, ...named].sort((x, y) => x[1] - y[1]);

/** The areas, in the order of their addresses, in which two copies of a memory differ. */
export function differingAreas(a: Uint8Array, b: Uint8Array): string[] {
  const differing = areas.filter(([, start], i) => {
    const end = areas[i + 1]?.[1] ?? a.length;
    return Buffer.compare(a.subarray(start, end), b.subarray(start, end)) !== 0;
  });
  return differing.map(([name]) => name);
}
