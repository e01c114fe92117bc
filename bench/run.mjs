// npm run bench: see --help, and README.md in this folder.
import { mkdirSync, writeFileSync } from "node:fs";
import { algorithms } from "./cases.mjs";
import { buildNative, nativeVersions, runNative, toRows } from "./native.mjs";
import { help, readOptions } from "./options.mjs";
import {
  installAddons,
  installedVersion,
  installRivals,
  prepareBuilds,
  readJson,
  root,
  run,
  say,
  work,
} from "./prepare.mjs";
import { describeMachine, mergeRounds, summarise, writeResults } from "./results.mjs";
import { commandOf } from "./runtimes.mjs";
import { printTables } from "./table.mjs";

async function main(options) {
  installRivals();
  if (options.addons) installAddons();
  const builds = prepareBuilds(options.builds);
  const request = {
    ...options,
    builds,
    algorithms: options.algorithms ?? (await ownAlgorithms(builds)),
    allocations: options.speeds,
  };
  mkdirSync(work, { recursive: true });

  const programs = options.native ? buildNative() : [];
  const before = runNative(programs, halfOf(request));
  const surveys = options.runtimes.map((runtime) => surveyRuntime(runtime, request));
  const after = runNative(programs, halfOf(request));

  const native = await toRows(mergeRounds([...before, ...after]));
  const results = surveys.map(({ runtime, rows, absent }) => ({
    runtime,
    absent,
    rows: [...rows, ...native].map(summarise),
  }));
  for (const result of results) report(result, options);
  if (options.json) writeResults(options.json, await describe(request, results));
}

/** The programs run before and after the survey, each time half of the rounds. */
function halfOf(request) {
  return { ...request, rounds: Math.ceil(request.rounds / 2) };
}

/** What this package has, or everything where it has not been built. */
async function ownAlgorithms([first]) {
  const library = first && (await import(first.entry));
  return Object.keys(algorithms).filter((name) => !library || library[name]);
}

/** One process per algorithm, so that what the engine learned from one does not slow or speed another. */
function surveyRuntime(name, request) {
  const answers = request.algorithms.map((algorithm) => runChild(name, { ...request, algorithms: [algorithm] }));
  return { ...answers[0], rows: answers.flatMap(({ rows }) => rows) };
}

function runChild(name, request) {
  const files = [`${work}request.json`, `${work}answer.json`];
  writeFileSync(files[0], JSON.stringify(request));
  const [program, ...args] = commandOf(name);
  run(program, [...args, `${root}bench/child.mjs`, ...files]);
  return readJson(files[1]);
}

function report({ runtime, rows, absent }, options) {
  process.stdout.write(`\n${printTables(rows, options, runtime)}`);
  if (rows.some(({ kind }) => kind === "ours"))
    process.stdout.write("\nRatios: our speed / the rival's; above 1, ours is faster.\n");
  for (const { rival, reason } of absent) process.stdout.write(`Left out: ${rival}: ${reason}\n`);
  for (const row of rows.filter(({ digest }) => digest !== "right")) {
    process.stdout.write(`${row.rival}, ${row.algorithm}, ${row.mode}, ${row.size} bytes: ${row.digest}\n`);
  }
}

async function describe({ rounds, time, warmup }, results) {
  const { default: rivals } = await import("./rivals/index.mjs");
  const packages = ["tinybench", ...rivals.flatMap((rival) => rival.packages)];
  const installed = packages.map((name) => [name, installedVersion(name)]).filter(([, version]) => version);
  return {
    format: 1,
    date: new Date().toISOString(),
    machine: describeMachine(),
    versions: {
      "blake-simd": readJson(`${root}package.json`).version,
      ...Object.fromEntries(installed),
      ...nativeVersions(),
    },
    settings: { rounds, time, warmup },
    results,
  };
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(help);
  else await main(options);
} catch (error) {
  say(`bench: ${error.message}`);
  process.exitCode = error.code?.startsWith?.("ERR_PARSE_ARGS") || error instanceof RangeError ? 2 : 1;
}
