// Whether programs go on with this package, the packed tarball installed, as they did with another:
//   - the programs of docs/migrate-from-*.md: what is printed before, and after, is the same
//   - the adapters of these pages: the tests of the other packages pass, and calls give the same
//   - ssri and hasha over node:crypto, and over blake-simd/node in its place
//
//   node test/migrations/run.mjs    needs npm ci in this folder, and a build
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeProject } from "../runtimes/install.mjs";
import { compare } from "./adapters/compare.mjs";
import { checkOfficial } from "./adapters/official.mjs";
import { runOwnTests } from "./adapters/own-tests.mjs";

const here = import.meta.dirname;
const root = join(here, "../..");
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

/** The programs of a page under a word after the backquotes. */
function programs(page, word) {
  const text = readFileSync(join(root, "docs", page), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`js ${word}\\n(.*?)^\`\`\``, "gms"))].map(([, code]) => code);
}

function write(name, code) {
  const file = join(build, name);
  writeFileSync(file, code);
  return file;
}

const run = (...args) => execFileSync(process.execPath, args, { encoding: "utf8", cwd: build, maxBuffer: 2 ** 26 });
const linesOf = (text) => text.trimEnd().split("\n").length;

function runPage(page) {
  const [before] = programs(page, "before");
  const after = programs(page, "after");
  assert.ok(before && after.length > 0, `${page}: a program before and one after are needed`);
  assert.ok(!before.includes("blake-simd"), `${page}: the program before must not use blake-simd`);
  const expected = run(write(`${page}-before.mjs`, before));
  assert.match(expected, /[0-9a-f]{32}/);
  for (const [i, code] of after.entries()) assert.equal(run(write(`${page}-after-${i}.mjs`, code)), expected);
  return `${linesOf(expected)} lines`;
}

async function runAdapter(page, cases) {
  const [code, ...more] = programs(page, "adapter");
  assert.deepEqual(more, []);
  const { theirs, tests = [], official, apiOf = (module) => module, ...calls } = await import(cases);
  const adapter = write(`${page}-adapter.mjs`, code);
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
const pages = readdirSync(join(root, "docs")).filter((name) => /^migrate-from-.*\.md$/.test(name));
assert.ok(pages.length >= 7, `${pages.length} pages`);
for (const page of pages) {
  await check(page, () => runPage(page));
  const cases = join(here, "adapters", page.replace(/^migrate-from-(.*)\.md$/, "$1.mjs"));
  if (programs(page, "adapter").length > 0 || existsSync(cases)) {
    await check(`the adapter of ${page}`, () => runAdapter(page, cases));
  }
}
for (const file of readdirSync(join(here, "node-crypto")))
  copyFileSync(join(here, "node-crypto", file), join(build, file));
for (const program of ["ssri.mjs", "hasha.mjs"])
  await check(`${program} over blake-simd/node`, () => runOverNode(program));
