// A second thread that overwrites a caller's shared memory at any moment of a call, over the whole package as
// it is built. It runs for some seconds; RACED_CALLS=1000000 makes it a soak.
import { Worker } from "node:worker_threads";
import { useVectorLatency } from "blake-simd";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run as made, titleOf } from "../support/calls/call.ts";
import { Outcomes } from "../support/calls/outcomes.ts";
import type { Call } from "../support/calls/row.mjs";
import { type Change, hold, overwritten } from "./changes.ts";
import { libraries } from "./libraries.ts";

const CALLS = Number(process.env.RACED_CALLS ?? 10_000);
/** Calls for which the other thread gets buffers at once. */
const BATCH = 100;
const CHANGES: readonly Change[] = [overwritten];

// Turns: the number of the call that has begun, and of the last buffer that was changed. The delay is in microseconds.
const [BEGUN, CHANGED, READY, DELAY] = [0, 1, 2, 3];
const turns = new Int32Array(new SharedArrayBuffer(16));

const worker = new Worker(
  `const { parentPort, workerData: turns } = require("node:worker_threads");
  parentPort.on("message", ({ buffers }) => {
    Atomics.store(turns, ${READY}, 1);
    Atomics.notify(turns, ${READY});
    buffers.forEach((buffer, i) => {
      while (Atomics.load(turns, ${BEGUN}) <= i);
      const end = performance.now() + Atomics.load(turns, ${DELAY}) / 1000;
      while (performance.now() < end);
      new Uint8Array(buffer).fill(0xee);
      Atomics.store(turns, ${CHANGED}, i + 1);
      Atomics.notify(turns, ${CHANGED});
    });
  });`,
  { eval: true, workerData: turns },
);

afterAll(() => worker.terminate());

/** Calls while the other thread changes one of the arrays. */
async function race(call: Call, name: string, change: Change, count: number, outcomes: Outcomes) {
  const held = Array.from({ length: count }, () => hold(call.arrays, true, (buffer) => new Uint8Array(buffer)));
  const buffers = held.map(({ views }) => views[name]!.buffer);
  turns.fill(0);
  worker.postMessage({ buffers });
  Atomics.wait(turns, READY, 0);
  let took = 20;
  for (const [i, { views }] of held.entries()) {
    // Up to the end of a call that takes as long as the shortest so far.
    turns[DELAY] = Math.random() * took;
    const run = async () => {
      Atomics.store(turns, BEGUN, i + 1);
      const start = performance.now();
      try {
        return await made(call, views);
      } finally {
        took = Math.min(took, 1000 * (performance.now() - start));
        Atomics.wait(turns, CHANGED, i);
      }
    };
    await outcomes.of(run, () => ({ name, change }));
  }
}

describe.each(libraries)("%s, %i", (_name, latency, library, calls) => {
  beforeAll(() => useVectorLatency(latency));

  it(`${CALLS} calls`, { timeout: 600_000 + CALLS }, async () => {
    const races = calls.map((call) => ({
      call,
      changed: Object.keys(call.arrays).flatMap((name) => CHANGES.map((change) => [name, change] as const)),
    }));
    const each = Math.ceil(CALLS / races.reduce((sum, { changed }) => sum + changed.length, 0));
    const problems: string[] = [];
    for (const { call, changed } of races) {
      const outcomes = new Outcomes({ ...call, unspecified: /./ }, library);
      for (const [name, change] of changed)
        for (let done = 0; done < each; done += BATCH)
          await race(call, name, change, Math.min(BATCH, each - done), outcomes);
      problems.push(...outcomes.problems.map((problem) => `${titleOf(call)}: ${problem}`));
    }
    expect(problems).toEqual([]);
  });
});
