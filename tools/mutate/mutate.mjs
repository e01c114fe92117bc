// Mutation testing: makes one small change at a time to the C or the TypeScript, and expects a test to fail.
//
//   node tools/mutate/mutate.mjs [FILE ...] [--shard I/N] [--limit COUNT] [--sample] [--list] [--report]
//
//   FILE          sources to change, below wasm/ or js/; by default all
//   --shard I/N   every Nth mutant from the Ith on: 1/2 and 2/2 together are all of them
//   --limit       stop after this many mutants
//   --kernels     of the C, run the checks of kernels alone (kernels.mjs): a second or two each; what survives them is open
//   --quick       run the first tests alone: what survives them is open, and a later run without --quick goes on with it
//   --again       run again what was not killed, except equivalent mutants, with the current tests
//   --spread      take the mutants in an order that jumps through all files, for a limited run
//   --sample      the mutants of sample.json instead: exit with 1 unless a test kills each
//   --list        print the mutants and stop
//   --report      write report.md from the results so far, and stop
//
// With clang a change of the C is first run against the checks of kernels (kernels.mjs): what dies there is neither built by Emscripten nor
// tested by vitest, and what makes the same objects as before has the same bytes.
// Results are appended to build/mutate/results.jsonl, and a later run continues after them. A mutant of the C counts once for
// each build whose bytes it changes: the others keep theirs. It runs in copies of the project, in build/mutate/.
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hasClang, Kernels } from "./kernels.mjs";
import { isReasonFor, placeOf } from "./mutant.mjs";
import { mutantsOfC } from "./mutants-of-c.mjs";
import { mutantsOfTypeScript } from "./mutants-of-typescript.mjs";
import { Project } from "./project.mjs";
import { writeReport } from "./report.mjs";
import { inShard, lastCommitOf, readResults } from "./results.mjs";
import { sourcesOfC, sourcesOfTypeScript } from "./sources.mjs";
import { spread } from "./spread.mjs";

const root = join(import.meta.dirname, "../..");
const work = join(root, "build/mutate");
const results = join(work, "results.jsonl");
const { values: options, positionals } = parseArgs({
  options: {
    shard: { type: "string", default: "1/1" },
    limit: { type: "string" },
    kernels: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    again: { type: "boolean", default: false },
    spread: { type: "boolean", default: false },
    sample: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
  },
  allowPositionals: true,
});

const readJson = (name) => JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8"));

function allMutants() {
  const wanted = (file) => positionals.length === 0 || positionals.includes(file);
  const text = (file) => readFileSync(join(root, file), "utf8");
  const c = sourcesOfC(root).filter(wanted);
  const typescript = sourcesOfTypeScript(root).filter(wanted);
  return [
    ...c.flatMap((file) => mutantsOfC(file, text(file))),
    ...typescript.flatMap((file) => mutantsOfTypeScript(file, text(file))),
  ];
}

/** Mutants that the suite once missed, each with the tests that kill it. */
function sampleMutants() {
  return readJson("sample.json").map(({ file, from, to, ...rest }) => {
    const text = readFileSync(join(root, file), "utf8");
    const at = text.indexOf(from);
    if (at < 0 || text.indexOf(from, at + 1) >= 0)
      throw new Error(`sample.json: ${file} must have ${JSON.stringify(from)} once`);
    return { file, at, from, to, id: `${file}: ${from} -> ${to || "nothing"}`, ...rest };
  });
}

const commit = lastCommitOf(root, ["js", "wasm"]);

/** The last outcome of each build of a mutant. */
function lastResults() {
  return [...new Map(readResults(results).map((result) => [`${result.build} ${result.id}`, result])).values()];
}

const equivalent = readJson("equivalent.json");

/** A mutant as far as it has to be run: not at all, in all builds, or in those that are open. */
function rest(mutant, results) {
  const outcomes = results.filter(({ id }) => id === mutant.id);
  if (outcomes.length === 0) return [mutant];
  const goesOn = !options.quick && !options.kernels;
  const isAgain = options.again && !equivalent.some((entry) => isReasonFor(mutant, entry));
  const open = outcomes
    .filter(({ state }) => (state === "open" && goesOn) || (isAlive(state) && isAgain))
    .map(({ build }) => build);
  return open.length > 0 ? [{ ...mutant, builds: open }] : [];
}

const isAlive = (state) => state === "open" || state === "survived";

const isOfC = ({ file }) => file.startsWith("wasm/");

/** The outcomes of the checks of kernels, and the mutant as far as they leave it alive. */
async function checkKernels(kernels, mutant) {
  const outcomes = await kernels.test(mutant);
  const alive = outcomes.filter(({ state }) => state === "alive").map(({ build }) => build);
  const rest = alive.length > 0 ? { ...mutant, builds: alive } : undefined;
  return { decided: outcomes.filter(({ state }) => state !== "alive"), rest };
}

/** The sample is of tests, so it leaves out the checks of kernels. */
async function makeKernels(mutants, copy) {
  if (options.sample || !mutants.some(isOfC) || !hasClang()) return undefined;
  return Kernels.make(root, `${copy}-kernels`);
}

async function run(mutants, record) {
  const copy = join(work, `copy-${options.shard.replace("/", "-of-")}`);
  const kernels = await makeKernels(mutants, copy);
  if (options.kernels && !kernels) throw new Error("--kernels needs clang and wasm-ld, and mutants of the C");
  const chosen = options.kernels ? mutants.filter(isOfC) : mutants;
  let project;
  const makeProject = async () => {
    const made = await Project.make(root, copy);
    if (!options.sample) await made.requirePassing(join(work, "passed"));
    return made;
  };
  for (const mutant of chosen) {
    const started = Date.now();
    const take = (outcome) => {
      const seconds = Math.round((Date.now() - started) / 100) / 10;
      record({ ...outcome, id: mutant.id, file: mutant.file, seconds, commit });
      console.log(`${outcome.state.padEnd(9)} ${outcome.build.padEnd(10)} ${mutant.id} (${seconds} s)`);
    };
    const checks = kernels && isOfC(mutant) ? await checkKernels(kernels, mutant) : { decided: [], rest: mutant };
    checks.decided.forEach(take);
    if (!checks.rest) continue;
    if (options.kernels) {
      for (const build of checks.rest.builds) take({ build, state: "open" });
      continue;
    }
    project ??= await makeProject();
    for (const outcome of await project.test(checks.rest, options)) take(outcome);
  }
  await kernels?.close();
}

mkdirSync(work, { recursive: true });
if (options.report) {
  writeReport(join(import.meta.dirname, "report.md"), allMutants(), lastResults(), equivalent);
} else if (options.sample) {
  const outcomes = [];
  await run(inShard(sampleMutants(), options.shard), (outcome) => outcomes.push(outcome));
  const alive = outcomes.filter(({ state }) => state !== "killed");
  console.log(`${outcomes.length - alive.length} of ${outcomes.length} killed`);
  process.exitCode = alive.length > 0 ? 1 : 0;
} else {
  const all = allMutants();
  const ordered = options.spread ? spread(all) : all;
  const known = lastResults();
  const open = inShard(ordered, options.shard)
    .slice(0, Number(options.limit ?? ordered.length))
    .flatMap((mutant) => rest(mutant, known));
  if (options.list) for (const mutant of ordered) console.log(placeOf(mutant));
  else await run(open, (outcome) => appendFileSync(results, `${JSON.stringify(outcome)}\n`));
}
