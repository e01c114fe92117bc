// The pages belong together: each is in the navigation, each link leads somewhere, and what a packed page links to is packed.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/child.js";
import { anchorsOf, documents, fencesOf, pages, read } from "../support/documents.js";

interface Link {
  readonly file: string;
  readonly target: string;
}

const withoutCode = (text: string) => text.replace(/^```.*?^```/gms, "").replace(/`[^`\n]*`/g, "``");

function linksOf(file: string): Link[] {
  const text = withoutCode(read(file));
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)].map(([, a, b]) => a ?? b);
  return targets.map((target) => ({ file, target: target as string }));
}

const isOutside = ({ target }: Link) => /^[a-z]+:/.test(target);
const [listing] = JSON.parse(
  execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
    shell: process.platform === "win32",
  }),
);
const packed = new Set<string>(listing.files.map(({ path }: { path: string }) => path));
const sections: { title: string; pages: string[] }[] = JSON.parse(read("docs/navigation.json"));
// These are for readers of the repository and of the site: the tarball leaves them out.
const internals = [...(sections.at(-1)?.pages ?? []).map((name) => `docs/${name}.md`), "CONTRIBUTING.md"];
const isInternal = (file: string) => internals.includes(file) || file.startsWith("docs/pictures/");
const documented = [...documents, "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];

test("every page is in the navigation once", () => {
  const listed = sections.flatMap((section) => section.pages).map((name) => `docs/${name}.md`);
  // One that is listed and not yet written is left out of the site.
  expect(listed.filter((page) => pages.includes(page)).sort()).toEqual([...pages].sort());
  expect(new Set(listed).size).toBe(listed.length);
});

test.for(documented)("links of %s lead to packed or internal files, and to headings that are there", (file) => {
  for (const link of linksOf(file).filter((each) => !isOutside(each))) {
    const [path = "", anchor] = link.target.split("#");
    const target = path === "" ? file : normalize(join(dirname(file), path));
    expect(existsSync(join(ROOT, target)), `${file}: ${link.target}`).toBe(true);
    expect(packed.has(target), `${file}: ${target}`).toBe(!isInternal(target));
    if (anchor) expect(anchorsOf(read(target)), `${file}: ${link.target}`).toContain(anchor);
  }
});

test("the README has at most 200 lines, and its first screen shows code, a chart and an install line", () => {
  const lines = read("README.md").split("\n");
  expect(lines.length).toBeLessThanOrEqual(201);
  const [fence] = fencesOf("README.md");
  expect(fence?.line).toBeLessThan(10);
  expect(lines.findIndex((line) => line.includes("<picture>"))).toBeLessThan(20);
});

test("every example is on its page", () => {
  const examples = [...packed].filter((path) => path.startsWith("examples/")).map((path) => path.split("/")[1]);
  expect(examples.length).toBeGreaterThan(0);
  for (const name of examples) expect(read("docs/recipes.md")).toContain(`](../examples/${name}/`);
});

test("Getting started follows every command of installation in the README", () => {
  const [, section = ""] = read("README.md").split(/^## Install$/m);
  const rows = section.split(/^#/m)[0]?.match(/^\|.*$/gm) ?? [];
  const commands = rows.flatMap((row) =>
    [...row.matchAll(/`((?:npm|npx|deno|bun) [^`]+)`/g)].map(([, words]) => words),
  );
  expect(commands.length).toBeGreaterThan(2);
  const followed = read("docs/getting-started.md");
  for (const command of commands) expect(followed).toContain((command as string).replace("FILE...", "-c"));
});
