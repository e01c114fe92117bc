// The clock: tinybench over batches of calls, in rounds that take every call in turn, so that a noisy
// neighbour hits all alike. Knows nothing about hashing or about the runtime it runs in.
import { Bench } from "tinybench";
import { deeper, rotated } from "./rounds.mjs";

/** A batch lasts at least this long, and at least this many times the resolution of the clock. */
const batchMilliseconds = 0.05;
const resolutions = 100;

const millisecond = 1e6; // in ns

/**
 * Times tasks against each other.
 * @param tasks [{ label, call, input, waits }]; waits: each call is awaited before the next
 * @param settings { rounds, time, warmup }: the latter two in ms, per task and round, and per task
 * @returns for each task { batch, rounds: [{ best, median, samples }] }, in ns per call
 */
export async function measure(tasks, { rounds, time, warmup }) {
  const running = [];
  for (const task of tasks) running.push(await warmUp(task, warmup));
  for (let round = 0; round < rounds; round++) {
    for (const task of rotated(running, round)) {
      await tidyUp();
      task.rounds.push(await deeper(round, () => runRound(task, time)));
    }
  }
  return running.map(({ batch, rounds: measured }) => ({ batch, rounds: measured }));
}

/**
 * Lets native add-ons finalise what the last task left, which they do between turns of the event loop, and collects
 * garbage: otherwise it would slow down all later tasks.
 */
async function tidyUp() {
  await new Promise((resolve) => setTimeout(resolve));
  globalThis.gc?.();
}

/** Calls until the engine had time to optimise, and finds out how many calls make a batch. */
async function warmUp({ label, call, input, waits }, milliseconds) {
  const loop = waits ? makeWaitingLoop(label) : makeLoop(label);
  const end = performance.now() + milliseconds;
  let batch = 1;
  let perCall = Infinity;
  while (performance.now() < end || perCall === Infinity) {
    const last = await timed(waits, () => loop(call, input, batch));
    if (last < batchTime()) batch *= 2;
    else perCall = Math.min(perCall, last / batch);
  }
  return { batch: Math.ceil(batchTime() / perCall), run: loop.bind(undefined, call, input), waits, rounds: [] };
}

/** A loop with type feedback of its own: one function for all would slow each call down by an unknown share. */
function makeLoop(label) {
  const body = `// ${label}
    let result;
    for (let index = 0; index < times; index++) result = call(input);
    return result;`;
  return new Function("call", "input", "times", body);
}

/** The same for calls that are awaited. */
function makeWaitingLoop(label) {
  return new Function(`return async (call, input, times) => {
    // ${label}
    let result;
    for (let index = 0; index < times; index++) result = await call(input);
    return result;
  }`)();
}

async function runRound({ batch, run, waits }, time) {
  const bench = new Bench({ time, iterations: 1, warmup: false, throws: true });
  if (waits) bench.add("batch", async () => void (await run(batch)), { async: true });
  else bench.add("batch", () => void run(batch));
  const [task] = waits ? await bench.run() : bench.runSync();
  const { min, p50, samplesCount } = task.result.latency;
  return { best: (min * millisecond) / batch, median: (p50 * millisecond) / batch, samples: samplesCount };
}

async function timed(waits, work) {
  const start = performance.now();
  const result = work();
  if (waits) await result;
  return performance.now() - start;
}

let knownBatchTime;

function batchTime() {
  knownBatchTime ??= Math.max(batchMilliseconds, resolutions * clockResolution());
  return knownBatchTime;
}

/** The smallest step of performance.now(): nanoseconds in Node, up to a millisecond in a browser. */
function clockResolution() {
  let smallest = Infinity;
  for (let sample = 0; sample < 20; sample++) {
    const start = performance.now();
    let now = start;
    while (now === start) now = performance.now();
    smallest = Math.min(smallest, now - start);
  }
  return smallest;
}
