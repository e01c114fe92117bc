// The survey. It imports the rivals' packages, so run.mjs installs them first.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { algorithms, listCases } from "../cases/cases.mjs";
import {
  commitOf,
  describeMachine,
  mergeRounds,
  resultsIn,
  summarise,
  withOthers,
  writeResults,
} from "../report/results.mjs";
import { printTables } from "../report/table.mjs";
import { usedTables } from "../report/used.mjs";
import { printTargets, targetRequest } from "../targets.mjs";
import { folderOf, processorLine } from "../timing/processor.mjs";
import { surveyInBrowser } from "./browser.mjs";
import { buildNative, nativeVersions, runNative, toRows } from "./native.mjs";
import {
  installAddons,
  installedVersion,
  installRuntimes,
  prepareBuilds,
  readJson,
  root,
  run,
  say,
  work,
} from "./prepare.mjs";
import { browserOf, comesWithTests, commandOf, mixedWarmupIn, targetNameOf } from "./runtimes.mjs";
import { countCalls } from "./survey.mjs";

/** Measures what the options ask for, and reports it. */
export async function main(options) {
  if (options.addons) installAddons();
  if (options.runtimes.some(comesWithTests)) installRuntimes();
  const machine = describeMachine();
  say(`bench: ${processorLine(machine)}`);
  const file = options.json ?? (options.file && `${root}bench/results/${folderOf(machine)}/${options.file}.json`);
  const builds = prepareBuilds(options.targets ? ["simd128"] : options.builds);
  const request = {
    ...options,
    builds,
    allocations: options.speeds || Boolean(file && !options.targets && !options.used),
  };
  const programs = options.native ? buildNative() : [];
  const names = options.algorithms ?? (await ownAlgorithms(builds));
  const results = [];
  const earlier = file && !options.json ? resultsIn(file) : [];
  for (const runtime of options.runtimes) {
    const mixedWarmup = mixedWarmupIn(runtime);
    const asked = { ...request, mixedWarmup, ...casesFor(runtime, names, options) };
    say(`bench: ${runtime}: about ${estimate(asked)} minutes on an idle machine`);
    const result = await surveyRuntime(runtime, asked, programs).catch((error) => leaveOut(runtime, error));
    if (!result) continue;
    results.push(result);
    if (file) writeResults(file, await describe(machine, request, withOthers(results, earlier)));
    report(result, options);
  }
  if (options.used) process.stdout.write(`\n${usedTables(results)}\n\n${processorLine(machine)}\n`);
}

function casesFor(runtime, names, { targets, lists }) {
  if (targets) return targetRequest(targetNameOf(runtime), names);
  return { cases: lists.flatMap((list) => listCases({ ...list, algorithms: chosen(list, names) })) };
}

const chosen = ({ algorithms: own }, names) => own?.filter((name) => names.includes(name)) ?? names;

/** Goes on without a runtime that cannot be started, so that the results of the others are kept. */
function leaveOut(runtime, error) {
  say(`bench: ${runtime}: ${error.message}; going on without it`);
  process.exitCode = 1;
}

/** Minutes, from what each call takes by the clock; the slowest rivals at 16 MiB, and starting up, are the rest. */
function estimate(request) {
  const { rounds, time, warmup, cases } = request;
  const overhead = request.allocations ? 150 : 60;
  const slow = cases.filter(({ bytes }) => bytes > 2 ** 20).length * 8000;
  return Math.ceil((countCalls(request) * (warmup + rounds * time + overhead) + slow) / 60_000);
}

/** What this package has, or everything if it has not been built. */
async function ownAlgorithms([first]) {
  const library = first && (await import(first.entry));
  return Object.keys(algorithms).filter((name) => !library || library[name]);
}

/** One process per algorithm, so that what the engine learned from one does not affect the next. The native
 *  programs run before and after it, each time half of the rounds. */
async function surveyRuntime(name, request, programs) {
  const answers = [];
  const native = [];
  for (const algorithm of new Set(request.cases.map((item) => item.algorithm))) {
    const cases = request.cases.filter((item) => item.algorithm === algorithm);
    const half = { ...request, algorithm, cases, rounds: Math.ceil(request.rounds / 2) };
    native.push(...runNative(programs, half));
    answers.push(await surveyOnce(name, { ...request, cases }));
    native.push(...runNative(programs, half));
  }
  const [{ runtime, absent }] = answers;
  const rows = [...answers.flatMap((answer) => answer.rows), ...(await toRows(mergeRounds(native)))];
  return { runtime, date: new Date().toISOString(), commit: commitOf(root), absent, rows: rows.map(summarise) };
}

async function surveyOnce(name, request) {
  const { name: title, browser } = browserOf(name) ?? {};
  if (!browser) return runChild(name, request);
  say(`  ${title}: ${request.cases[0].algorithm}, ${request.cases.length} cases`);
  return { runtime: { name: title, version: browser.version() }, ...(await surveyInBrowser(browser, request)) };
}

function runChild(name, request) {
  mkdirSync(work, { recursive: true });
  const files = ["request", "answer"].map((file) => `${work}${file}-${process.pid}.json`);
  writeFileSync(files[0], JSON.stringify(request));
  const [program, ...args] = commandOf(name);
  run(program, [...args, `${root}bench/survey/child.mjs`, ...files]);
  const answer = readJson(files[1]);
  for (const file of files) rmSync(file);
  return answer;
}

function report({ runtime, rows, absent }, options) {
  // Its tables follow at the end, with all runtimes.
  if (options.used) say(`bench: ${runtime.name} ${runtime.version} is measured`);
  else if (options.targets) process.stdout.write(`\n${printTargets({ runtime, rows }, options.by).text}`);
  else process.stdout.write(`\n${printTables(rows, options, runtime)}`);
  if (!options.targets && !options.used && rows.some(({ kind }) => kind === "ours"))
    process.stdout.write("\nRatios: our speed / the rival's; above 1, ours is faster.\n");
  for (const { rival, reason } of absent) process.stdout.write(`Left out: ${rival}: ${reason}\n`);
  for (const row of rows.filter(({ digest }) => digest !== "right")) {
    const name = [row.rival, row.way].filter(Boolean).join(" ");
    process.stdout.write(`${name}, ${row.algorithm}, ${row.mode}, ${row.size} bytes: ${row.digest}\n`);
  }
}

async function describe(machine, { rounds, time, warmup }, results) {
  const { default: rivals } = await import("../rivals/index.mjs");
  const packages = ["tinybench", ...rivals.flatMap((rival) => rival.packages)];
  const installed = packages.map((name) => [name, installedVersion(name)]).filter(([, version]) => version);
  return {
    format: 2,
    date: new Date().toISOString(),
    machine,
    versions: {
      "blake-simd": readJson(`${root}package.json`).version,
      ...Object.fromEntries(installed),
      ...nativeVersions(),
    },
    settings: { rounds, time, warmup },
    results,
  };
}
