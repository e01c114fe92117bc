// Runs tests of one file in a thread: those whose numbers are given, in the order of the file, until one fails. With
// `coverage` it reports for each test the functions and blocks of js/ that it ran, in this thread and in processes it started.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Session } from "node:inspector";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";

const { root, file, tests, coverage, budget, timeout } = workerData;
const { startTests } = await import(pathToFileURL(`${root}/vitest.mjs`).href);
const sources = `${pathToFileURL(root).href}/js/`;

const session = new Session();
const post = (method, params) =>
  new Promise((resolve, reject) =>
    session.post(method, params, (error, result) => (error ? reject(error) : resolve(result))),
  );

/** Where the processes that tests start write what they ran. */
const folder = coverage && mkdtempSync(join(tmpdir(), "blake-simd-"));

/** What has run since the last call. */
async function takeCoverage() {
  const { result } = await post("Profiler.takePreciseCoverage");
  return [...result, ...coverageOfProcesses()]
    .filter(({ url }) => url.startsWith(sources))
    .map(({ url, functions }) => ({
      file: url.slice(sources.length - 3),
      ranges: functions.flatMap(({ ranges }) => ranges.map((r) => [r.startOffset, r.endOffset, r.count > 0])),
    }))
    .filter(({ ranges }) => ranges.some(([, , ran]) => ran));
}

function coverageOfProcesses() {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const { result } = JSON.parse(readFileSync(path, "utf8"));
    rmSync(path);
    return result;
  });
}

const flat = (tasks) => tasks.flatMap((task) => (task.type === "suite" ? flat(task.tasks) : [task]));
const numbers = new Map();
let wanted;
let failed = false;
let started;
let spent = 0;

/** Skips what is not wanted, suites included, whose hooks may be slow. */
function select(task) {
  if (task.type === "suite") {
    const selected = task.tasks.map(select).some(Boolean);
    if (!selected) task.mode = "skip";
    return selected;
  }
  const selected = wanted === undefined || wanted.has(numbers.get(task));
  if (!selected) task.mode = "skip";
  return selected;
}

const runner = {
  config: {
    root,
    setupFiles: [],
    name: undefined,
    passWithNoTests: true,
    testNamePattern: undefined,
    allowOnly: false,
    sequence: { seed: 1, hooks: "stack", setupFiles: "list" },
    chaiConfig: undefined,
    maxConcurrency: 5,
    testTimeout: timeout,
    hookTimeout: timeout,
    retry: 0,
    includeTaskLocation: false,
    tags: [],
    tagsFilter: undefined,
    strictTags: false,
  },
  importFile: (path) => import(pathToFileURL(path).href),
  onCollected(files) {
    for (const [i, task] of flat(files[0].tasks).entries()) numbers.set(task, i);
    wanted = tests && new Set(tests);
    for (const task of files[0].tasks) select(task);
  },
  onBeforeRunSuite(suite) {
    if (failed) suite.mode = "skip";
  },
  async onBeforeRunTask(test) {
    if (failed) test.mode = "skip";
    // A part of the tests, spread over the file, if all would take more than the budget.
    if (budget && spent > (budget * (numbers.get(test) + 1)) / numbers.size) test.mode = "skip";
    if (coverage && test.mode === "run") parentPort.postMessage({ loaded: await takeCoverage() });
    started = performance.now();
  },
  async onAfterRunTask(test) {
    if (test.mode === "skip") return;
    const ms = performance.now() - started;
    spent += ms;
    const state = test.result?.state;
    const report = { test: numbers.get(test), name: test.name, state, ms };
    if (state === "fail") report.error = String(test.result.errors?.[0]?.message).slice(0, 200);
    if (state === "fail" && !coverage) failed = true;
    parentPort.postMessage(coverage ? { ...report, ran: await takeCoverage() } : report);
  },
};

if (coverage) {
  process.env.NODE_V8_COVERAGE = folder;
  session.connect();
  await post("Profiler.enable");
  await post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
}
// As Vitest does, an error that nothing catches fails the run.
process.on("unhandledRejection", (error) => {
  throw error;
});
const [task] = await startTests([{ filepath: `${root}/${file}` }], runner);
const broken = (one) => one.result?.state === "fail" || one.tasks?.some(broken);
if (folder) rmSync(folder, { recursive: true });
parentPort.postMessage({
  ended: broken(task) ? "fail" : "pass",
  file: relative(root, file),
  error: task.result?.errors?.[0]?.message,
});
process.exit(0);
