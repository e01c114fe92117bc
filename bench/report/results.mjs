// The results of a run: figures from its rounds, and the file that --json writes.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { dirname } from "node:path";
import { describeProcessor } from "../timing/processor.mjs";

const GiB = 1024 ** 3;

/** ns per call and MB/s over all rounds; the best of all, and the median of the rounds' medians. */
export function summarise(row) {
  const { rounds, ...rest } = row;
  if (!rounds?.length) return rest;
  const ns = { best: Math.min(...rounds.map(({ best }) => best)), median: middle(rounds.map(({ median }) => median)) };
  const samples = rounds.reduce((sum, round) => sum + round.samples, 0);
  return { ...rest, ns, mbps: row.bytes > 0 ? mapValues(ns, (time) => (row.bytes * 1000) / time) : undefined, samples };
}

function middle(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

/** Rounds of the same rival and case, measured at two times, as one row. */
export function mergeRounds(rows) {
  const merged = new Map();
  for (const row of rows) {
    const name = JSON.stringify([row.rival, row.algorithm, row.mode, row.size]);
    const earlier = merged.get(name);
    merged.set(name, earlier ? { ...earlier, rounds: [...earlier.rounds, ...row.rounds] } : row);
  }
  return [...merged.values()];
}

/** The machine, without anything that names it. */
export function describeMachine() {
  return {
    ...describeProcessor(),
    cores: os.availableParallelism(),
    memory: `${Math.round(os.totalmem() / GiB)} GiB`,
    system: `${os.type()} ${os.release()}`,
    architecture: os.arch(),
  };
}

/** "Node 20", or the name of another runtime. */
export const titleOf = ({ name, version }) => (name === "Node" ? `Node ${Number.parseInt(version, 10)}` : name);

/** The results that a file has, each with its date; none if there is no file. */
export function resultsIn(file) {
  if (!existsSync(file)) return [];
  const { date, results } = JSON.parse(readFileSync(file, "utf8"));
  return results.map((result) => ({ date, ...result }));
}

/** Results, and before them the earlier ones of other runtimes. */
export function withOthers(results, earlier) {
  const titles = results.map(({ runtime }) => titleOf(runtime));
  return [...earlier.filter(({ runtime }) => !titles.includes(titleOf(runtime))), ...results];
}

/** The commit that is checked out in a folder, marked if something has changed since; undefined without git. */
export function commitOf(folder) {
  try {
    const options = { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
    return execFileSync("git", ["describe", "--always", "--dirty", "--exclude=*"], options).trim();
  } catch {
    return undefined;
  }
}

/** One line a row. */
export function writeResults(file, results) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, rounded).replaceAll("},{", "},\n{")}\n`);
}

/** Thousandths are far below the noise. */
function rounded(_, value) {
  return typeof value === "number" ? Math.round(value * 1000) / 1000 : value;
}
