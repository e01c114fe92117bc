// The kernel of subtrees (wasm/blake3/blake3-subtrees.c).
import { instantiate, makeMemory } from "../engine/compile.js";
import type { Instance } from "../engine/lifecycle.js";
import { tune } from "../engine/vector-latency.js";
import { CHUNK, chunksIn, VALUE } from "./geometry.js";

/** The exports of wasm/blake3/blake3-subtrees.c, which describes them. */
interface TreeExports {
  groups(
    parameters: number,
    input: number,
    length: number,
    per: number,
    low: number,
    high: number,
    values: number,
  ): void;
  level(parameters: number, values: number, count: number, out: number): void;
  merge(parameters: number, values: number, count: number): void;
  collect(parameters: number, values: number, count: number, nodes: number): void;
  clear(start: number, length: number): void;
  stackRestore(top: number): void;
  /** Only in builds that choose among shapes: see `tune`. */
  chain?(turns: number, ofVectors: number): number;
}

export const PAGE = 0x10000;

// A memory begins with the kernel's constants, which all instances read. Then each instance has an area:
//
//   FIRST_AREA   area + 0        the C stack
//                area + 0x4000   modes of 64 bytes: key and flags
//                area + 0x8000   chaining values of 32 bytes, up to MAX_VALUES
//                area + 0x10000  input, for as long as the area is
//
// One area is enough for an instance in a memory of its own. Workers of a pool share a memory and have an area each.
export const FIRST_AREA = 0x10000;
const STACK_SIZE = 0x4000;
const MODES_AT = STACK_SIZE;
export const MODE_SIZE = 64;
const VALUES_AT = 0x8000;
export const INPUT_AT = 0x10000;
export const MAX_VALUES = (INPUT_AT - VALUES_AT) / VALUE;

/** The most bytes hashed by one call. They fit into the L2 cache. */
export const PIECE = 0x40000;

/** Returns the address of a mode of an area. */
export const modeAt = (area: number, mode: number): number => area + MODES_AT + mode * MODE_SIZE;

/** Returns a memory of one area with room for so much input. Compile first, as for every memory. */
export function memoryFor(inputSize: number): WebAssembly.Memory {
  const pages = Math.ceil((FIRST_AREA + INPUT_AT + inputSize) / PAGE);
  return makeMemory({ initial: pages, maximum: pages, shared: false });
}

/** One instance, in its area of a memory. It records what calls write, so that `wipe` zeroes no more than that. */
export class TreeKernel implements Instance {
  busy = false;
  readonly area: number;
  /** All memory, by address. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  protected readonly exports: TreeExports;
  // Written since the last wipe: a mode, input from one address to another, and the first values.
  #mode: number | undefined;
  #inputStart = 0;
  #inputEnd = 0;
  #values = 0;

  constructor(module: WebAssembly.Module, memory: WebAssembly.Memory, area = FIRST_AREA) {
    this.exports = instantiate(module, { env: { memory } }) as TreeExports;
    this.exports.stackRestore(area + STACK_SIZE);
    this.bytes = new Uint8Array(memory.buffer as ArrayBuffer);
    tune(this.bytes, this.exports);
    this.area = area;
  }

  begin(): this {
    this.busy = true;
    return this;
  }

  /** Ends a call, and wipes all that has been written. */
  end(): void {
    this.wipe();
    this.endUpdate();
  }

  wipe(): void {
    // Not by `fill`, which zeroes shared memory byte by byte.
    this.#wipe(this.exports.clear);
    this.#values = this.#inputStart = this.#inputEnd = 0;
    this.#mode = undefined;
  }

  /** Ends a call, and leaves what it has written to the next one. */
  endUpdate(): void {
    this.busy = false;
  }

  retire(): void {
    this.#wipe((start, length) => this.bytes.fill(0, start, start + length));
  }

  #wipe(clear: (start: number, length: number) => void): void {
    clear(this.area, STACK_SIZE);
    clear(this.area + VALUES_AT, this.#values * VALUE);
    clear(this.#inputStart, this.#inputEnd - this.#inputStart);
    if (this.#mode !== undefined) clear(modeAt(this.area, this.#mode), MODE_SIZE);
  }

  protected valueAt(index: number): number {
    return this.area + VALUES_AT + index * VALUE;
  }

  /** Returns consecutive values, as a view. */
  values(index: number, count: number): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(this.valueAt(index), this.valueAt(index + count));
  }

  // ---- what a call writes ----

  /** Writes a mode, key and flags. Without `bytes`, the mode is there already. */
  putMode(mode: number, bytes?: Uint8Array): void {
    this.#mode = mode;
    if (bytes) this.bytes.set(bytes, modeAt(this.area, mode));
  }

  /** Records that input from one address to another will be written. */
  willWriteInput(start: number, end: number): void {
    this.#inputStart = this.#inputEnd === 0 ? start : Math.min(this.#inputStart, start);
    this.#inputEnd = Math.max(this.#inputEnd, end);
  }

  /** Copies bytes to an offset in the input. */
  put(bytes: Uint8Array, at = 0): void {
    const address = this.area + INPUT_AT + at;
    this.willWriteInput(address, address + bytes.length);
    this.bytes.set(bytes, address);
  }

  /** Records that the first `count` values may be written. */
  protected willWriteValues(count: number): void {
    this.#values = Math.max(this.#values, count);
  }

  /** Stores values from an index on. */
  putValues(values: Uint8Array, index: number): void {
    this.willWriteValues(index + values.length / VALUE);
    this.bytes.set(values, this.valueAt(index));
  }

  // ---- computations ----

  /**
   * Computes the chaining values of consecutive groups, and stores them from value `index` on. The last group may be
   * short.
   *
   * @param address of the first byte
   * @param length 1 to {@link PIECE} bytes
   * @param chunk the number of the first chunk in the message, below 2^32 if `high` has the bits above
   */
  groupsAt(
    mode: number,
    address: number,
    length: number,
    group: number,
    chunk: number,
    index = 0,
    high?: number,
  ): void {
    this.willWriteValues(index + chunksIn(length));
    this.exports.groups(
      modeAt(this.area, mode),
      address,
      length,
      group / CHUNK,
      chunk,
      high ?? Math.floor(chunk / 2 ** 32),
      this.valueAt(index),
    );
  }

  /** Merges neighbours, `count` values from `index` on, into the first of them. */
  merge(mode: number, index: number, count: number): void {
    this.exports.merge(modeAt(this.area, mode), this.valueAt(index), count);
  }
}
