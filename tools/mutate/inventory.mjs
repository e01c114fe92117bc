// Which tests run which code of js/, and how long they take: what a mutant must be tried with, and in which order.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { offsetsOf } from "./mirror.mjs";
import { mutantsOfTypeScript } from "./mutants-of-typescript.mjs";
import { filesOf, sourcesOfTypeScript } from "./sources.mjs";
import { runThread } from "./threads.mjs";

/** Of milliseconds of tests, in each file; those of a file with more are a part, spread over it. */
const BUDGET = 4000;
const LONGEST = 120;
// They test dist/, or the repository, or measure time, and so need the processor alone.
const others =
  /^test\/(cli|docs|consumers|guard|large|runtimes|package)\/|^test\/javascript\/javascript|^test\/engine\/(worker-threads|time-limits|leaks-of-memory|no-garbage)/;

export const testFiles = (root) =>
  readdirSync(join(root, "test"), { recursive: true })
    .map((name) => `test/${name}`)
    .filter((name) => /^test\/\w+\/[\w-]+\.test\.ts$/.test(name) && !others.test(name))
    .sort();

/** Returns { tests: [{ file, number, ms }], starts: { file: seconds }, covering: { mutant's id: indices of tests } }; kept in a file. */
export async function inventoryOf(root, mirror, path) {
  const digest = digestOfSources(root);
  const kept = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  if (kept?.digest === digest) return kept;
  const inventory = { digest, tests: [], starts: {}, covering: {} };
  const places = await placesOf(root);
  const files = testFiles(root);
  const lane = async () => {
    for (let file = files.shift(); file; file = files.shift()) await measureTests(inventory, mirror, places, file);
  };
  await Promise.all([lane(), lane()]);
  for (const file of new Set(inventory.tests.map((test) => test.file))) {
    inventory.starts[file] = await secondsToStart(mirror, file);
  }
  writeFileSync(path, JSON.stringify(inventory));
  return inventory;
}

/** Runs the tests of a file, and adds to an inventory which mutants each of them runs. */
export async function measureTests(inventory, mirror, places, file) {
  const workerData = {
    root: mirror.folder,
    file: file.replace(/\.ts$/, ".js"),
    coverage: true,
    budget: BUDGET,
    timeout: 60_000,
  };
  const own = [];
  const loaded = new Set();
  const ended = await runThread(workerData, LONGEST, (message) => {
    if (message.loaded) return addCovered(message.loaded, places, loaded);
    if (message.state !== "pass") return undefined;
    const test = { file, number: message.test, ms: Math.round(message.ms * 10) / 10 };
    const hasWorkers = message.ran.some((script) => script.file === "js/parallel/worker-handle.js");
    own.push({ test, covered: addCovered(message.ran, places, new Set()), hasWorkers });
  });
  console.log(`${file}: ${own.length} tests ${ended}`);
  for (const { test, covered, hasWorkers } of own) {
    const index = inventory.tests.push(test) - 1;
    for (const id of new Set([...covered, ...loaded, ...(hasWorkers ? inWorkers(mirror, places) : [])])) {
      inventory.covering[id] ??= [];
      inventory.covering[id].push(index);
    }
  }
}

/** The mutants of what workers run, which this thread's coverage does not show. */
const inWorkers = (mirror, places) =>
  [...places].flatMap(([file, own]) =>
    mirror.isInWorker(file.replace(/\.js$/, ".ts")) ? own.map(({ id }) => id) : [],
  );

/** Of the processor, until the first test of a file could begin. */
async function secondsToStart(mirror, file) {
  const before = process.cpuUsage();
  await runThread({ root: mirror.folder, file: file.replace(/\.ts$/, ".js"), tests: [-1], timeout: 60_000 }, LONGEST);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function digestOfSources(root) {
  const hash = createHash("sha256");
  for (const file of filesOf(root, "js", "test", "wasm/dist").sort()) {
    hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

/** The mutants of each translated file, with their places there. */
export async function placesOf(root) {
  const places = new Map();
  for (const file of sourcesOfTypeScript(root)) {
    const text = readFileSync(join(root, file), "utf8");
    const offset = await offsetsOf(text);
    const own = mutantsOfTypeScript(file, text).map(({ id, at }) => ({ id, at: offset(at) }));
    places.set(file.replace(/\.ts$/, ".js"), own);
  }
  return places;
}

/** Adds the mutants whose code has run: that of the smallest range around it. */
function addCovered(ran, places, covered) {
  for (const { file, ranges } of ran) {
    const sorted = ranges.sort(([a, b], [c, d]) => d - c - (b - a));
    for (const { id, at } of places.get(file) ?? []) {
      let isRun = false;
      for (const [start, end, runs] of sorted) if (start <= at && at < end) isRun = runs;
      if (isRun) covered.add(id);
    }
  }
  return covered;
}
