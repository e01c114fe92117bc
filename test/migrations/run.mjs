// Whether programs go on with this package, the packed tarball installed, as they did with another:
//   - the pairs of pairs.mjs give the same
//   - examples/adapters: calls give the same
//
//   node test/migrations/run.mjs    needs npm ci in this folder, and a build
import assert from "node:assert/strict";
import { copyFileSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { makeProject } from "../runtimes/install.mjs";
import { check } from "../support/check.mjs";
import { compare } from "./adapters/compare.mjs";

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
  const { theirs, apiOf = (module) => module, ...calls } = await import(cases);
  const adapter = copyOf(join(adapters, file));
  const ours = apiOf(await import(adapter));
  const counts = [];
  for (const [name, api] of Object.entries(theirs)) counts.push(`${name}: ${await compare(calls, api, ours)} calls`);
  return counts.join(", ");
}

rmSync(build, { recursive: true, force: true });
makeProject(build);
const { pairs } = await import(copyOf(join(here, "pairs.mjs")));
for (const [name, calls] of Object.entries(pairs)) await check(name, () => runPairs(calls));
for (const file of readdirSync(adapters))
  await check(`the adapter ${file}`, () => runAdapter(file, join(here, "adapters", file.replace(".js", ".mjs"))));
