// Kernels: compiled modules and their one instance each, the choice between their two builds, and the fixed memory map.
// Nothing here knows what a kernel computes. wasm/memory.h states the same map and says what each export does.

import { describe, encoder, fromBase64 } from "../input/bytes.js";
import { compile, decode } from "./compile.js";

/** The two builds of every kernel: `simd128` needs WebAssembly SIMD, `baseline` runs everywhere. */
export type Backend = "simd128" | "baseline";

export const PARAMETERS = 0x4000;
export const STATE = 0x5000;
export const ONESHOT = 0x6000;
const ROOT = 0x7000;
const ROOT_SIZE = 0x100;
export const WORKERS = 0x7100;
export const WORKERS_SIZE = 0x200;
const ROWS = 0x7f00;
export const JOBS = 0x8000;
export const JOBS_SIZE = 0x1000;
export const OUTPUT = 0xc000;
export const OUTPUT_SIZE = 0x4000;
export const INPUT = 0x10000;
export const INPUT_SIZE = 0x10000;

/** Bytes that an algorithm's parameters may take at most. A view of the whole area would cost more to wipe. */
const PARAMETERS_SIZE = 0x100;
/** Bytes that a state may take at most. */
export const STATE_SIZE = ONESHOT - STATE;

// Views of the output area are kept for digests up to this length in bytes.
const CACHED_OUTPUT = 64;

/**
 * The ABI: the same exports from every module; `root` and `squeeze` from those with an extendable output, `chain` and
 * `join` from trees, and only their algorithms call them; `many` and `lanes` where there are lanes for several messages.
 */
interface KernelExports {
  memory: WebAssembly.Memory;
  init(state: number): void;
  update(state: number, input: number, length: number): void;
  finalize(state: number, length: number): void;
  hash(inputLength: number, outputLength: number): void;
  /** Puts the root node of a state where `squeeze` reads it. */
  root(state: number): void;
  /** Writes `length` bytes of the root's output to the output area, from a 64-bit position on: its halves modulo 2^32. */
  squeeze(low: number, high: number, length: number): void;
  /** Writes a state's chaining value, as a part of a larger tree, to the output area. */
  chain(state: number): void;
  /** Makes a state out of `count` subtrees' chaining values that lie in the input area. */
  join(state: number, count: number): void;
  many?(count?: number): void;
  lanes?(): number;
}

/** Whoever has its state in a kernel's memory; `leave` takes it out. */
interface Tenant {
  leave(kernel: Kernel): void;
}

/** Answers zeroed memory for parameters. It is called when the last option has been read: a getter may hash. */
export type Claim = () => Uint8Array;

// Pieces up to this length in bytes are copied one by one: a view of them costs as much, and leaves garbage.
const SHORT_PIECE = 256;

// Up to this length in bytes memory is zeroed by a loop, which takes a tenth of what `fill` takes for a few.
const SHORT_AREA = 512;

/** One instance of a module with its memory. It is replaced as a whole when the backend changes. */
export class Kernel {
  readonly memory: Uint8Array<ArrayBuffer>;
  /** All of the memory, for numbers. */
  readonly numbers: DataView<ArrayBuffer>;
  readonly parameters: Uint8Array<ArrayBuffer>;
  readonly root: Uint8Array<ArrayBuffer>;
  readonly input: Uint8Array<ArrayBuffer>;
  readonly output: Uint8Array<ArrayBuffer>;
  /** The hasher whose state lies in STATE. */
  tenant: Tenant | undefined = undefined;
  /** Bytes of the tenant's message that wait in the input area; no kernel has seen them yet. */
  gathered = 0;
  /** What PARAMETERS holds, where that can be used again. */
  loaded: Uint8Array | undefined = undefined;

  readonly exports: KernelExports;
  /** The export that short messages wait for: found here, it takes 2 % less of their time on Bun. */
  readonly hash: KernelExports["hash"];
  readonly #words: Float64Array<ArrayBuffer>;
  readonly #outputs: Uint8Array<ArrayBuffer>[] = [];
  /** How far the input area has been written to since it was last wiped. */
  #dirty = 0;

