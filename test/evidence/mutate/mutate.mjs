// Mutation testing: makes one small change at a time to the C or the TypeScript. A proof must refuse the kernels of a changed C
// source, a test must fail over a changed TypeScript source.
//
//   npm run mutate -- --sample
//   npm run mutate -- FILE ... [--every NUMBER] [--tests FILTER ...]
//
//   --sample        the mutants of sample.json, each of which the tests have missed once: exits with 1 unless all die
//   FILE            sources below wasm/ or js/: their mutants
//   --every NUMBER  only one of every so many mutants
//   --tests FILTER  test files to run over a changed TypeScript source; by default the whole suite
//
// Mutants of the C need Emscripten. What the proofs accept computes the same in all cases that they have, and so is equivalent, or
// needs one that they do not have. Runs in a copy of the project, build/mutate.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { BUILDS, bytesOfModule, DIST, MODULES } from "../prove/kernel.mjs";
import { mutantsOfC } from "./mutants-of-c.mjs";
import { mutantsOfTypeScript } from "./mutants-of-typescript.mjs";
import { sampleOf } from "./sample.mjs";

const root = join(import.meta.dirname, "../../..");
const copy = join(root, "build/mutate");
const kernels = join(copy, "build/kernels");
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
  const all = positionals.flatMap((file) => {
    const mutantsOf = file.startsWith("wasm/") ? mutantsOfC : mutantsOfTypeScript;
    return mutantsOf(file, readFileSync(join(root, file), "utf8"));
  });
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
  cpSync(join(root, "dist"), join(copy, "dist"), { recursive: true });
}

/** Whether a command of the copy succeeds. */
function succeeds(...command) {
  const args = ["-c", `ulimit -t ${SECONDS} && exec "$0" "$@"`, ...command];
  return spawnSync("sh", args, { cwd: copy, stdio: "ignore" }).status === 0;
}

/** The modules that a source may be part of: those of its family, or all. */
function modulesWith(file) {
  const [, family] = /^wasm\/blake(\d)\//.exec(file) ?? [];
  const families = { 1: /^blake(256|512)$/, 2: /^blake2[bs]/, 3: /^blake3/ };
  return Object.keys(MODULES).filter((name) => family === undefined || families[family].test(name));
}

/** The builds that have changed in any module. Modules without a change are removed. */
async function changedBuilds(modules) {
  const changed = new Set();
  for (const module of modules) {
    const own = [];
    for (const build of BUILDS) {
      const [bytes, original] = [await bytesOfModule(module, build, kernels), await bytesOfModule(module, build)];
      if (Buffer.compare(bytes, original) !== 0) own.push(build);
    }
    for (const build of own) changed.add(build);
    if (own.length > 0) continue;
    for (const name of readdirSync(kernels)) if (name.startsWith(`${module}.`)) rmSync(join(kernels, name));
  }
  return [...changed];
}

async function outcomeOfC({ file }) {
  const modules = modulesWith(file);
  rmSync(kernels, { recursive: true, force: true });
  mkdirSync(kernels, { recursive: true });
  cpSync(join(DIST, "decoder.js"), join(kernels, "decoder.js"));
  if (!succeeds("npm", "run", "build:wasm", "--", "--out", kernels, ...modules)) return "invalid";
  const builds = await changedBuilds(modules);
  if (builds.length === 0) return "same bytes";
  const chosen = builds.flatMap((build) => ["--build", build]);
  return succeeds("npm", "run", "prove", "--", "--bail", "--kernels", kernels, ...chosen) ? "accepted" : "killed";
}

const testsPass = ({ tests, only }) => {
  const args = [...tests, ...(only ? ["-t", only] : [])];
  return succeeds("npx", "vitest", "run", "--config", "test/source.config.ts", "--bail", "1", ...args);
};

const passing = new Set();

/** Throws unless the tests of a mutant pass without it. */
function requirePassing({ tests, only }) {
  const key = JSON.stringify([tests, only]);
  if (!passing.has(key) && !testsPass({ tests, only })) throw new Error(`without a mutant the tests must pass: ${key}`);
  passing.add(key);
}

async function outcomeOf(mutant) {
  const { file, at, from, to } = mutant;
  const isC = file.startsWith("wasm/");
  if (!isC) requirePassing(mutant);
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.slice(0, at) + to + text.slice(at + from.length));
  try {
    if (isC) return await outcomeOfC(mutant);
    return testsPass(mutant) ? "survived" : "killed";
  } finally {
    writeFileSync(path, text);
  }
}

copyProject();
const counts = {};
for (const mutant of mutants()) {
  const start = Date.now();
  const outcome = await outcomeOf(mutant);
  counts[outcome] = (counts[outcome] ?? 0) + 1;
  const { file, line, from, to } = mutant;
  const seconds = ((Date.now() - start) / 1000).toFixed(0);
  console.log(`${outcome.padEnd(10)} ${file}:${line}: ${from.trim()} -> ${to.trim() || "nothing"} (${seconds} s)`);
}
console.log(JSON.stringify(counts));
if (options.sample && Object.keys(counts).some((outcome) => outcome !== "killed")) process.exitCode = 1;
