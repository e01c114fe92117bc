// Mutation testing of the TypeScript in threads: about a second of the processor for each mutant, where a fresh Vitest
// (mutate.mjs) takes half a minute. Each mutant is run against the tests that run its code, the most promising first, for a few
// seconds. What survives is open: it has not met all tests.
//
//   node tools/mutate/mutate-typescript.mjs [FILE ...] [--shard I/N] [--limit COUNT] [--seconds SECONDS] [--whole] [--report]
//
//   FILE          sources to change, or folders of them, in js/; by default all
//   --shard I/N   every Nth mutant from the Ith on: 1/2 and 2/2 together are all of them
//   --limit       stop after this many mutants
//   --seconds     of tests for each mutant, 3 by default; mutants that are open after fewer are taken again
//   --whole       go on with open mutants: all tests of the files that concern the source
//   --report      write report-typescript.md from the results so far, and stop
//
// The mutants are taken in an order that jumps through all files, so that a part of them stands for all. Results are appended
// to build/mutate/typescript.jsonl, and a later run continues after them.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isReasonFor } from "./mutant.mjs";
import { mutantsOfTypeScript } from "./mutants-of-typescript.mjs";
import { writeTypeScriptReport } from "./report-typescript.mjs";
import { inShard, lastCommitOf, readResults } from "./results.mjs";
import { sourcesOfTypeScript } from "./sources.mjs";
import { spread } from "./spread.mjs";
import { ThreadedTests } from "./threaded-tests.mjs";

const root = join(import.meta.dirname, "../..");
const work = join(root, "build/mutate");
const results = join(work, "typescript.jsonl");
const { values: options, positionals } = parseArgs({
  options: {
    shard: { type: "string", default: "1/1" },
    limit: { type: "string" },
    seconds: { type: "string", default: "3" },
    whole: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const shardName = options.shard.replace("/", "-of-");
/** Where a process writes which mutant it tests, in case it ends the process. */
const current = join(work, `current-${shardName}`);

const isWanted = (file) =>
  positionals.length === 0 ||
  positionals.some((name) => file === name || file.startsWith(`${name.replace(/\/$/, "")}/`));
const mutants = sourcesOfTypeScript(root)
  .filter(isWanted)
  .flatMap((file) => mutantsOfTypeScript(file, readFileSync(join(root, file), "utf8")));

const commit = lastCommitOf(root, ["js"]);
const record = (outcome) => appendFileSync(results, `${JSON.stringify({ ...outcome, commit })}\n`);

const seconds = Number(options.seconds);
const equivalent = JSON.parse(readFileSync(join(import.meta.dirname, "equivalent.json"), "utf8"));

/** Whether a mutant that is open after an earlier run has met fewer tests than it would now. */
function isWorthMore(mutant, result) {
  if (result.state !== "open" || equivalent.some((entry) => isReasonFor(mutant, entry))) return false;
  return options.whole || (result.limit ?? 3) < seconds;
}

async function run() {
  const known = new Map(readResults(results).map((result) => [result.id, result]));
  const isOpen = (mutant) => {
    const result = known.get(mutant.id);
    return result ? isWorthMore(mutant, result) : !options.whole;
  };
  const tests = await ThreadedTests.make(root, join(work, `threads-${shardName}`), join(work, "inventory.json"), [
    ...known.values(),
  ]);
  const chosen = inShard(spread(mutants), options.shard).filter(isOpen);
  for (const mutant of chosen.slice(0, Number(options.limit ?? chosen.length))) {
    const started = Date.now();
    writeFileSync(current, JSON.stringify({ id: mutant.id, file: mutant.file }));
    const outcome = await (options.whole ? tests.testFiles(mutant) : tests.test(mutant, seconds));
    const took = Math.round((Date.now() - started) / 100) / 10;
    record({ ...outcome, id: mutant.id, file: mutant.file, seconds: took, limit: seconds });
    console.log(`${outcome.state.padEnd(9)} ${mutant.id} (${took} s)`);
  }
}

/** Runs the same command in a process of its own, and anew after a mutant that has ended it: a killed one. */
function runInProcesses() {
  const env = { ...process.env, MUTATE_CHILD: "1" };
  for (;;) {
    const { status, signal } = spawnSync(process.execPath, process.argv.slice(1), { stdio: "inherit", env });
    if (!["SIGTRAP", "SIGABRT", "SIGSEGV"].includes(signal)) return status ?? 1;
    record({ state: "killed", by: signal, ...JSON.parse(readFileSync(current, "utf8")) });
  }
}

mkdirSync(work, { recursive: true });
if (options.report) {
  const stale = equivalent
    .filter(({ file }) => file.startsWith("js/") && isWanted(file))
    .filter((entry) => !mutants.some((each) => isReasonFor(each, entry)));
  if (stale.length > 0) throw new Error(`equivalent.json has reasons for no mutant: ${JSON.stringify(stale, null, 2)}`);
  writeTypeScriptReport(join(import.meta.dirname, "report-typescript.md"), mutants, readResults(results), equivalent);
} else if (process.env.MUTATE_CHILD === undefined) {
  process.exitCode = runInProcesses();
} else {
  await run();
  process.exit();
}
