// The kernel that workers compute with, as a module to be sent to them.
import { baseline, simd128 } from "#kernels/blake3-subtrees";
import { type Backend, backend } from "../engine/backend.js";
import { compile, decode } from "../engine/compile.js";

// How an import of "env" "memory" is written, as far as the byte that tells the kind of memory.
const IMPORT = "\x03env\x06memory\x02";
const OWN = 1;
const SHARED = 3;

const builds = { baseline, simd128 };

type Compiled = WebAssembly.Module | undefined;

/** Modules by backend, each compiled once. */
const own = new Map<Backend, Compiled>();
const shared = new Map<Backend, Compiled>();

/** The backend's build, for a memory that is its instance's own. */
export function subtreeModule(): WebAssembly.Module {
  return compiledOnce(own, (build) =>
    typeof build === "string" ? compile(decode(build)) : build,
  ) as WebAssembly.Module;
}

/** The same for a shared memory; undefined where modules come compiled, since they are for the other kind. */
export function sharedSubtreeModule(): WebAssembly.Module | undefined {
  return compiledOnce(shared, (build) => {
    if (typeof build !== "string") return undefined;
    const bytes = decode(build);
    declareShared(bytes);
    return compile(bytes);
  });
}

function compiledOnce(modules: Map<Backend, Compiled>, make: (build: string | WebAssembly.Module) => Compiled) {
  const name = backend();
  if (!modules.has(name)) modules.set(name, make(builds[name]));
  return modules.get(name);
}

// One build for both kinds: the code is the same, and a module must only name the kind that it will get.
function declareShared(bytes: Uint8Array): void {
  const at = bytes.findIndex((_, start) => spells(bytes, start, IMPORT)) + IMPORT.length;
  if (bytes[at] === OWN) bytes[at] = SHARED;
}

function spells(bytes: Uint8Array, start: number, text: string): boolean {
  return Array.from(text).every((character, i) => bytes[start + i] === character.charCodeAt(0));
}
