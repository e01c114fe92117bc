// Makes instances of a kernel's builds: decodes its text, compiles it, and explains what prevents that.
import { decoder } from "#decoder";
import { readGlobal } from "../input/globals.js";
import { utf8 } from "../input/utf8.js";
import { backend } from "./backend.js";

/** The builds of a kernel, as text, or as modules for runtimes that forbid compiling. */
export type Builds = Record<"simd128" | "baseline", string | WebAssembly.Module>;

/** What instances are made of. */
export type Compiled = WebAssembly.Module;

/** Returns the chosen build, which is compiled once and kept in `builds`. */
export function chosenBuild(builds: Builds): Compiled {
  const name = backend() as keyof Builds;
  const build = builds[name];
  if (typeof build === "string") builds[name] = compile(decode(build));
  return builds[name] as Compiled;
}

/** Returns the exports of a new instance. */
export function instantiate(module: Compiled, imports?: WebAssembly.Imports): unknown {
  return withAdvice(() => new WebAssembly.Instance(module, imports).exports);
}

/** Makes a memory. Compile first: decoding a kernel takes a memory, too, until it is garbage. */
export function makeMemory(descriptor: WebAssembly.MemoryDescriptor): WebAssembly.Memory {
  return withAdvice(() => new WebAssembly.Memory(descriptor));
}

/** @throws Error with advice if the environment forbids compiling */
export function compile(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  return withAdvice(() => new WebAssembly.Module(bytes));
}

/** Decodes the text of a kernel (wasm/build/decoder.c). */
export function decode(text: string): Uint8Array<ArrayBuffer> {
  const exports = instantiate(compile(new Uint8Array(decoder))) as Decoder;
  const memory = new Uint8Array(exports.memory.buffer as ArrayBuffer);
  utf8().encodeInto(text, memory);
  return memory.slice(text.length, exports.decode(0, text.length));
}

interface Decoder {
  memory: WebAssembly.Memory;
  decode(text: number, end: number): number;
}

function withAdvice<Result>(use: () => Result): Result {
  try {
    return use();
  } catch (cause) {
    // Out of addresses: https://github.com/nodejs/node/issues/25933.
    const why = !readGlobal(() => WebAssembly)
      ? "missing"
      : /memory/i.test(cause as string)
        ? "out of memory: V8 reserves 10 GB of addresses for each kernel, except in node --disable-wasm-trap-handler"
        : "forbidden: a page's policy needs 'wasm-unsafe-eval', an edge bundle the condition workerd or edge-light";
    throw new Error(`blake-simd: WebAssembly is ${why}; blake-simd/javascript needs none`, { cause });
  }
}
