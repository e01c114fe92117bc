// Finds every write to bytes of kernel memory that are not a call's own, at three places:
//
// - around each WebAssembly export, all that it does not own or read (wasm/memory.h) holds a pattern, and has to hold it
//   afterwards; what it only reads stays as it was;
// - around each wipe of an area, everything else holds the pattern;
// - a call that does not move the bytes that wait in INPUT leaves them as they were; memory without a use holds the pattern for
//   good; and when a call has ended, no state, root or message in progress stays.
//
// A kernel that is asked for while it is open would mean that code of the user's runs there, or that an error left it open.
import { Kernel } from "../../js/engine/kernel.ts";
import { type Instance, Lifecycle } from "../../js/engine/lifecycle.ts";
import {
  Area,
  INPUT,
  INPUT_SIZE,
  JOBS,
  JOBS_SIZE,
  ONESHOT,
  OUTPUT,
  PARAMETERS,
  PARAMETERS_SIZE,
  ROOT,
  ROOT_SIZE,
  STATE,
  STATE_SIZE,
  WORKERS,
  WORKERS_SIZE,
} from "../../js/engine/memory.ts";

/** A range of addresses: the first, and the one after the last. */
type Range = readonly [start: number, end: number];

const PATTERN = 0xa5;
const END = INPUT + INPUT_SIZE;
const area = (start: number, size: number): Range => [start, start + size];

const STACK: Range = [0, PARAMETERS];
const PARAMETER_BYTES = area(PARAMETERS, PARAMETERS_SIZE);
const stateAt = (address: number): Range => area(address, STATE_SIZE);

/** What the memory map leaves out. */
const GAPS: readonly Range[] = [
  [PARAMETERS + PARAMETERS_SIZE, STATE],
  [WORKERS + WORKERS_SIZE, JOBS],
  [JOBS + JOBS_SIZE, OUTPUT],
];

/** What holds zeros while no call is in progress. */
const WIPED: Record<string, Range> = {
  STATE: stateAt(STATE),
  ONESHOT: stateAt(ONESHOT),
  ROOT: area(ROOT, ROOT_SIZE),
  WORKERS: area(WORKERS, WORKERS_SIZE),
};

// A truncated digest leaves the rest of its chaining value or block, and messages are wiped in whole blocks.
const CHAIN = 64;
const BLOCK = 128;

const outputOf = (length: number): Range => area(OUTPUT, Math.max(CHAIN, Math.ceil(length / CHAIN) * CHAIN));
// BLAKE pads a message where it lies, by up to a block.
const inputOf = (length: number): Range => area(INPUT, Math.min(INPUT_SIZE, (Math.floor(length / BLOCK) + 2) * BLOCK));

interface Use {
  readonly reads?: readonly Range[];
  readonly writes?: readonly Range[];
}

/** What each export reads and writes, given its arguments (wasm/memory.h). */
const USES: Record<string, (...args: number[]) => Use> = {
  init: (state = 0) => ({ reads: [PARAMETER_BYTES], writes: [stateAt(state)] }),
  update: (state = 0, input = 0, length = 0) => ({ reads: [area(input, length)], writes: [stateAt(state)] }),
  finalize: (state = 0, length = 0) => ({ reads: [stateAt(state)], writes: [outputOf(length)] }),
  hash: (input = 0, output = 0) => ({
    reads: [PARAMETER_BYTES],
    writes: [stateAt(ONESHOT), area(ROOT, ROOT_SIZE), inputOf(input), outputOf(output)],
  }),
  root: (state = 0) => ({ reads: [stateAt(state)], writes: [area(ROOT, ROOT_SIZE)] }),
  squeeze: (_low, _high, length = 0) => ({ reads: [area(ROOT, ROOT_SIZE)], writes: [outputOf(length)] }),
  many: (count) => ({
    reads: [PARAMETER_BYTES, area(JOBS, JOBS_SIZE)],
    // BLAKE3's leaves digests in the output area, with one more for idle lanes; BLAKE2's in the input area.
    writes: [area(INPUT, INPUT_SIZE), count === undefined ? area(WORKERS, WORKERS_SIZE) : outputOf(32 * (count + 1))],
  }),
  lanes: () => ({}),
};

/** Complaints since the last look: a test that expects errors may have caught one. */
const failures: Error[] = [];

function fail(text: string): never {
  const error = new Error(`guard: ${text}`);
  failures.push(error);
  throw error;
}

/** Complaints so far, which are forgotten. */
export function takeFailures(): Error[] {
  return failures.splice(0);
}

const hex = (address: number): string => `0x${address.toString(16)}`;

/** The ranges between some, in order. */
function between(used: readonly Range[]): Range[] {
  const free: Range[] = [];
  let at = 0;
  for (const [start, end] of [...used].sort((a, b) => a[0] - b[0])) {
    if (at < start) free.push([at, start]);
    at = Math.max(at, end);
  }
  if (at < END) free.push([at, END]);
  return free;
}

const patterns = new Uint8Array(END).fill(PATTERN);

function firstDifference(memory: Uint8Array, wanted: Uint8Array, [start, end]: Range): number | undefined {
  if (Buffer.compare(memory.subarray(start, end), wanted.subarray(start, end)) === 0) return undefined;
  for (let at = start; ; at++) if (memory[at] !== wanted[at]) return at;
}

