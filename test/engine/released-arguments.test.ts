// What a call was given is garbage once it has ended, well or not: a key or a context of megabytes must not stay in memory until the
// next call. Goes over the table of calls (test/support/calls).
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { allCalls, isTried, OF_EACH_KERNEL } from "../support/calls/all.ts";
import { titleOf } from "../support/calls/call.ts";
import type { Arrays, Call, Code } from "../support/calls/row.mjs";
import { atTheEndOfTheStack, isOverflow } from "../support/stack.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

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

  async reachable(): Promise<string[]> {
    let held: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // A WeakRef keeps its target until the turn ends, and a collection may find an address left on the stack.
      await nextTurn();
      collect();
      held = [...this.#refs].filter(([, ref]) => ref.deref()).map(([name]) => name);
      if (held.length === 0) break;
    }
    return held;
  }
}

/** Collections after which what is reachable is held. */
const ROUNDS = 10;

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
    return { given: withoutArrays(given), kept: [object, given.has(value) ? undefined : value] };
  } catch (error) {
    // Until it is read, V8 keeps the frames of asynchronous functions for it.
    void (error as Error).stack;
    return { given: withoutArrays(given), kept: [object, error], error };
  }
}

/** The names alone: the test itself lets go of the arrays. */
function withoutArrays(given: Given): Given {
  for (const name of Object.keys(given.arrays)) delete given.arrays[name];
  return given;
}

const titled = (calls: readonly Call[]) => calls.map((call) => [titleOf(call), call] as const);
const takesAny = ({ arrays, optionsAt }: Call) => Object.keys(arrays).length > 0 || optionsAt !== undefined;
const calls = allCalls.filter((call) => takesAny(call) && isTried(call));

it.each(titled(calls))("nothing is kept of what %s was given", async (_, call) => {
  const { given, kept, error } = await made(call);
  expect(error).toBeUndefined();
  expect(await given.reachable()).toEqual([]);
  expect(kept).toHaveLength(2);
});

it.each(titled(calls.filter(({ most }) => most > 0)))("nor if %s refuses it", async (_, call) => {
  const count = call.args(call.arrays, { options: (options) => options, list: (items) => items }).length;
  for (let at = 0; at < count; at++) {
    for (const value of [Symbol("wrong"), new Uint8Array(0)]) {
      const { given, kept } = await made(call, { at, value });
      expect(await given.reachable(), `argument ${at}: ${String(kept[1])}`).toEqual([]);
    }
  }
});

/** Frames from the stack's end, of about 100 bytes, within which calls under options are interrupted. */
const FRAMES = 60;

describe("nor if the stack ends in", () => {
  const interrupted = allCalls.filter(
    ({ of, how, name }) => OF_EACH_KERNEL.includes(of) && / of 100 bytes under/.test(how) && name.startsWith(of),
  );
  it.each(titled(interrupted.filter(({ name }) => !name.includes("hasher"))))("%s", async (_, call) => {
    let ended = 0;
    for (let frame = 0; frame < FRAMES; frame++) {
      const given = new Given(call.arrays);
      const args = call.args(given.arrays, given.code);
      let turn = 0;
      const act = () => (turn++ === frame ? call.act(undefined, ...args) : undefined);
      const error = atTheEndOfTheStack(act, frame + 1, frame % 16).at(-1)?.error;
      args.length = 0;
      if (!error) continue;
      expect(isOverflow(error), String(error)).toBe(true);
      ended++;
      expect(await withoutArrays(given).reachable(), `frame ${frame}`).toEqual([]);
    }
    expect(ended).toBeGreaterThan(5);
  });
});