  constructor(module: WebAssembly.Module) {
    const exports = new WebAssembly.Instance(module).exports as unknown as KernelExports;
    const buffer = exports.memory.buffer as ArrayBuffer;
    this.exports = exports;
    this.hash = exports.hash;
    this.memory = new Uint8Array(buffer);
    this.numbers = new DataView(buffer);
    this.#words = new Float64Array(buffer);
    this.parameters = new Uint8Array(buffer, PARAMETERS, PARAMETERS_SIZE);
    this.root = new Uint8Array(buffer, ROOT, ROOT_SIZE);
    this.input = new Uint8Array(buffer, INPUT, INPUT_SIZE);
    this.output = new Uint8Array(buffer, OUTPUT, OUTPUT_SIZE);
    // Which of a kernel's two ways suits the engine: wasm/memory.h.
    if ("try" in Promise) this.memory[ROWS] = 1;
  }

  /** The first `length` bytes of the output area: a view, to be copied at once. One long view is kept, and all short ones. */
  outputOf(length: number): Uint8Array<ArrayBuffer> {
    const kept = length > CACHED_OUTPUT ? CACHED_OUTPUT + 1 : length;
    if (this.#outputs[kept]?.length !== length) this.#outputs[kept] = this.output.subarray(0, length);
    return this.#outputs[kept] as Uint8Array<ArrayBuffer>;
  }

  /** The root node of a state, for `squeeze` to read later. */
  takeRoot(state: number): Uint8Array<ArrayBuffer> {
    this.exports.root(state);
    const root = this.root.slice();
    this.root.fill(0);
    return root;
  }

  /** Zeroes memory from a multiple of 8 on, and what is left of its last eight bytes. */
  #wipe(start: number, length: number): void {
    if (length > SHORT_AREA) this.memory.fill(0, start, start + length);
    else for (let at = start; at < start + length; at += 8) this.#words[at / 8] = 0;
  }

  /** Zeroes a digest of `length` bytes, and the rest of the chaining value behind a truncated one. */
  wipeOutput(length: number): void {
    this.#wipe(OUTPUT, Math.max(length, CACHED_OUTPUT));
  }

  /** Puts a whole message into the input area and answers its length in bytes, or -1 where it does not fit. */
  place(message: Uint8Array | string): number {
    if (message.length > INPUT_SIZE) return -1;
    if (typeof message !== "string") {
      this.input.set(message);
      return message.length;
    }
    const { read, written } = encoder.encodeInto(message, this.input);
    this.#soil(written);
    return read === message.length ? written : -1;
  }

  /** Puts parameter bytes where `init` and `hash` read them. */
  load(parameters: Uint8Array): void {
    if (this.loaded === parameters) return;
    this.parameters.set(parameters);
    this.loaded = parameters;
  }

  /** Frees the input area and the parameters' memory for a call's own, and answers the latter. */
  readonly claim: Claim = () => {
    this.settle();
    if (this.loaded) this.unload();
    return this.parameters;
  };

  /** Clears the parameters away: they may hold a key. */
  unload(): void {
    this.#wipe(PARAMETERS, PARAMETERS_SIZE);
    this.loaded = undefined;
  }

  /** Lets the tenant's state absorb what has been gathered for it, so that the input area is free. */
  settle(): void {
    if (this.gathered === 0) return;
    this.absorb(STATE, this.gathered);
    this.gathered = 0;
  }

  /** Takes a few bytes of the input area for the tenant's message; answers where in memory they are to be written. */
  reserve(length: number): number {
    if (this.gathered > INPUT_SIZE - length) this.settle();
    const at = this.gathered;
    this.gathered = this.#soil(at + length);
    return INPUT + at;
  }

  /** Lets a state absorb the first `length` bytes of the input area. */
  absorb(state: number, length: number): void {
    this.exports.update(state, INPUT, length);
  }

  /**
   * Appends bytes or text to the `filled` bytes that the input area holds; each time it is full, the state absorbs it.
   * The last bytes stay in the area: the answer is how many.
   */
  pour(message: Uint8Array | string, filled: number, state: number): number {
    if (typeof message === "string") return this.#pourText(message, filled, state);
    return this.#pourBytes(message, filled, state);
  }

  #pourBytes(bytes: Uint8Array, filled: number, state: number): number {
    let at = filled;
    let taken = 0;
    while (at + bytes.length - taken > INPUT_SIZE) {
      this.#copyPiece(bytes, taken, taken + INPUT_SIZE - at, at);
      this.absorb(state, this.#soil(INPUT_SIZE));
      taken += INPUT_SIZE - at;
      at = 0;
    }
    this.#copyPiece(bytes, taken, bytes.length, at);
    return this.#soil(at + bytes.length - taken);
  }

