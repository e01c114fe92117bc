// The kernel that workers compute with, as a module to be sent to them.
import { baseline, simd128 } from "#kernels/blake3-subtrees";
import { backend } from "../engine/backend.js";
import { compile, decode } from "../engine/compile.js";

// How an import of "env" "memory" is written, as far as the byte that tells the kind of memory.
const IMPORT = "\x03env\x06memory\x02";
const OWN = 1;
const SHARED = 3;

const build = (): string | WebAssembly.Module => ({ baseline, simd128 })[backend()];

/** The backend's build, for a memory that is its instance's own. */
export function subtreeModule(): WebAssembly.Module {
  const text = build();
  return typeof text === "string" ? compile(decode(text)) : text;
}

/** The same for a shared memory; undefined where modules come compiled, since they are for the other kind. */
export function sharedSubtreeModule(): WebAssembly.Module | undefined {
  const text = build();
  if (typeof text !== "string") return undefined;
  const bytes = decode(text);
  declareShared(bytes);
  return compile(bytes);
}

// One build for both kinds: the code is the same, and a module must only name the kind that it will get.
function declareShared(bytes: Uint8Array): void {
  const at = bytes.findIndex((_, start) => spells(bytes, start, IMPORT)) + IMPORT.length;
  if (bytes[at] === OWN) bytes[at] = SHARED;
}

function spells(bytes: Uint8Array, start: number, text: string): boolean {
  return Array.from(text).every((character, i) => bytes[start + i] === character.charCodeAt(0));
}
