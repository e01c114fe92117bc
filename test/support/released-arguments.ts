// Makes every call of the table, and prints what of its arguments is reachable once it has ended, as JSON. Run in a
// process of its own (test/engine/released-arguments.test.ts), whose heap is small, with --expose-gc: it collects after
// every call.
import { setImmediate as nextTurn } from "node:timers/promises";
import { allCalls, isTried, OF_EACH_KERNEL } from "./calls/all.ts";
import { titleOf } from "./calls/call.ts";
import { type Arrays, type Call, type Code, NO_CODE } from "./calls/row.mjs";
import { atTheEndOfTheStack, isOverflow } from "./stack.ts";

/** Collections after which what is reachable is held. */
const ROUNDS = 3;
/** Calls under options are interrupted in so many frames from the stack's end, of about 100 bytes, and words below them. */
const FRAMES = 12;
const SHIFTS = [0, 3, 6, 9, 12, 15];

/** Values of a call, by name, which must not be reachable when it has ended. */
class Given {
  readonly #refs = new Map<string, WeakRef<object>>();
  readonly arrays: Arrays = {};

  constructor(arrays: Arrays) {
    for (const [name, bytes] of Object.entries(arrays)) {
      const own = new Uint8Array(bytes);
      this.arrays[name] = own;
      this.#note(name, own);
      this.#note(`the buffer of ${name}`, own.buffer);
    }
  }

  readonly code: Code = {
    options: (options) => this.#note(`options with ${Object.keys(options)}`, { ...options }),
    list: (items) => this.#note("a list", [...items]),
  };

  #note<T extends object>(name: string, value: T): T {
    this.#refs.set(name, new WeakRef(value));
    return value;
  }

  has(value: unknown): boolean {
    return [...this.#refs.values()].some((ref) => ref.deref() === value);
  }

  forget(): void {
    for (const name of Object.keys(this.arrays)) delete this.arrays[name];
  }

  held(): string[] {
    return [...this.#refs].filter(([, ref]) => ref.deref()).map(([name]) => name);
  }
}

interface Made {
  readonly given: Given;
  /** The object, and what the call returned or threw: they stay. */
  readonly kept: readonly unknown[];
  readonly error?: unknown;
}

/** Makes a call; with a wrong argument, if there is one. */
async function made(call: Call, wrong?: { at: number; value: unknown }): Promise<Made> {
  const given = new Given(call.arrays);
  const { arrays, code } = given;
  let object: unknown;
  try {
    object = call.make(arrays, code);
    const args = call.args(arrays, code, object);
    const value = await call.act(object, ...(wrong ? args.with(wrong.at, wrong.value) : args));
    return { given, kept: [object, given.has(value) ? undefined : value] };
  } catch (error) {
    // Until it is read, V8 keeps the frames of functions for it.
    void (error as Error).stack;
    return { given, kept: [object, error], error };
  }
}

const failures: string[] = [];
const counts = { right: 0, wrong: 0, ended: 0 };

/** What calls were given, and what to say of it if it is held. */
type Ended = readonly [what: string, made: Made];

/** Collects once for calls of which none releases what another one holds. */
async function requireReleased(ended: readonly Ended[]): Promise<void> {
  for (const [, { given }] of ended) given.forget();
  const isHeld = ([, { given }]: Ended) => given.held().length > 0;
  for (let round = 0; round === 0 || (round < ROUNDS && ended.some(isHeld)); round++) {
    // A WeakRef keeps its target until the turn ends, and a collection may find an address left on the stack.
    await nextTurn();
    globalThis.gc!();
  }
  for (const [what, { given }] of ended.filter(isHeld)) failures.push(`${what}: holds ${given.held()}`);
}

async function tryRight(call: Call): Promise<Ended> {
  const result = await made(call);
  if (result.error !== undefined) failures.push(`${titleOf(call)}: ${result.error}`);
  counts.right++;
  return [titleOf(call), result];
}

/** An argument is of a wrong kind, or of a right kind and empty: every other call has the other. */
async function tryWrong(call: Call, at: number): Promise<Ended> {
  const value = counts.wrong++ % 2 === 0 ? Symbol("wrong") : new Uint8Array(0);
  const result = await made(call, { at, value });
  return [`${titleOf(call)}, argument ${at}: ${String(result.kept[1])}`, result];
}

/** A call that is refused comes after the one that is right, which would release what it holds. */
async function tryAll(call: Call): Promise<void> {
  const count = call.most > 0 ? call.args(call.arrays, NO_CODE).length : 0;
  const ended = [await tryRight(call)];
  for (let at = 0; at < count; at++) ended.push(await tryWrong(call, at));
  await requireReleased(ended);
}

/** Makes a call in each of the stack's last frames: it is interrupted at another place in each. */
async function tryAtTheEndOfTheStack(call: Call): Promise<void> {
  for (let i = 0; i < FRAMES * SHIFTS.length; i++) {
    const frame = i % FRAMES;
    const given = new Given(call.arrays);
    const args = call.args(given.arrays, given.code);
    let turn = frame;
    const act = () => (turn++ === frame ? call.act(undefined, ...args) : undefined);
    // What has never run is compiled first, for which there is no room at the stack's end.
    act();
    turn = 0;
    const error = atTheEndOfTheStack(act, frame + 1, SHIFTS[Math.floor(i / FRAMES)]!).at(-1)?.error;
    args.length = 0;
    if (!error) continue;
    // As above: V8 keeps the frames' functions, and what they close over, until the stack is read.
    void (error as Error).stack;
    if (!isOverflow(error)) failures.push(`${titleOf(call)}, frame ${frame}: ${error}`);
    counts.ended++;
    await requireReleased([[`${titleOf(call)}, frame ${frame}`, { given, kept: [] }]]);
  }
}

const takesAny = ({ arrays, optionsAt }: Call) => Object.keys(arrays).length > 0 || optionsAt !== undefined;
const calls = allCalls.filter((call) => takesAny(call) && isTried(call));
const isInterrupted = ({ of, how, name }: Call) => name === of && / of 100 bytes under/.test(how) && !/text/.test(how);

for (const call of calls) await tryAll(call);
for (const call of allCalls.filter((each) => OF_EACH_KERNEL.includes(each.of) && isInterrupted(each)))
  await tryAtTheEndOfTheStack(call);
console.log(JSON.stringify({ ...counts, failures }));
process.exit();
