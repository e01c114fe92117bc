// Which lines of the kernels' C run when sanitize.mjs compares digests, by clang's source-based coverage: in each build, and in
// all of them together. Lines that no build runs make it fail.
//
//   npm run coverage:c [-- MODULE ...]
//
// Needs what sanitize.mjs needs and LLVM's tools: apt-get install clang-14 llvm-14 libclang-rt-14-dev libsimde-dev.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { builds, has, modules, programOf } from "./build.mjs";

const root = join(import.meta.dirname, "../..");
const INSTRUMENT = "coverage";
const named = process.argv.slice(2);
const chosen = named.length > 0 ? named : modules;

/** Adds the lines of a program that have code to `counts`: "file:line" -> how often it ran. */
function addLines(counts, program) {
  const profile = `${program}.profdata`;
  const options = { encoding: "utf8", maxBuffer: 1 << 28 };
  execFileSync("llvm-profdata-14", ["merge", ...rawProfiles(program), "-o", profile]);
  const lcov = execFileSync("llvm-cov-14", ["export", "-format=lcov", `-instr-profile=${profile}`, program], options);
  for (const record of lcov.split("end_of_record")) {
    const file = relative(root, /^SF:(.*)$/m.exec(record)?.[1] ?? "/");
    if (!file.startsWith("wasm/")) continue;
    const text = readFileSync(join(root, file), "utf8").split("\n");
    for (const [, line, count] of record.matchAll(/^DA:(\d+),(\d+)/gm)) {
      // clang counts these in some functions and not in others.
      if (/^#(if|else|endif)/.test(text[line - 1])) continue;
      const place = `${file}:${line}`;
      counts.set(place, (counts.get(place) ?? 0) + Number(count));
    }
  }
}

function rawProfiles(program) {
  const paths = readdirSync(dirname(program)).map((name) => join(dirname(program), name));
  return paths.filter((path) => path.startsWith(`${program}.`) && path.endsWith(".profraw"));
}

/** Prints a share, and each line that is missing from it; returns how many are. */
function report(name, counts) {
  const missed = [...counts].flatMap(([place, count]) => (count > 0 ? [] : [place]));
  const run = counts.size - missed.length;
  console.log(`${name}: ${run} of ${counts.size} lines, ${((100 * run) / counts.size).toFixed(2)} %`);
  for (const place of missed) console.log(`  not run: ${place}`);
  return missed.length;
}

const pairs = Object.keys(builds).flatMap((build) =>
  chosen
    .filter((module) => has(build, module))
    .map((module) => ({ build, program: programOf(module, build, INSTRUMENT) })),
);
mkdirSync(dirname(pairs[0].program), { recursive: true });
for (const { program } of pairs) for (const file of rawProfiles(program)) rmSync(file);
const sanitize = [join(import.meta.dirname, "sanitize.mjs"), "--all-builds", "--sanitizer", INSTRUMENT, ...named];
execFileSync(process.execPath, sanitize, { stdio: "inherit" });

const all = new Map();
for (const build of Object.keys(builds)) {
  const own = new Map();
  for (const { program } of pairs.filter((pair) => pair.build === build)) addLines(own, program);
  report(build, own);
  for (const [place, count] of own) all.set(place, (all.get(place) ?? 0) + count);
}
// Alone, each build has words that it does not use, such as rotations of scalars beside lanes (lanes.h).
if (report("all builds", all) > 0) process.exitCode = 1;
