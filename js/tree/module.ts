// The kernel of subtrees: its builds, which can be sent to workers, and the instance of the calling thread.
import { baseline, simd128 } from "#kernels/blake3-subtrees";
import { type Backend, backend, backendListeners } from "../engine/backend.js";
import { type Builds, chosenBuild, compile, decode } from "../engine/compile.js";
import { Lifecycle } from "../engine/lifecycle.js";
import { memoryFor, PIECE, TreeKernel } from "./kernel.js";

// How a module encodes the import of a memory as "env" "memory", up to the byte for the kind of memory.
const IMPORT = "\x03env\x06memory\x02";
const SHARED = 3;

const unshared: Builds = { baseline, simd128 };
const shared: Partial<Record<Backend, WebAssembly.Module>> = {};

/** The backend's build, for a memory that is not shared. */
export function treeModule(): WebAssembly.Module {
  return chosenBuild(unshared);
}

/** The same for a shared memory; undefined if modules are precompiled, which are for an unshared one. */
export function sharedTreeModule(): WebAssembly.Module | undefined {
  const name = backend();
  const build: string | WebAssembly.Module = name === "simd128" ? simd128 : baseline;
  if (typeof build === "string") shared[name] ??= compile(declaredShared(decode(build)));
  return shared[name];
}

// One build serves both kinds of memory: only the declared kind differs, not the code.
function declaredShared(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const at = bytes.findIndex((_, start) => matchesAt(bytes, start, IMPORT)) + IMPORT.length;
  bytes[at] = SHARED;
  return bytes;
}

function matchesAt(bytes: Uint8Array, start: number, text: string): boolean {
  return Array.from(text).every((character, i) => bytes[start + i] === character.charCodeAt(0));
}

let memory: WebAssembly.Memory | undefined;

/** The kernel of the calling thread, which has room for one piece. */
export const treeKernel = /* @__PURE__ */ new Lifecycle((self) => {
  backendListeners.add(self);
  const module = treeModule();
  memory ??= memoryFor(PIECE);
  return new TreeKernel(module, memory);
});
