// The kernel of subtrees (wasm/blake3/blake3-subtrees.c): one instance, in an area of a memory that other instances may share.
import { instantiate, makeMemory } from "../engine/compile.js";
import { CHUNK, chunksIn, VALUE } from "./geometry.js";
import type { TreeExports } from "./module.js";

export const PAGE = 0x10000;
/** Addresses below this hold the kernel's constants, which are the same for all instances. */
export const FIRST_AREA = 0x10000;

// An area holds the C stack, the modes (key and flags), chaining values, and the input, at these offsets.
const STACK_SIZE = 0x4000;
const MODES_AT = STACK_SIZE;
/** The number of bytes for each mode. */
export const MODE_SIZE = 64;
export const VALUES_AT = 0x8000;
export const INPUT_AT = 0x10000;
/** The most chaining values that an area has room for. */
export const MAX_VALUES = (INPUT_AT - VALUES_AT) / VALUE;

/** The most bytes hashed by one call: they fit into the L2 cache, and the engine can switch to optimised code in between. */
export const PIECE = 0x40000;

/** Returns the address of a mode of an area. */
export const modeAt = (area: number, mode: number): number => area + MODES_AT + mode * MODE_SIZE;

/** Returns a memory of one area, with as much input. Compile first, as for every memory. */
export function memoryFor(inputSize: number): WebAssembly.Memory {
  const pages = Math.ceil((FIRST_AREA + INPUT_AT + inputSize) / PAGE);
  return makeMemory({ initial: pages, maximum: pages });
}

/**
 * Every computation is one call. A call that ends by an exception, or is terminated, loses the C stack pointer: its instance is
 * never used again, and all that it has left is wiped.
 */
export class TreeKernel {
  protected exports!: TreeExports;
  protected readonly area: number;
  readonly #module: () => WebAssembly.Module;
  readonly #memory: WebAssembly.Memory;
  /** What the instance was made of. */
  #compiled: WebAssembly.Module | undefined;
  /** Whether a call is in progress, or did not complete. */
  #busy = false;
  // What has been written since the last wipe: a mode, input from one address to another, and values.
  #mode: number | undefined;
  #inputStart = 0;
  #inputEnd = 0;
  #values = 0;

  /** @param module returns the module of the chosen build */
  constructor(module: () => WebAssembly.Module, memory: WebAssembly.Memory, area = FIRST_AREA) {
    this.#module = module;
    this.#memory = memory;
    this.area = area;
    this.prepare();
  }

  /** Replaces the instance if it is not of the chosen build, or if a call did not complete. */
  prepare(): void {
    const module = this.#module();
    if (module === this.#compiled && !this.#busy) return;
    this.exports = instantiate(module, { env: { memory: this.#memory } }) as TreeExports;
    this.exports.stackRestore(this.area + STACK_SIZE);
    if (this.#busy) this.#clear();
    this.#compiled = module;
    this.#busy = false;
  }

  /** Computes, and wipes all that the call has written. */
  call<T>(work: () => T): T {
    return this.step(() => {
      const result = work();
      this.#clear();
      return result;
    });
  }

  /** Computes, and leaves what it has written to the next step, or to `wipe`. */
  step<T>(work: () => T): T {
    this.prepare();
    // Not cleared in a `finally`, which could fail as the call did, and which a termination does not run.
    this.#busy = true;
    try {
      const result = work();
      this.#busy = false;
      return result;
    } catch (error) {
      this.#tryToPrepare();
      throw error;
    }
  }

  #tryToPrepare(): void {
    try {
      this.prepare();
    } catch {
      // Out of memory or stack; the next call tries again.
    }
  }

  /** Zeroes what steps have left. */
  wipe(): void {
    this.prepare();
    this.#clear();
  }

  #clear(): void {
    // Not by `fill`, which zeroes shared memory byte by byte.
    const { clear } = this.exports;
    clear(this.area, STACK_SIZE);
    clear(this.area + VALUES_AT, this.#values * VALUE);
    clear(this.#inputStart, this.#inputEnd - this.#inputStart);
    if (this.#mode !== undefined) clear(modeAt(this.area, this.#mode), MODE_SIZE);
    this.#values = this.#inputStart = this.#inputEnd = 0;
    this.#mode = undefined;
  }

  // ---- what calls write, which must be known before they write it ----

  /** Writes a mode, key and flags, which is wiped. Without one, it is there already. */
  protected putMode(mode: number, bytes?: Uint8Array): void {
    this.#mode = mode;
    if (bytes) this.view(modeAt(this.area, mode), bytes.length).set(bytes);
  }

  /** Records that input is written from one address to another. */
  protected takeInput(start: number, end: number): void {
    this.#inputStart = this.#inputEnd === 0 ? start : Math.min(this.#inputStart, start);
    this.#inputEnd = Math.max(this.#inputEnd, end);
  }

  /** Records that there are so many values. */
  protected takeValues(count: number): void {
    if (count > this.#values) this.#values = count;
  }

  /** Returns the address of a value. */
  protected valueAt(index: number): number {
    return this.area + VALUES_AT + index * VALUE;
  }

  protected view(address: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory.buffer as ArrayBuffer, address, length);
  }

  // ---- computations ----

  /**
   * Computes the chaining values of consecutive groups, and stores them from value `index` on. The last group may be short.
   *
   * @param address of the first byte
   * @param length 1 to {@link PIECE} bytes
   * @param chunk the number of the first chunk in the message
   */
  protected groupsAt(mode: number, address: number, length: number, group: number, chunk: number, index = 0): void {
    const parameters = modeAt(this.area, mode);
    const high = Math.floor(chunk / 2 ** 32);
    this.takeValues(index + chunksIn(length));
    this.exports.groups(parameters, address, length, group / CHUNK, chunk, high, this.valueAt(index));
  }
}
