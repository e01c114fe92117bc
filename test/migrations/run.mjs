// Runs the programs of docs/migrate-from-*.md: what is printed before, with the other package, and after, with the packed
// tarball of this one, has to be the same.
//
//   node test/migrations/run.mjs    needs npm ci in this folder, and a build
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeProject } from "../runtimes/install.mjs";

const here = import.meta.dirname;
const root = join(here, "../..");
// Below this folder, so that the programs find the other packages above them.
const build = join(here, "build");

/** The programs of a page under a word after the backquotes. */
function programs(page, word) {
  const text = readFileSync(join(root, "docs", page), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`js ${word}\\n(.*?)^\`\`\``, "gms"))].map(([, code]) => code);
}

function run(name, code) {
  const file = join(build, `${name}.mjs`);
  writeFileSync(file, code);
  return execFileSync(process.execPath, [file], { encoding: "utf8" });
}

rmSync(build, { recursive: true, force: true });
makeProject(build);
const pages = readdirSync(join(root, "docs")).filter((name) => /^migrate-from-.*\.md$/.test(name));
assert.ok(pages.length >= 6, `${pages.length} pages`);
for (const page of pages) {
  try {
    const [before] = programs(page, "before");
    const after = programs(page, "after");
    assert.ok(before && after.length > 0, `${page}: a program before and one after are needed`);
    assert.ok(!before.includes("blake-simd"), `${page}: the program before must not use blake-simd`);
    const expected = run(`${page}-before`, before);
    assert.match(expected, /[0-9a-f]{32}/);
    for (const [i, code] of after.entries()) assert.equal(run(`${page}-after-${i}`, code), expected);
    console.log(`ok      ${page} (${expected.trimEnd().split("\n").length} lines)`);
  } catch (error) {
    console.log(`FAILED  ${page}\n${error.message}`);
    process.exitCode = 1;
  }
}
