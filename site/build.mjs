// npm run site: writes the site to build/site, for any static host. docs/ and the docstrings are pages; site/app has
// the front page and the programs. Every page works from any folder, since all addresses are relative, but for
// 404.html, which a host shows at any address. If the environment's SITE says where the site will be, links to it have
// a picture elsewhere.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { build } from "esbuild";
import { createIndex } from "pagefind";
import { readInterface } from "../scripts/api.mjs";
import { escaped, highlighted } from "./highlight.mjs";
import { headingsOf, render } from "./markdown.mjs";
import { introductionsOf, referenceOf, twinsOf } from "./reference.mjs";
import { layout } from "./template.mjs";

const here = import.meta.dirname;
const root = join(here, "..");
const out = join(root, "build/site");
const address = process.env.SITE;
/** The beginning of all links of 404.html. */
const prefix = new URL(address ?? "https://any.example/").pathname.replace(/\/$/, "");
const { version, description, repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** The address that scripts/address.mjs sets; until then, there are no links to it. */
const source = repository?.url.replace(/^git\+|\.git$/g, "");
const read = (path) => readFileSync(join(root, path), "utf8");
const titleOf = (text) => /^# (.*)$/m.exec(text)[1];

const written = [];
function writePage(page) {
  written.push(page);
  write(page.path, layout({ address, repository: source, ...page }));
}

function write(path, content) {
  const file = join(out, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/**
 * The pages in their sections: { title, pages: [{ title, path, text }] }. One that is listed and not yet written is
 * left out.
 */
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

/**
 * Where a link of a page leads on the site: other pages to their HTML, files of an example to their place on its page.
 */
function link(href) {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [path, anchor] = href.split("#");
  const example = /^(.*examples\/[^/]+)\/(.*)$/.exec(path);
  if (example) return `${example[1]}.html#${example[2]}`;
  return path.replace(/\.md$/, ".html") + (anchor ? `#${anchor}` : "");
}

/** Adds the size that each SVG states to its picture, so that the page does not move while it loads. */
function withSizes(html, source = "README.md") {
  return html.replace(/<(?:img|source) [^>]*src(?:set)?="([^"]+\.svg)"/g, (tag, src) => {
    const [size] = /(?<= )width="\d+" height="\d+"/.exec(read(posix.join(posix.dirname(source), src)));
    return `${tag} ${size}`;
  });
}

async function writeDocuments(navigation) {
  for (const page of [...navigation.flatMap(({ pages }) => pages), ...PROJECT]) {
    const content = withSizes(await render(page.text, link), page.source);
    writePage({ ...page, content, navigation, headings: headingsOf(page.text) });
  }
}

