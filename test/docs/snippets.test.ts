// Runs every snippet of the README and of docs/, and checks each line that ends with `// => value`; api.test.ts
// compiles them.
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build, transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../support/child.js";
import { documents, type Fence, fencesOf, nameOf, snippets } from "../support/documents.js";

// Inside the package, so that a snippet can import it by name.
const modules = join(ROOT, "build/snippets");
let folder = "";

beforeAll(() => {
  mkdirSync(modules, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), "blake-simd-snippets-"));
  copyFileSync(join(ROOT, "package.json"), join(folder, "package.json"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `expression; // => value` becomes an assertion, which the process of all snippets counts. */
async function moduleOf(snippet: Fence): Promise<string> {
  const checked = snippet.code.replace(
    /^(.*); \/\/ => (.*)$/gm,
    (_, expression, value) => `assert.deepEqual(${expression}, ${value}); counted.passed++;`,
  );
  const text = `import assert from "node:assert/strict";\nimport { counted } from "./counted.mjs";\n${checked}`;
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
  const { code: script } = await transform(text, { loader: "ts", target: "es2022", tsconfigRaw });
  const path = join(modules, `${nameOf(snippet)}.mjs`);
  writeFileSync(path, script);
  return path;
}

/** Runs each module after the other, in one process; prints of each how many assertions passed, or its error. */
const RUNNER = `
import { writeSync } from "node:fs";
import { counted } from "./counted.mjs";
const results = [];
for (const path of process.argv.slice(2)) {
  counted.passed = 0;
  results.push(await import(path).then(() => counted.passed, (error) => String(error.stack)));
}
writeSync(2, "\\n" + JSON.stringify(results));
`;

test("there are snippets", () => {
  expect(snippets.length).toBeGreaterThan(35);
});

// Those for a page, a worker or a framework are not run here: they bundle, with exports that are there.
const bundled = documents.flatMap(fencesOf).filter(({ info }) => ["jsx", "js page", "js worker"].includes(info));

test.for(bundled)("the snippet of $file:$line bundles", async ({ code }) => {
  const stdin = { contents: code, loader: "jsx", resolveDir: ROOT } as const;
  const { errors } = await build({ stdin, bundle: true, format: "esm", external: ["react", "node:*"], write: false });
  expect(errors).toEqual([]);
});

describe("every snippet", () => {
  let results: (number | string)[] = [];
  beforeAll(async () => {
    writeFileSync(join(modules, "counted.mjs"), "export const counted = { passed: 0 };");
    writeFileSync(join(modules, "run.mjs"), RUNNER);
    const paths = await Promise.all(snippets.map(moduleOf));
    const { stderr } = await promisify(execFile)(process.execPath, [join(modules, "run.mjs"), ...paths], {
      cwd: folder,
    });
    results = JSON.parse(stderr.split("\n").at(-1) as string);
  });

  test.for(snippets.map((snippet, i) => ({ ...snippet, i })))("of $file:$line gives what it says", ({ code, i }) => {
    expect(results[i]).toBe(code.split(/; \/\/ => /).length - 1);
  });
});
