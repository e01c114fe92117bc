// Runs every JavaScript snippet of the README and of docs/bao.md, and checks each line that ends with `// => value`.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { ROOT, runNode } from "../support/child.js";

interface Snippet {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

function snippetsOf(file: string): Snippet[] {
  const text = readFileSync(resolve(ROOT, file), "utf8");
  return [...text.matchAll(/^```js\n(.*?)^```/gms)].map((match) => ({
    file,
    line: text.slice(0, match.index).split("\n").length + 1,
    code: match[1] as string,
  }));
}

const snippets = ["README.md", "docs/bao.md"].flatMap(snippetsOf);

/** `expression; // => value` becomes an assertion; the snippet returns how many there were. */
function withAssertions(code: string): string {
  let count = 0;
  const checked = code.replace(/^(.*); \/\/ => (.*)$/gm, (_, expression, value) => {
    count++;
    return `assert.deepEqual(${expression}, ${value});`;
  });
  return `import assert from "node:assert/strict";\n${checked}\nconsole.log(${count});`;
}

test("there are snippets", () => {
  expect(snippets.length).toBeGreaterThan(5);
});

test.concurrent.for(snippets)("$file:$line", ({ code }) => {
  expect(runNode(withAssertions(code))).toBe(code.split(" // => ").length - 1);
});
