// A kernel's memory (wasm/memory.h), of which each call may write the named parts alone.
import { BinaryReader } from "../../../wasm/binary-reader.mjs";

export const PARAMETERS = 0x4000;
export const STATE = 0x5000;
export const ONESHOT = 0x6000;
export const ROOT = 0x7000;
export const WORKERS = 0x7100;
export const WORKERS_SIZE = 0x200;
export const JOBS = 0x8000;
export const JOBS_SIZE = 0x1000;
export const OUTPUT = 0xc000;
export const OUTPUT_SIZE = 0x4000;
export const INPUT = 0x10000;
export const INPUT_SIZE = 0x10000;
const CONSTANTS = 0x400;
export const COUNT = 16;
export const HEAD = 32;
export const ENDS = 0x80000000;

/** From the first address to before the last. */
export type Range = readonly [number, number];
type Args = readonly number[];
type Call = (...args: number[]) => number | undefined;

let counted = () => {};

/** Calls a function before each call of a kernel: a run that makes no progress is in a loop without an end. */
export function onEachCall(count: () => void): void {
  counted = count;
}

const GLOBALS = 6;
const I32 = 0x7f;
const I32_CONST = 0x41;

export const soil = 0xa5;
/** The C stack of 8192 bytes is after at most 0x1000 bytes of constants and variables. */
export const VARIABLES_END = 0x1400;
const FEW = 23;

/** A memory, of which each call may write the named parts alone. */
export class Watched {
  readonly bytes: Uint8Array;
  readonly #before: Uint8Array;
  readonly #exports: Record<string, Call>;
  readonly #watched = new Map<string, number>();
  /** What is after the constants: variables, at first zero, and the C stack. */
  readonly stack: Range;

  /** Code that is not optimised has all of its variables on the stack, where they stay: no use of a secret is forgotten. */
  readonly #keepsSecrets: boolean;

  constructor(exports: WebAssembly.Exports, memory: WebAssembly.Memory, stackEnd: number, keepsSecrets = false) {
    this.#keepsSecrets = keepsSecrets;
    this.bytes = new Uint8Array(memory.buffer);
    this.#before = this.bytes.slice();
    this.#exports = exports as Record<string, Call>;
    const end = this.bytes.subarray(0, stackEnd).findLastIndex((byte) => byte !== 0) + 1;
    this.stack = keepsSecrets ? [INPUT + INPUT_SIZE, this.bytes.length] : [Math.max(end, CONSTANTS), stackEnd];
  }

  has(name: string): boolean {
    return name in this.#exports;
  }

  /**
   * Calls an export, which may write to these ranges and to its stack. To compare all of a memory takes longer than most calls:
   * of calls with the same ranges it is done for the first few, and then for some.
   */
  call(name: string, args: Args, writes: readonly Range[]): number | undefined {
    counted();
    const kind = `${name} ${writes.flat()}`;
    const count = this.#watched.get(kind) ?? 0;
    this.#watched.set(kind, count + 1);
    if (count >= FEW && count % FEW !== 0) return this.#exports[name]!(...args);
    this.#before.set(this.bytes);
    const result = this.#exports[name]!(...args);
    this.expectUnchanged(this.#before, [this.stack, ...writes], `${name}(${args.join(", ")}) writes`);
    return result;
  }

  expectUnchanged(before: Uint8Array, writes: readonly Range[], where: string): void {
    let at = 0;
    const ranges = [...writes].sort((a, b) => a[0] - b[0]);
    for (const [from, to] of [...ranges, [this.bytes.length, 0] as const]) {
      if (from > at && Buffer.compare(this.bytes.subarray(at, from), before.subarray(at, from)) !== 0) {
        const place = this.bytes.findIndex((byte, i) => i >= at && byte !== before[i]);
        throw new Error(`${where} to 0x${place.toString(16)}`);
      }
      at = Math.max(at, to);
    }
  }

  fill([from, to]: Range, byte: number): void {
    this.bytes.fill(byte, from, to);
  }

  set(at: number, bytes: Uint8Array): void {
    this.bytes.set(bytes, at);
  }

  copy(at: number, length: number): Uint8Array {
    return this.bytes.slice(at, at + length);
  }

  get view(): DataView {
    return new DataView(this.bytes.buffer);
  }

  /** Runs a use of two secrets on the same memory; nothing but these ranges may then differ. */
  expectForgotten(use: (secret: number) => void, ranges: readonly Range[], where: string): void {
    if (this.#keepsSecrets) return;
    const start = this.bytes.slice();
    use(7);
    const first = this.bytes.slice();
    this.bytes.set(start);
    use(212);
    this.expectUnchanged(first, ranges, `${where} leaves something of a secret`);
    this.bytes.set(start);
  }
}

/**
 * Where the C stack begins, from which it grows down: the value of the first variable of a module, if it has one (WebAssembly 2.0
 * section 5.5.9).
 */
function stackTop(bytes: Uint8Array): number | undefined {
  const reader = new BinaryReader(bytes, 8);
  while (reader.at < bytes.length) {
    const section = reader.byte();
    const end = reader.number() + reader.at;
    if (section === GLOBALS && reader.number() > 0) {
      const [type, mutable, operation] = [reader.byte(), reader.byte(), reader.byte()];
      if (type === I32 && mutable === 1 && operation === I32_CONST) return Number(reader.signed());
    }
    reader.at = end;
  }
  return undefined;
}

/** A kernel with its memory in a state as bad as it may be. */
export function open(bytes: Uint8Array<ArrayBuffer>): Watched {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  const memory = instance.exports.memory as WebAssembly.Memory;
  // Without optimisation constants and stack do not fit, and come after INPUT.
  const isUnoptimised = memory.buffer.byteLength > INPUT + INPUT_SIZE;
  const top = isUnoptimised ? PARAMETERS : (stackTop(bytes) ?? PARAMETERS);
  const kernel = new Watched(instance.exports, memory, top, isUnoptimised);
  if (!isUnoptimised) kernel.fill([VARIABLES_END, PARAMETERS], soil);
  kernel.fill([PARAMETERS, INPUT + INPUT_SIZE], soil);
  return kernel;
}
