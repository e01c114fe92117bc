// Whether programs go on with this package, the packed tarball installed, as they did with another:
//   - the pairs of pairs.mjs give the same
//   - examples/adapters: the tests of the other packages pass, and calls give the same
//   - ssri over node:crypto, and over blake-simd/node in its place
//
//   node test/migrations/run.mjs    needs npm ci in this folder, and a build
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { makeProject } from "../runtimes/install.mjs";
import { check } from "../support/check.mjs";
import { compare } from "./adapters/compare.mjs";
import { runOwnTests } from "./adapters/own-tests.mjs";

const here = import.meta.dirname;
const root = join(here, "../..");
const adapters = join(root, "examples/adapters");
// Below this folder, so that the programs find the other packages above them.
const build = join(here, "build");

/** A copy that finds the tarball's package. */
function copyOf(file) {
  const copy = join(build, basename(file));
  copyFileSync(file, copy);
  return copy;
}

async function runPairs(pairs) {
  for (const [before, after] of pairs) assert.deepEqual(Buffer.from(after()), Buffer.from(before()), `${before}`);
  return `${pairs.length} pairs`;
}

async function runAdapter(file, cases) {
  const { theirs, tests = [], apiOf = (module) => module, ...calls } = await import(cases);
  const adapter = copyOf(join(adapters, file));
  for (const test of tests) {
    assert.equal(await runOwnTests(test, adapter, join(build, "own-tests.mjs")), test.assertions, test.file);
  }
  const ours = apiOf(await import(adapter));
  const counts = [];
  for (const [name, api] of Object.entries(theirs)) counts.push(`${name}: ${await compare(calls, api, ours)} calls`);
  return [...tests.map(({ file, assertions }) => `${file}: ${assertions} assertions`), ...counts].join(", ");
}

function runOverNode() {
  const [program, replacement] = ["ssri.mjs", "replace.mjs"].map((name) => copyOf(join(here, name)));
  const run = (...args) => execFileSync(process.execPath, args, { encoding: "utf8" });
  const names = ["blake2b512", "blake2s256"];
  const expected = run(program, ...names);
  assert.equal(run("--import", replacement, program, ...names), expected);
  // node:crypto has no hash of that name.
  assert.match(run("--import", replacement, program, "blake3"), /^blake3-rxNJufX5oaagQE3q/m);
  return `${expected.split("\n").length} lines`;
}

rmSync(build, { recursive: true, force: true });
makeProject(build);
const { pairs } = await import(copyOf(join(here, "pairs.mjs")));
for (const [name, calls] of Object.entries(pairs)) await check(name, () => runPairs(calls));
for (const file of readdirSync(adapters))
  await check(`the adapter ${file}`, () => runAdapter(file, join(here, "adapters", file.replace(".js", ".mjs"))));
await check("ssri over blake-simd/node", runOverNode);
