// The pages belong together: each is in the navigation, each link leads somewhere, and what a packed page links to is
// packed.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/child.js";
import { anchorsOf, documents, pages, read } from "../support/documents.js";
import { packed as packedFiles } from "../support/packed.js";

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
const packed = new Set(packedFiles().paths);
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

// For those who change the package. They name most files without their folders.
const guides = ["GUIDE", "NOTES", "results/README"].map((name) => `bench/${name}.md`);
guides.push(...["bench", "examples", "site"].map((folder) => `${folder}/README.md`));
guides.push("docs/architecture.md", "CONTRIBUTING.md");
const sources = ["bench", "examples", "js", "scripts", "site", "test", "wasm"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => !path.includes("node_modules"))
    .map((path) => `/${folder}/${path}`),
);

test.for(guides)("every file that %s links to or names is there", (file) => {
  const links = linksOf(file).filter((link) => !isOutside(link));
  const linked = links.map(({ target }) => normalize(join(dirname(file), target.split("#")[0] ?? "")));
  const words = [...read(file).matchAll(/`[^`\n]+`|^ {4}.*/gm)].flatMap(([code]) => code.split(/[`\s]+/));
  const named = words.filter((word) => /^[\w./-]+\.([ch]|js|json|md|mjs|sh|ts)$/.test(word));
  for (const name of [...linked, ...named].filter((each) => !/^build\/|NAME|PROCESSOR/.test(each))) {
    const isThere = existsSync(join(ROOT, name)) || sources.some((path) => path.endsWith(`/${name}`));
    expect(isThere, `${file}: ${name}`).toBe(true);
  }
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
