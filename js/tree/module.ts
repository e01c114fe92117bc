// The kernel of subtrees: its builds, which can be sent to workers, and the instance of the calling thread.
import { baseline, simd128 } from "#kernels/blake3-subtrees";
import { type Backend, backend, backendListeners } from "../engine/backend.js";
import { compile, decode } from "../engine/compile.js";
import { Lifecycle } from "../engine/lifecycle.js";
import { memoryFor, PIECE, TreeKernel } from "./kernel.js";

// The encoding of an import of "env" "memory", up to the byte that gives the kind of memory.
const IMPORT = "\x03env\x06memory\x02";
const SHARED = 3;

const builds = { baseline, simd128 };

type Compiled = WebAssembly.Module | undefined;

/** Modules by backend, each compiled only once. */
const own = new Map<Backend, Compiled>();
const shared = new Map<Backend, Compiled>();

/** The backend's build, for a memory that is not shared. */
export function treeModule(): WebAssembly.Module {
  return compiledOnce(own, (build) =>
    typeof build === "string" ? compile(decode(build)) : build,
  ) as WebAssembly.Module;
}

/** The same for a shared memory; undefined if modules are precompiled, as those are for unshared memory. */
export function sharedTreeModule(): WebAssembly.Module | undefined {
  return compiledOnce(shared, (build) =>
    typeof build === "string" ? compile(declaredShared(decode(build))) : undefined,
  );
}

function compiledOnce(modules: Map<Backend, Compiled>, make: (build: string | WebAssembly.Module) => Compiled) {
  const name = backend();
  if (!modules.has(name)) modules.set(name, make(builds[name as keyof typeof builds]));
  return modules.get(name);
}

// One build serves both kinds of memory: only the declared kind differs, not the code.
function declaredShared(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const at = bytes.findIndex((_, start) => spells(bytes, start, IMPORT)) + IMPORT.length;
  bytes[at] = SHARED;
  return bytes;
}

function spells(bytes: Uint8Array, start: number, text: string): boolean {
  return Array.from(text).every((character, i) => bytes[start + i] === character.charCodeAt(0));
}

let memory: WebAssembly.Memory | undefined;

/** The kernel of the calling thread, which has room for one piece. */
export const trees = /* @__PURE__ */ new Lifecycle((self) => {
  backendListeners.add(self);
  const module = treeModule();
  memory ??= memoryFor(PIECE);
  return new TreeKernel(module, memory);
});
