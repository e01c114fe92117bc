// Runs every snippet of the README and of docs/, checks each line that ends with `// => value`, and compiles all of them
// as strict TypeScript.
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build, transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../support/child.js";
import { errorsOf, libraries } from "../support/compile.js";
import { documents, fencesOf, snippets } from "../support/documents.js";

// Inside the package, so that a snippet can import it by name.
const modules = join(ROOT, "build/snippets");
let folder = "";

beforeAll(() => {
  mkdirSync(modules, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), "blake-simd-snippets-"));
  copyFileSync(join(ROOT, "package.json"), join(folder, "package.json"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `expression; // => value` becomes an assertion; the snippet prints how many there were. */
function withAssertions(code: string): string {
  const checked = code.replace(
    /^(.*); \/\/ => (.*)$/gm,
    (_, expression, value) => `assert.deepEqual(${expression}, ${value}); passed++;`,
  );
  return `import assert from "node:assert/strict";\nlet passed = 0;\n${checked}\nconsole.log(\`passed \${passed}\`);`;
}

async function run(name: string, code: string): Promise<string> {
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
  const { code: script } = await transform(withAssertions(code), { loader: "ts", target: "es2022", tsconfigRaw });
  const file = join(modules, `${name}.mjs`);
  writeFileSync(file, script);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
  return stdout.trimEnd().split("\n").at(-1) as string;
}

const nameOf = ({ file, line }: { file: string; line: number }) => `${file.replace(/\W/g, "-")}-${line}`;

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
  test.concurrent.for(snippets)("of $file:$line runs, and gives what it says", async (snippet) => {
    const said = snippet.code.split(/; \/\/ => /).length - 1;
    expect(await run(nameOf(snippet), snippet.code)).toBe(`passed ${said}`);
  });

  test.for(Object.entries(libraries))("compiles as strict TypeScript %s", ([name, lib]) => {
    const wrong = { name: "wrong", code: 'import { blake3 } from "blake-simd";\nblake3(5);' };
    const compiled = snippets.filter(({ info }) => name === "with the DOM" || info !== "js dom");
    const pieces = compiled.map((snippet) => ({ name: nameOf(snippet), code: snippet.code }));
    // The wrong one is found, and nothing else.
    expect(errorsOf([...pieces, wrong], lib)).toEqual([expect.stringMatching(/^wrong\.mts:2: /)]);
  });
});