  #copyPiece(bytes: Uint8Array, from: number, to: number, at: number): void {
    if (to - from === bytes.length) this.input.set(bytes, at);
    else if (to - from > SHORT_PIECE)
      this.input.set(new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from), at);
    else for (let i = from; i < to; i++) this.input[at + i - from] = bytes[i] as number;
  }

  #pourText(text: string, filled: number, state: number): number {
    for (let at = filled, rest = text; ; at = 0) {
      const { read, written } = encoder.encodeInto(rest, at === 0 ? this.input : this.input.subarray(at));
      at = this.#soil(at + written);
      if (read === rest.length) return at;
      this.absorb(state, at);
      rest = rest.slice(read);
    }
  }

  #soil(end: number): number {
    if (end > this.#dirty) this.#dirty = end;
    return end;
  }

  /** Zeroes what has been written to the input area. */
  wipeInput(): void {
    this.#wipe(INPUT, this.#dirty);
    this.#dirty = 0;
  }

  copyState(state: number): Uint8Array<ArrayBuffer> {
    return this.memory.slice(state, state + this.stateSize(state));
  }

  /** Zeroes the state at an address. */
  wipeState(state: number): void {
    this.#wipe(state, this.stateSize(state));
  }

  /** Bytes of the state at an address that are in use. */
  stateSize(state: number): number {
    return this.numbers.getUint32(state, true);
  }
}

const loadedModules = /* @__PURE__ */ new Set<KernelModule>();

/** A kernel's two builds. It is compiled at first use, so an import alone costs nothing. */
export class KernelModule {
  /** The instance in use, once there is one. */
  current: Kernel | undefined = undefined;
  readonly #builds: Record<Backend, string | WebAssembly.Module>;

  constructor(builds: Record<Backend, string | WebAssembly.Module>) {
    this.#builds = builds;
  }

  load(): Kernel {
    const build = this.#builds[backend()];
    this.current = new Kernel(typeof build === "string" ? compile(decode(build)) : build);
    loadedModules.add(this);
    return this.current;
  }
}

// A module of one function that makes a v128 and counts bits in it (fd 62): valid where WebAssembly SIMD is.
const SIMD_PROBE = "AGFzbQEAAAABBQFgAAF7AwIBAAoKAQgAQQD9D/1iCw==";

let chosen: Backend | undefined;

/**
 * Tells which build computes: `"simd128"` where the engine has WebAssembly SIMD, else `"baseline"`.
 *
 * The environment variable `BLAKE_SIMD_DISABLE=1` forces `"baseline"` where there is an environment.
 *
 * @example
 * backend(); // "simd128"
 */
export function backend(): Backend {
  chosen ??= !simdDisabled() && simdSupported() ? "simd128" : "baseline";
  return chosen;
}

/**
 * Chooses the build for all later calls. Hashers in progress go on with it: their states are the same in both.
 *
 * @param name `"simd128"` or `"baseline"`
 * @throws TypeError for any other name; Error for `"simd128"` where the engine lacks WebAssembly SIMD
 * @example
 * useBackend("baseline");
 */
export function useBackend(name: Backend): void {
  if (name !== "simd128" && name !== "baseline") {
    throw new TypeError(`useBackend: name must be "simd128" or "baseline", got ${describe(name)}`);
  }
  if (name === "simd128" && !simdSupported()) {
    throw new Error('useBackend: name must be "baseline" here, got "simd128": this engine has no WebAssembly SIMD');
  }
  if (name === chosen) return;
  // Each tenant's state is taken out and the instance dropped: the next call loads the backend then in force.
  for (const module of loadedModules) {
    module.current?.tenant?.leave(module.current);
    module.current = undefined;
  }
  loadedModules.clear();
  chosen = name;
}

function simdSupported(): boolean {
  return WebAssembly.validate(fromBase64(SIMD_PROBE));
}

interface Environment {
  process?: { env?: Record<string, string | undefined> };
  Deno?: { permissions?: { querySync?(query: object): { state: string } } };
}

function simdDisabled(): boolean {
  const { process, Deno } = globalThis as Environment;
  const variable = "BLAKE_SIMD_DISABLE";
  // Deno would stop and ask its user: a variable that may not be read is not set.
  const permission = Deno?.permissions?.querySync?.({ name: "env", variable }).state ?? "granted";
  return permission === "granted" && process?.env?.[variable] === "1";
}