/** Acts while all that is not used holds the pattern, which has to be there afterwards; then memory is what it was. */
function actBeside<T>(what: string, memory: Uint8Array, { reads = [], writes = [] }: Use, act: () => T): T {
  const before = memory.slice(0, END);
  const free = between([STACK, ...reads, ...writes]);
  for (const range of free) memory.fill(PATTERN, ...range);
  const result = act();
  const onlyRead = between([...between(reads), ...writes]);
  const changes = [
    ...free.map((range) => firstDifference(memory, patterns, range)),
    ...onlyRead.map((range) => firstDifference(memory, before, range)),
  ].filter((change) => change !== undefined);
  for (const [start, end] of free) memory.set(before.subarray(start, end), start);
  if (changes[0] !== undefined) fail(`${what} has changed the byte at ${hex(changes[0])}`);
  return result;
}

// ---- exports ----

/** The memory of each instance, by its buffer. */
const made = new WeakMap<ArrayBufferLike, Uint8Array>();

function guardInstances(): void {
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class {
    readonly exports: WebAssembly.Exports;

    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      const { exports } = new Instance(module, imports);
      this.exports = exports;
      if (!exports.init) return;
      const memory = new Uint8Array((exports.memory as WebAssembly.Memory).buffer);
      for (const range of GAPS) memory.fill(PATTERN, ...range);
      made.set(memory.buffer, memory);
      this.exports = Object.fromEntries(
        Object.entries(exports).map(([name, value]) => [name, guardedExport(name, value, memory)]),
      );
    }
  } as typeof WebAssembly.Instance;
}

function guardedExport(name: string, value: WebAssembly.ExportValue, memory: Uint8Array): WebAssembly.ExportValue {
  const use = USES[name];
  if (typeof value !== "function" || !use) return value;
  return (...args: number[]) =>
    actBeside(`${name}(${args.map(hex).join(", ")})`, memory, use(...args), () => value(...args));
}

// ---- wipes ----

type Wipe = (this: Area, length: number) => void;

const { wipe } = Area.prototype;
let wiping: Wipe = wipe;

/** Wipes in a different way meanwhile: to show that the guard sees what it does. */
export function wipingBy(other: Wipe, body: () => void): void {
  wiping = other;
  try {
    body();
  } finally {
    wiping = wipe;
  }
}

function guardWipes(): void {
  Area.prototype.wipe = function (length) {
    const { buffer, byteOffset, length: size } = this.bytes;
    const what = `a wipe of ${length} bytes in the area of ${size} at ${hex(byteOffset)}`;
    const memory = made.get(buffer);
    if (memory) actBeside(what, memory, { writes: [area(byteOffset, size)] }, () => wiping.call(this, length));
    else wiping.call(this, length);
    if (length > size) fail(`${what} is more than the area`);
  };
}

// ---- calls ----

/** Kernels by module, as long as the module uses them. */
const inUse = new Map<Lifecycle<Instance>, Instance>();

/** A copy of the bytes that wait in INPUT for a hasher. */
function waitingBytes({ waiting, input }: Kernel): Uint8Array {
  return input.bytes.slice(0, (waiting as { pending?: number } | undefined)?.pending ?? 0);
}

function checkAtRest(kernel: Kernel): void {
  const memory = made.get(kernel.state.bytes.buffer)!;
  for (const range of GAPS) {
    const changed = firstDifference(memory, patterns, range);
    if (changed !== undefined) fail(`the byte at ${hex(changed)}, which nobody owns, has changed`);
  }
  for (const [name, range] of Object.entries(WIPED)) {
    if (Buffer.compare(memory.subarray(...range), zeros.subarray(...range)) !== 0) {
      fail(`${name} holds bytes although the kernel is closed`);
    }
  }
}

const zeros = new Uint8Array(END);

/** Looks at a kernel each time that it is opened or closed. */
function watch(kernel: Kernel): void {
  let busy = kernel.busy;
  let before: Uint8Array;
  let waiting: unknown;
  Object.defineProperty(kernel, "busy", {
    get: () => busy,
    set(value: boolean) {
      if (!busy && value) {
        checkAtRest(kernel);
        before = waitingBytes(kernel);
        waiting = kernel.waiting;
      }
      const closes = busy && !value;
      busy = value;
      if (closes && waiting && waiting === kernel.waiting && Buffer.compare(waitingBytes(kernel), before) !== 0) {
        fail("a call has changed the bytes that wait for a hasher");
      }
    },
  });
}

/** Whether a call has left a kernel open; one that has been replaced stays busy. */
const isOpen = (module: Lifecycle<Instance>, kernel: Instance | undefined) => module.current === kernel && kernel?.busy;

function guardCalls(): void {
  const { prototype } = Lifecycle;
  const { get } = Object.getOwnPropertyDescriptor(prototype, "kernel") as { get(): Instance };
  Object.defineProperty(prototype, "kernel", {
    get(this: Lifecycle<Instance>) {
      if (isOpen(this, inUse.get(this))) {
        inUse.delete(this);
        fail("a kernel was open when it was asked for");
      }
      const kernel = get.call(this);
      if (kernel instanceof Kernel && inUse.get(this) !== kernel) watch(kernel);
      inUse.set(this, kernel);
      return kernel;
    },
  });
  const { backendChanged } = prototype;
  prototype.backendChanged = function () {
    backendChanged.call(this);
    inUse.delete(this);
  };
}

/** No call has left a kernel open, and no complaint has been swallowed. */
export function checkClosed(): void {
  for (const kernel of inUse.values()) if (kernel instanceof Kernel && !kernel.busy) checkAtRest(kernel);
  const open = [...inUse].filter(([module, kernel]) => isOpen(module, kernel));
  for (const [module] of open) inUse.delete(module);
  const [failure] = takeFailures();
  if (failure) throw failure;
  if (open.length > 0) throw new Error("guard: a call has left a kernel open");
}

/** From now on, every kernel is guarded. */
export function guard(): void {
  guardInstances();
  guardWipes();
  guardCalls();
}
