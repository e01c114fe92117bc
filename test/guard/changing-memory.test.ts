// Memory that changes under every call, at each step at which code can see it: where an intrinsic touches shared
// memory, which another thread may grow or overwrite there, and where a caller's own code runs, which may do anything
// to an array. A call gives the result for the bytes before or after the change, or a clear error; what is beside it
// stays right.
import { useVectorLatency } from "blake-simd";
import { beforeAll, describe, expect, it } from "vitest";
import { BYTES, run, titleOf } from "../support/calls/call.ts";
import { Outcomes } from "../support/calls/outcomes.ts";
import type { Bytes, Call, Code } from "../support/calls/row.mjs";
import { type Change, detached, grown, hold, overwritten, ROOM, shrunk } from "./changes.ts";
import { libraries } from "./libraries.ts";
import { watch } from "./touches.ts";

const GROWTH = [grown(32), grown(20_000), grown(ROOM)];
const BY_CALLERS: readonly Change[] = [
  grown(32),
  overwritten,
  shrunk("shrunk by 1", (before) => before - 1),
  shrunk("shrunk to 0", () => 0),
  detached,
];

/** A view as a caller may pass it; what takes a Uint8Array only gets one. */
const toView = (buffer: ArrayBufferLike): unknown => new Uint8Array(buffer);
const toDataView = (buffer: ArrayBufferLike): unknown => new DataView(buffer);
const toBuffer = (buffer: ArrayBufferLike): unknown => buffer;

/** Code of a caller's, which runs where its options, lists and arrays are read. */
function codeThat(act: () => void): Code {
  return {
    options(options) {
      const getters = Object.entries(options).map(([name, value]) => [
        name,
        {
          enumerable: true,
          get() {
            act();
            return value;
          },
        },
      ]);
      return Object.defineProperties({}, Object.fromEntries(getters)) as typeof options;
    },
    *list(items) {
      for (const item of items) {
        yield item;
        act();
      }
    },
  };
}

/** A view whose properties run code. */
function gettersThat(act: () => void, buffer: ArrayBufferLike): Bytes {
  const view = new Uint8Array(buffer);
  for (const name of ["length", "byteLength", "byteOffset", "buffer", "constructor"] as const) {
    Object.defineProperty(view, name, {
      get() {
        act();
        return Reflect.get(Uint8Array.prototype, name, view);
      },
    });
  }
  return view;
}

/** How often a caller's code runs at most while a promise settles. */
const TICKS = 40;

/** Waits for a promise, and runs code at each of the first ticks. */
async function settled<T>(promise: Promise<T>, act: () => void): Promise<T> {
  let done = false;
  const end = () => {
    done = true;
  };
  promise.then(end, end);
  for (let tick = 1; tick <= TICKS && !done; tick++) {
    act();
    await (tick % 10 ? undefined : new Promise(setImmediate));
  }
  return promise;
}

/** Calls once, with a change at one step. Returns whether there was such a step. */
type Try = (at: number, change: Change) => Promise<boolean>;

/** Changes the array that an intrinsic touches, as another thread can. */
function byThread(call: Call, kind: typeof toView, outcomes: Outcomes): Try {
  const view = (buffer: ArrayBufferLike, name: string) => (BYTES.has(name) ? toView : kind)(buffer);
  return async (at, change) => {
    const { names, views } = hold(call.arrays, true, view);
    let step = 0;
    let changed: string | undefined;
    const unwatch = watch(new Set(names.keys()), (buffer) => {
      if (step++ !== at) return;
      changed = names.get(buffer);
      change.act(buffer);
    });
    await outcomes.of(
      async () => {
        try {
          return await run(call, views);
        } finally {
          unwatch();
        }
      },
      () => (changed ? { name: changed, change } : undefined),
    );
    return changed !== undefined;
  };
}

/** Changes one array wherever a caller's code runs. */
function byCaller(call: Call, name: string, getters: boolean, outcomes: Outcomes): Try {
  return async (at, change) => {
    let step = 0;
    let fired = false;
    let ended = false;
    const act = () => {
      if (ended || step++ !== at) return;
      fired = true;
      change.act(buffer);
    };
    const { names, views } = hold(call.arrays, false, (each) =>
      getters ? gettersThat(act, each) : new Uint8Array(each),
    );
    const [buffer] = [...names].find(([, each]) => each === name)!;
    await outcomes.of(
      async () => {
        try {
          const result = run(call, views, codeThat(act));
          return await (result instanceof Promise ? settled(result, act) : result);
        } finally {
          ended = true;
        }
      },
      () => (fired ? { name, change } : undefined),
    );
    return fired;
  };
}

/** Tries a change at every step. */
async function sweep(changes: readonly Change[], attempt: Try): Promise<void> {
  for (const change of changes) for (let at = 0; await attempt(at, change); at++);
}

describe.each(libraries)("%s, %i", (_name, latency, library, all) => {
  beforeAll(() => useVectorLatency(latency));

  it.each(all.map((call) => [titleOf(call), call] as const))("%s", async (_call, call) => {
    const outcomes = new Outcomes(call, library);
    await outcomes.of(() => run(call, hold(call.arrays, false, toView).views));
    await sweep([...GROWTH, overwritten], byThread(call, toView, outcomes));
    for (const kind of [toDataView, toBuffer]) await sweep(GROWTH.slice(1), byThread(call, kind, outcomes));
    for (const name of Object.keys(call.arrays)) {
      await sweep(BY_CALLERS, byCaller(call, name, false, outcomes));
      await sweep(BY_CALLERS.slice(-2), byCaller(call, name, true, outcomes));
    }
    expect(outcomes.problems, outcomes.problems.join("\n")).toEqual([]);
  });
});
