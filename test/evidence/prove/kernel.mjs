// A kernel as it is shipped, and what a call of it may do to memory: what the proofs of all algorithms share.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { random } from "./machine/evaluate.mjs";
import { Machine } from "./machine/machine.mjs";
import { CHOSEN, FLAGS, GIVEN, KEY, MESSAGE, STATE } from "./machine/memory.mjs";
import { cat, isTerm, show, symbol } from "./machine/terms.mjs";

const root = join(import.meta.dirname, "../../..");
export const DIST = join(root, "wasm/dist");
export const BUILDS = ["baseline", "simd128", "bun"];
/** What a module may be told of its processor, which chooses among its shapes: the others do not ask. */
export const latenciesOf = (module, build) =>
  module.startsWith("blake3") && build !== "baseline" ? [1, 2] : [undefined];
/** Each module, and the bytes of its words. */
export const MODULES = {
  blake256: 4,
  blake512: 8,
  blake2s: 4,
  blake2b: 8,
  "blake2s-lanes": 4,
  "blake2b-lanes": 8,
  blake3: 4,
  "blake3-subtrees": 4,
};

/** The memory map of wasm/memory.h: the address of each area, and the sizes that it names. */
const header = readFileSync(join(root, "wasm/memory.h"), "utf8");
const defined = [...header.matchAll(/^#define (\w+) (?:\(\(u8 \*\))?(0x[\da-f]+)\)?$/gm)];
export const areas = Object.fromEntries(defined.map(([, name, value]) => [name, Number(value)]));

// ---- modules ----

/** Decodes the text of a kernel as the package does (js/engine/compile.ts). */
async function decode(folder, text) {
  const { decoder } = await import(pathToFileURL(join(folder, "decoder.js")));
  const module = new WebAssembly.Module(Buffer.from(decoder, "base64"));
  const { memory, decode } = new WebAssembly.Instance(module).exports;
  const bytes = new Uint8Array(memory.buffer);
  new TextEncoder().encodeInto(text, bytes);
  return bytes.slice(text.length, decode(0, text.length));
}

/** The bytes of a module: of its file, or decoded from the text that Bun loads. `undefined` if the folder has none. */
export async function bytesOfModule(name, build, folder = DIST) {
  const file = join(folder, build === "bun" ? `${name}.bun.js` : `${name}.${build}.wasm`);
  if (!existsSync(file)) return undefined;
  if (build !== "bun") return new Uint8Array(readFileSync(file));
  const { simd128 } = await import(pathToFileURL(file));
  return decode(folder, simd128);
}

/** Throws unless the texts of a module, which engines load by default, are the bytes of its files. */
export async function requireSameTexts(name, folder = DIST) {
  for (const file of [`${name}.js`, `${name}.bun.js`]) {
    if (!existsSync(join(folder, file))) continue;
    const texts = await import(pathToFileURL(join(folder, file)));
    for (const build of file === `${name}.js` ? ["baseline", "simd128"] : ["baseline"]) {
      const [text, wasm] = [await decode(folder, texts[build]), await bytesOfModule(name, build, folder)];
      if (Buffer.compare(text, wasm) !== 0) throw new Different(`the text of ${build} in ${file} is not its module`);
    }
  }
}

// ---- symbols ----

const symbols =
  (kind) =>
  (length, from = 0) =>
    Array.from({ length }, (_, i) => symbol(kind, from + i));
export const message = symbols(MESSAGE);
export const key = symbols(KEY);
/** What a state holds: any bytes. */
export const state = symbols(STATE);
/** Options, such as a parameter block. */
export const chosen = symbols(CHOSEN);
/** Any flags, as a word: what is proved of them holds for each algorithm and mode that they choose. */
export const anyFlags = () => cat([symbol(FLAGS, 0), 0, 0, 0]);
/** Bytes of a state that may be anything. */
export const any = (length) => new Array(length).fill(undefined);

// ---- calls ----

/** What a proof finds: the module does something else. */
export class Different extends Error {}

/** The bytes of the C stack (wasm/build/build.mjs). */
const STACK_SIZE = 8192;
/** The top of a C stack that a caller has moved: modules that share one memory have one each. */
const SHARED_STACK = 0x4000;

/** What an engine has in a module's memory after a call, which may have filled tables. */
function memoryAfterCall(bytes) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  exports.hash(1000, 32);
  return new Uint8Array(exports.memory.buffer);
}

export class Kernel {
  #next = random(1);

  constructor(bytes, word, options, latency) {
    this.bytes = bytes;
    this.latency = latency;
    this.machine = new Machine(bytes, word, options);
    this.memory = this.machine.memory;
    const { data, stackTop } = this.machine;
    const end = Math.max(0, ...data.map(({ at, bytes }) => at + bytes.length));
    if (end > stackTop) throw new Different("data is behind the C stack, where calls write");
    this.stack = this.memory.stack = [Math.max(end, stackTop - STACK_SIZE), stackTop];
    // Of a memory that it shares, a module zeroes its own variables at the start.
    if (this.memory.written.lastIndexOf(1) >= this.stack[0]) throw new Different("the start writes beyond variables");
    this.constants = [0, data.length > 0 ? end : 0];
    // Before the stack are variables: zeros, or what a first call makes of them. In a memory that is shared there are
    // none.
    this.variables = this.machine.hasOwnMemory ? [end, this.stack[0]] : [0, 0];
    this.settled = this.machine.hasOwnMemory ? [...memoryAfterCall(bytes).subarray(...this.variables)] : [];
    this.original = [...this.memory.bytes.subarray(0, this.stack[0])];
  }

  /**
   * Memory as any earlier calls may have left it, and the C stack of a module that shares its memory somewhere else.
   */
  begin() {
    const { machine, memory } = this;
    if (!machine.hasOwnMemory) this.#moveStack(SHARED_STACK);
    machine.globals[0] = machine.stackTop;
    memory.makeUnknown(0, memory.bytes.length);
    memory.place(0, this.original.slice(...this.constants));
    if (this.latency) memory.place(areas.VECTOR_LATENCY, [this.latency]);
    memory.place(this.variables[0], this.#next(2) ? this.settled : this.original.slice(...this.variables));
  }

  #moveStack(top) {
    const { machine } = this;
    machine.call("stackRestore", top);
    if (machine.globals[0] !== top) throw new Different(`stackRestore(${top}) does not set the stack pointer`);
    machine.stackTop = top;
    this.stack = this.memory.stack = [top - STACK_SIZE, top];
  }

  /** Variables have one of two contents: from before the first call, or after it. */
  #expectVariables(label, allowed) {
    const [from, to] = this.variables;
    allowed.fill(OPEN, from, to);
    const now = this.memory.bytesAt(from, to - from);
    if ([this.original.slice(from, to), this.settled].some((bytes) => now.every((byte, i) => byte === bytes[i])))
      return;
    throw new Different(`${label}: the module's variables depend on more than that there was a call`);
  }

  /**
   * Calls an export and throws unless memory is then as expected. `before` and `after` are addresses with bytes, of
   * which `undefined` may be any; those after it may be a function, which finds out what the call has chosen. `scratch`
   * are areas that it may change, to what does not depend on what it was given; `open` those that it may change to
   * anything. The C stack is scratch, too. Nothing else changes.
   */
  check({ name, args, before, after, scratch = [], open = [], returns }) {
    this.begin();
    for (const [at, bytes] of before) this.memory.place(at, bytes);
    const { machine, memory } = this;
    const label = `${name}(${args.map((arg) => (arg > 4095 || isTerm(arg) ? show(arg) : arg)).join(", ")})`;
    memory.clearWritten();
    let result;
    try {
      result = machine.call(name, ...args);
    } catch (error) {
      throw new Different(`${label}: ${error.message}`, { cause: error });
    }
    if (returns !== undefined && result !== returns)
      throw new Different(`${label} returned ${show(result)}, must return ${show(returns)}`);
    if (machine.globals[0] !== machine.stackTop) throw new Different(`${label}: the stack pointer is not where it was`);
    const allowed = new Uint8Array(memory.bytes.length);
    const mark =
      (kind) =>
      ([from, to]) =>
        allowed.fill(kind, from, to);
    [this.stack, ...scratch].forEach(mark(SCRATCH));
    open.forEach(mark(OPEN));
    this.#expectVariables(label, allowed);
    for (const [at, bytes] of after)
      this.#expect(at, typeof bytes === "function" ? bytes(memory, at) : bytes, label, allowed);
    this.#expectNothingElse(label, allowed);
  }

  #expect(at, bytes, label, allowed) {
    for (let i = 0; i < bytes.length; i++) {
      allowed[at + i] = OPEN;
      if (bytes[i] === undefined) continue;
      const actual = this.memory.byteAt(at + i);
      if (actual !== bytes[i])
        throw new Different(
          `${label}: byte ${i} at 0x${at.toString(16)} is ${show(actual)}, must be ${show(bytes[i])}`,
        );
    }
  }

  #expectNothingElse(label, allowed) {
    const { written } = this.memory;
    for (let at = written.indexOf(1); at !== -1; at = written.indexOf(1, at + 1)) {
      if (allowed[at] === OPEN) continue;
      const where = `${label}: the byte at 0x${at.toString(16)}`;
      if (allowed[at] !== SCRATCH) throw new Different(`${where} is written`);
      const byte = this.memory.terms[at] === null ? 0 : this.memory.byteAt(at);
      if (isTerm(byte) && byte.kinds & GIVEN)
        throw new Different(`${where} depends on what the call was given: ${show(byte)}`);
    }
  }
}
const [SCRATCH, OPEN] = [1, 2];
