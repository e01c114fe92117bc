// Mutation testing: makes one small change at a time to the TypeScript; a test must fail over it. What a change of the
// C would do, the proofs say: they refuse each kernel that computes anything else (test/evidence/prove/faults.mjs).
//
//   npm run mutate -- --sample
//   npm run mutate -- FILE ... [--every NUMBER] [--tests FILTER ...]
//
//   --sample        the mutants of sample.json, each of which the tests have missed once: exits with 1 unless all die
//   FILE            sources below js/: their mutants
//   --every NUMBER  only one of every so many mutants
//   --tests FILTER  test files to run; by default the whole suite
//
// Runs in a copy of the project, build/mutate.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { mutantsOfTypeScript } from "./mutants-of-typescript.mjs";
import { sampleOf } from "./sample.mjs";

const root = join(import.meta.dirname, "../../..");
const copy = join(root, "build/mutate");
/** Of processor time: a mutant may have no end. */
const SECONDS = 600;

const { values: options, positionals } = parseArgs({
  options: {
    sample: { type: "boolean", default: false },
    every: { type: "string", default: "1" },
    tests: { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
});

function mutants() {
  if (options.sample) return sampleOf(root);
  const all = positionals.flatMap((file) => mutantsOfTypeScript(file, readFileSync(join(root, file), "utf8")));
  return all.filter((_, i) => i % Number(options.every) === 0).map((mutant) => ({ tests: options.tests, ...mutant }));
}

function copyProject() {
  rmSync(copy, { recursive: true, force: true });
  const list = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  for (const file of list.split("\n").filter((name) => name && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  // Tests of other processes run the build that is there: they see no mutant, but must pass.
  for (const built of ["dist", "wasm/dist"]) cpSync(join(root, built), join(copy, built), { recursive: true });
}

function testsPass({ tests, only }) {
  const vitest = ["vitest", "run", "--config", "test/source.config.ts", "--bail", "1", "--reporter", "json", ...tests];
  // A mutant may also keep a test waiting.
  vitest.push("--testTimeout", "60000");
  if (only) vitest.push("-t", only);
  const args = ["-c", `ulimit -t ${SECONDS} && exec npx "$@"`, "npx", ...vitest];
  const { status, stdout } = spawnSync("sh", args, { cwd: copy, encoding: "utf8", maxBuffer: Infinity });
  // Vitest passes if it finds no test of that name.
  return status === 0 && JSON.parse(stdout).numPassedTests > 0;
}

const passing = new Set();

/** Throws unless the tests of a mutant pass without it. */
function requirePassing({ tests, only }) {
  const key = JSON.stringify([tests, only]);
  if (!passing.has(key) && !testsPass({ tests, only })) throw new Error(`without a mutant the tests must pass: ${key}`);
  passing.add(key);
}

function outcomeOf(mutant) {
  requirePassing(mutant);
  const { file, at, from, to } = mutant;
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.slice(0, at) + to + text.slice(at + from.length));
  try {
    return testsPass(mutant) ? "survived" : "killed";
  } finally {
    writeFileSync(path, text);
  }
}

copyProject();
const counts = { killed: 0, survived: 0 };
for (const mutant of mutants()) {
  const start = Date.now();
  const outcome = outcomeOf(mutant);
  counts[outcome]++;
  const { file, line, from, to } = mutant;
  const seconds = ((Date.now() - start) / 1000).toFixed(0);
  console.log(`${outcome.padEnd(8)} ${file}:${line}: ${from.trim()} -> ${to.trim() || "nothing"} (${seconds} s)`);
}
console.log(JSON.stringify(counts));
if (options.sample && counts.survived > 0) process.exitCode = 1;
