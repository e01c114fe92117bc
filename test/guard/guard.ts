// Finds what the TypeScript does to kernel memory that is not a call's own; what the kernels' exports write, the proofs show
// (test/evidence/prove):
//
// - a wipe of an area changes no byte of another, and is no longer than its area;
// - a call that does not move the bytes that wait in INPUT leaves them as they were;
// - when a call has ended, no state, root or message in progress stays.
//
// A kernel that is asked for while it is open would mean that code of the user's runs there, or that an error left it open.
import { Kernel } from "../../js/engine/kernel.ts";
import { type Instance, Lifecycle } from "../../js/engine/lifecycle.ts";
import { Area, ONESHOT, ROOT, ROOT_SIZE, STATE, STATE_SIZE } from "../../js/engine/memory.ts";

/** A range of addresses: the first, and the one after the last. */
type Range = readonly [start: number, end: number];

const area = (start: number, size: number): Range => [start, start + size];

/** What holds zeros while no call is in progress. */
const WIPED: Record<string, Range> = {
  STATE: area(STATE, STATE_SIZE),
  ONESHOT: area(ONESHOT, STATE_SIZE),
  ROOT: area(ROOT, ROOT_SIZE),
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

const PATTERN = 0xa5;

/** Acts while all but an area holds a pattern, which has to be there afterwards; then memory is what it was. */
function actBeside(what: string, memory: Uint8Array, [start, end]: Range, act: () => void): void {
  const before = memory.slice();
  const wanted = new Uint8Array(memory.length).fill(PATTERN);
  memory.fill(PATTERN, 0, start).fill(PATTERN, end);
  act();
  wanted.set(memory.subarray(start, end), start);
  const isWhole = Buffer.compare(memory, wanted) === 0;
  const changed = isWhole ? 0 : memory.findIndex((byte, i) => byte !== wanted[i]);
  before.set(memory.subarray(start, end), start);
  memory.set(before);
  if (!isWhole) fail(`${what} has changed the byte at ${hex(changed)}`);
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
    actBeside(what, new Uint8Array(buffer), area(byteOffset, size), () => wiping.call(this, length));
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
  const memory = new Uint8Array(kernel.state.bytes.buffer);
  for (const [name, range] of Object.entries(WIPED)) {
    if (memory.subarray(...range).some((byte) => byte !== 0)) fail(`${name} holds bytes although the kernel is closed`);
  }
}

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
  guardWipes();
  guardCalls();
}