/** Placeholders of site/app's pages. */
const PARTS = {
  CHART: () => withSizes(/<picture>.*?<\/picture>/s.exec(read("README.md"))[0].replace(/https:[^"]*\/(?=docs\/)/g, "")),
  VERSION: () => version,
  SOURCE: () => (source ? `<a href="${source}">Source</a>` : ""),
  DEMONSTRATION: () => app("verified"),
  // A single line has no button to copy it.
  CODE: (text) => `<pre${text.includes("\n") ? "" : ' class="signature"'}><code>${highlighted(text)}</code></pre>`,
  PAGES: () =>
    written.map(({ path, title }) => `<li><a href="${prefix}/${path}">${title.replaceAll("`", "")}</a></li>`).join(""),
  PACKAGES: () => {
    const { dependencies } = JSON.parse(read("site/package.json"));
    return ["blake3-wasm", "hash-wasm", "@noble/hashes", "blake3-jit"]
      .map((name) => `${name} ${dependencies[name]}`)
      .join(", ");
  },
};
const app = (name) =>
  readFileSync(join(here, `app/${name}.html`), "utf8").replace(/<!-- ([A-Z]+)\b\s*(.*?)\s*-->/gs, (_, part, text) =>
    PARTS[part](text),
  );

function writeFrontPage() {
  const title = "blake-simd: fast cryptographic hashes for JavaScript";
  const scripts = ["landing.js", "verified.js"];
  writePage({ title, path: "index.html", description, content: app("index"), scripts, wide: true, front: true });
}

/** A page for each example, with all of its files. */
function writeExamples(navigation) {
  const entriesOf = (path) => readdirSync(join(root, path), { withFileTypes: true });
  for (const example of entriesOf("examples").filter((entry) => entry.isDirectory())) {
    const folder = `examples/${example.name}`;
    // Those that are in the package.
    const names = entriesOf(folder)
      .filter((entry) => entry.isFile() && entry.name !== "package-lock.json")
      .map(({ name }) => name);
    const isProgram = (name) => Number(name.endsWith(".js"));
    const files = names.sort((a, b) => isProgram(b) - isProgram(a));
    const show = (file) => {
      const text = read(`${folder}/${file}`);
      const code = /\.(js|json)$/.test(file) ? highlighted(text) : escaped(text);
      return `<h2 id="${file}"><code>${file}</code></h2><pre tabindex="0"><code>${code}</code></pre>`;
    };
    const title = example.name;
    const lead = `<p>A <a href="../docs/recipes.html#complete-programs">complete program</a>, in <code>node_modules/blake-simd/${folder}</code>.</p>`;
    const content = `<h1>${title}</h1>${lead}${files.map(show).join("")}`;
    writePage({ title, path: `${folder}.html`, content, navigation, headings: files });
  }
}

const nameOf = (entry) => entry.replace("blake-simd/", "").replace("blake-simd", "index");

async function writeReference() {
  const all = readInterface();
  const isTwin = ({ name }) => name.startsWith("blake-simd/javascript");
  const entries = all.filter((entry) => !isTwin(entry));
  const pairs = all.filter(isTwin).map(({ name }) => {
    const twin = name.replace("/javascript", "");
    return { name, twin, path: `${nameOf(twin)}.html`, anchor: nameOf(twin) };
  });
  const introductions = introductionsOf(read("README.md"));
  const path = "api/javascript.html";
  const nested = pairs.slice(1).map(({ name, anchor }) => ({ title: name, path: `${path}#${anchor}` }));
  const list = entries.map(({ name }) => ({ title: name, path: `api/${nameOf(name)}.html` }));
  const twins = { title: pairs[0].name, path, pages: nested };
  const navigation = [{ title: "Reference", pages: [...list, twins] }];
  for (const [i, entry] of entries.entries())
    writePage({
      ...list[i],
      content: await referenceOf(
        entry,
        await render(introductions.get(entry.name) ?? "", (href) => `../${link(href)}`),
      ),
      description: `All that ${entry.name} exports`,
      navigation,
    });
  writePage({ ...twins, content: twinsOf(twins.title, pairs), navigation });
}

function writePrograms() {
  for (const name of ["playground", "benchmark", "404"]) {
    const content = app(name);
    const title = /<h1>(.*)<\/h1>/.exec(content)[1];
    const root = name === "404" ? prefix : undefined;
    writePage({ title, path: `${name}.html`, content, scripts: [`${name}.js`], wide: true, root });
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
    entryPoints: ["site", "theme", "landing", "playground", "benchmark", "benchmark-worker", "verified", "404"].map(
      (name) => join(here, `app/${name}.js`),
    ),
    outdir: join(out, "app"),
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    // blake3-wasm imports them only in Node.
    external: ["fs", "path"],
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

/** The index of all pages, and of pagefind's programs only those that the search loads. */
async function writeIndex() {
  const { index } = await createIndex();
  const { errors } = await index.addDirectory({ path: out, glob: "{docs/*,api/*,examples/*,*}.html" });
  if (errors.length > 0) throw new Error(errors.join("\n"));
  const { files } = await index.getFiles();
  for (const { path, content } of files)
    if (!/^pagefind-(ui|modular|component|highlight|playground)|-ui\./.test(path)) write(`pagefind/${path}`, content);
  await index.deleteIndex();
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.replaceAll("\\", "/"))
    .sort();

rmSync(out, { recursive: true, force: true });
const navigation = sections();
await bundlePrograms();
writeFrontPage();
await writeDocuments(navigation);
writeExamples(navigation);
await writeReference();
writePrograms();
await writeIndex();
cpSync(join(root, "docs/pictures"), join(out, "docs/pictures"), { recursive: true });
cpSync(join(root, "examples"), join(out, "examples"), {
  recursive: true,
  filter: (path) => !path.endsWith("test.mjs"),
});
cpSync(join(root, "LICENSE"), join(out, "LICENSE"));
for (const name of ["icon.svg", "card.png"]) cpSync(join(here, "app", name), join(out, "app", name));
// blake3-wasm looks for its module beside the program.
cpSync(join(here, "node_modules/blake3-wasm/esm/wasm/blake3.wasm"), join(out, "app/blake3.wasm"));
write("robots.txt", "User-agent: *\nAllow: /\n");
write(".nojekyll", "");
cpSync(join(here, "app/service-worker.js"), join(out, "service-worker.js"));
console.log(`build/site: ${filesIn(out).length} files`);
