// Whether programs go on with this package, the packed tarball installed, as they did with another:
//   - the programs of programs.md: what is printed before, and after, is the same
//   - examples/adapters: the tests of the other packages pass, and calls give the same
//   - ssri and hasha over node:crypto, and over blake-simd/node in its place
//
//   node test/migrations/run.mjs    needs npm ci in this folder, and a build
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeProject } from "../runtimes/install.mjs";
import { compare } from "./adapters/compare.mjs";
import { checkOfficial } from "./adapters/official.mjs";
import { runOwnTests } from "./adapters/own-tests.mjs";

const here = import.meta.dirname;
const root = join(here, "../..");
const adapters = join(root, "examples/adapters");
// Below this folder, so that the programs find the other packages above them.
const build = join(here, "build");

async function check(name, test) {
  const start = performance.now();
  try {
    const result = await test();
    console.log(`ok      ${name} (${result}, ${((performance.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    console.log(`FAILED  ${name}\n${error.message}`);
    process.exitCode = 1;
  }
}

/** The programs of a section under a word after the backquotes. */
const programs = (text, word) =>
  [...text.matchAll(new RegExp(`^\`\`\`js ${word}\\n(.*?)^\`\`\``, "gms"))].map(([, code]) => code);

function write(name, code) {
  const file = join(build, name);
  writeFileSync(file, code);
  return file;
}

const run = (...args) => execFileSync(process.execPath, args, { encoding: "utf8", cwd: build, maxBuffer: 2 ** 26 });
const linesOf = (text) => text.trimEnd().split("\n").length;

function runSection({ name, text }) {
  const [before, ...others] = programs(text, "before");
  const [after, ...more] = programs(text, "after");
  assert.ok(before && after, `${name}: a program before and one after are needed`);
  assert.equal(others.length + more.length, 0);
  assert.ok(!before.includes("blake-simd"), `${name}: the program before must not use blake-simd`);
  const expected = run(write(`${name}-before.mjs`, before));
  assert.match(expected, /[0-9a-f]{32}/);
  assert.equal(run(write(`${name}-after.mjs`, after)), expected);
  return `${linesOf(expected)} lines`;
}

async function runAdapter(file, cases) {
  const { theirs, tests = [], official, apiOf = (module) => module, ...calls } = await import(cases);
  const adapter = write(`adapter-${file}`, readFileSync(join(adapters, file), "utf8"));
  for (const test of tests) {
    assert.equal(await runOwnTests(test, adapter, join(build, "own-tests.mjs")), test.assertions, test.file);
  }
  const ours = apiOf(await import(adapter));
  const counts = [];
  if (official) counts.push(`official vectors: ${await checkOfficial(ours, official)} digests`);
  for (const [name, api] of Object.entries(theirs)) counts.push(`${name}: ${await compare(calls, api, ours)} calls`);
  return [...tests.map(({ file, assertions }) => `${file}: ${assertions} assertions`), ...counts].join(", ");
}

function runOverNode(program) {
  const names = ["blake2b512", "blake2s256"];
  const expected = run(program, ...names);
  const replaced = ["--import", "./replace.mjs", program];
  assert.equal(run(...replaced, ...names), expected);
  // node:crypto has no hash of that name.
  assert.match(run(...replaced, "blake3"), /^af1349b9f5f9a1a6/m);
  return `${linesOf(expected)} lines`;
}

rmSync(build, { recursive: true, force: true });
makeProject(build);
const sections = readFileSync(join(here, "programs.md"), "utf8")
  .split(/^## /m)
  .map((text) => ({ name: text.slice(0, text.indexOf("\n")).replace(/\W+/g, "-"), text }))
  .filter(({ text }) => text.includes("```js before"));
assert.equal(sections.length, 7);
for (const section of sections) await check(section.name, () => runSection(section));
for (const file of readdirSync(adapters))
  await check(`the adapter ${file}`, () => runAdapter(file, join(here, "adapters", file.replace(".js", ".mjs"))));
for (const file of readdirSync(join(here, "node-crypto")))
  copyFileSync(join(here, "node-crypto", file), join(build, file));
for (const program of ["ssri.mjs", "hasha.mjs"])
  await check(`${program} over blake-simd/node`, () => runOverNode(program));
