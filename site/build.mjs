// npm run site: writes the site to build/site, for any static host. README.md is the front page; docs/ and the docstrings are
// pages; site/app has the programs. Every page works from any folder, since all addresses are relative.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { build } from "esbuild";
import { readInterface } from "../scripts/api.mjs";
import { headingsOf, render } from "./markdown.mjs";
import { referenceOf } from "./reference.mjs";
import { layout } from "./template.mjs";

const here = import.meta.dirname;
const root = join(here, "..");
const out = join(root, "build/site");
const read = (path) => readFileSync(join(root, path), "utf8");
const titleOf = (text) => /^# (.*)$/m.exec(text)[1];

function write(path, content) {
  const file = join(out, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** The pages in their sections: { title, pages: [{ title, path, text }] }. One that is listed and not yet written is left out. */
function sections() {
  const listed = JSON.parse(read("docs/navigation.json"));
  const page = (name) => {
    const text = read(`docs/${name}.md`);
    return { title: titleOf(text), path: `docs/${name}.html`, source: `docs/${name}.md`, text };
  };
  return listed.map(({ title, pages }) => ({
    title,
    pages: pages.filter((name) => existsSync(join(root, `docs/${name}.md`))).map(page),
  }));
}

const PROJECT = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map((source) => ({
  title: titleOf(read(source)),
  path: source.replace(".md", ".html"),
  source,
  text: read(source),
}));

/** Where a link of a page leads on the site: other pages to their HTML, files of the package to copies of them. */
function linkFrom(source) {
  return (href) => {
    if (/^[a-z]+:|^#/.test(href)) return href;
    const [path, anchor] = href.split("#");
    const hash = anchor ? `#${anchor}` : "";
    if (posix.normalize(posix.join(posix.dirname(source), path)) === "README.md")
      return `${posix.relative(posix.dirname(source), "index.html")}${hash}`;
    return path.replace(/\.md$/, ".html") + hash;
  };
}

/** A page leaves room for its pictures before they are loaded: sizes are those that each SVG states. */
function withSizes(html, source) {
  return html.replace(/<img ([^>]*)src="([^"]+\.svg)"/g, (_, rest, src) => {
    const [, width, height] = / width="(\d+)" height="(\d+)"/.exec(read(posix.join(posix.dirname(source), src)));
    return `<img ${rest}src="${src}" width="${width}" height="${height}"`;
  });
}

async function writeDocuments(navigation) {
  for (const page of [...navigation.flatMap(({ pages }) => pages), ...PROJECT]) {
    const content = withSizes(await render(page.text, linkFrom(page.source)), page.source);
    write(page.path, layout({ ...page, content, navigation, headings: headingsOf(page.text) }));
  }
}

async function writeFrontPage(navigation) {
  const text = read("README.md");
  const content = withSizes(await render(text, linkFrom("README.md")), "README.md");
  const description = JSON.parse(read("package.json")).description;
  write(
    "index.html",
    layout({ title: "blake-simd", path: "index.html", description, content, navigation, front: true }),
  );
}

async function writeReference() {
  const entries = readInterface();
  const pathOf = (name) => `api/${name.replace("blake-simd", "index").replace("index/", "")}.html`;
  const list = entries.map(({ name }) => ({ title: name, path: pathOf(name) }));
  for (const entry of entries) {
    const path = pathOf(entry.name);
    const content = await referenceOf(entry);
    write(path, layout({ title: entry.name, path, content, navigation: [{ title: "Reference", pages: list }] }));
  }
}

function writePrograms(navigation) {
  for (const name of ["playground", "benchmark", "verified"]) {
    const content = readFileSync(join(here, `app/${name}.html`), "utf8");
    const title = /<h1>(.*)<\/h1>/.exec(content)[1];
    write(
      `${name}.html`,
      layout({ title, path: `${name}.html`, content, navigation, script: `${name}.js`, wide: true }),
    );
  }
}

/** Programs import the package by its name, though site/ has a package.json of its own. */
const ownPackage = {
  name: "own package",
  setup(context) {
    context.onResolve({ filter: /^blake-simd(\/|$)/ }, ({ path, kind, pluginData }) =>
      pluginData === root ? undefined : context.resolve(path, { kind, resolveDir: root, pluginData: root }),
    );
  },
};

async function bundlePrograms() {
  await build({
    entryPoints: ["site", "playground", "benchmark", "benchmark-worker", "verified"].map((name) =>
      join(here, `app/${name}.js`),
    ),
    outdir: join(out, "app"),
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    plugins: [ownPackage],
    logLevel: "warning",
  });
  await build({
    entryPoints: [join(here, "app/style.css")],
    outdir: join(out, "app"),
    minify: true,
    logLevel: "warning",
  });
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.replaceAll("\\", "/"))
    .sort();

/** The service worker knows every file, and gets a new name for its cache if one of them changes. */
function writeServiceWorker() {
  const files = filesIn(out);
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(readFileSync(join(out, file)));
  const code = readFileSync(join(here, "app/service-worker.js"), "utf8")
    .replace('"VERSION"', JSON.stringify(hash.digest("hex").slice(0, 16)))
    .replace('["FILES"]', JSON.stringify(["./", ...files]));
  write("service-worker.js", code);
}

rmSync(out, { recursive: true, force: true });
const navigation = sections();
await bundlePrograms();
await writeFrontPage(navigation);
await writeDocuments(navigation);
await writeReference();
writePrograms(navigation);
cpSync(join(root, "docs/pictures"), join(out, "docs/pictures"), { recursive: true });
cpSync(join(root, "examples"), join(out, "examples"), {
  recursive: true,
  filter: (path) => !path.endsWith("test.mjs"),
});
cpSync(join(root, "LICENSE"), join(out, "LICENSE"));
cpSync(join(here, "app/icon.svg"), join(out, "app/icon.svg"));
write("robots.txt", "User-agent: *\nAllow: /\n");
write(".nojekyll", "");
writeServiceWorker();
if (!existsSync(join(out, "index.html"))) throw new Error("there is no front page");
console.log(`build/site: ${filesIn(out).length} files`);
