// The pages of the reference, from the docstrings.
import { escaped, highlighted } from "./highlight.mjs";
import { anchorLink, render } from "./markdown.mjs";

/** A docstring's links are to names of the same page, or of none. */
const linked = (text, names) =>
  text.replace(/\{@link ([\w.]+)\}/g, (_, name) => (names.has(name) ? `[\`${name}\`](#${name})` : `\`${name}\``));

const block = (code) => `<pre tabindex="0"><code>${highlighted(code)}</code></pre>`;
const signature = ({ signatures }) =>
  `<pre tabindex="0" class="signature"><code>${highlighted(signatures.join("\n"))}</code></pre>`;

async function details({ parameters, returns, throws, examples }, names) {
  const rows = [
    ...parameters.filter(({ text }) => text).map(({ name, text }) => [`<code>${escaped(name)}</code>`, text]),
    ...(returns ? [["Returns", returns]] : []),
    ...(throws ? [["Throws", throws]] : []),
  ];
  const lines = await Promise.all(
    rows.map(async ([name, text]) => `<dt>${name}</dt><dd>${await render(linked(text, names))}</dd>`),
  );
  const list = lines.length > 0 ? `<dl>${lines.join("")}</dl>` : "";
  const shown = examples.map((code) => `<p class="label">Example</p>${block(code)}`).join("");
  return list + shown;
}

async function member(owner, item, names) {
  const title = item.name === "call" ? owner.name : item.name;
  const anchor = `${owner.name}.${escaped(item.name)}`;
  const summary = await render(linked(item.summary, names));
  return `<h3 id="${anchor}"><code>${escaped(title)}</code>${anchorLink(anchor, title)}</h3>${signature(item)}${summary}${await details(item, names)}`;
}

/** The kind of an export, in one word. */
function labelOf({ kind, typeOnly, signatures: [signature] }) {
  if (typeOnly) return "type";
  return kind === "value" && signature.includes(": Algorithm<") ? "algorithm" : kind;
}

async function section(item, names) {
  const members = await Promise.all(item.members.map((each) => member(item, each, names)));
  const summary = await render(linked(item.summary, names));
  return `<section><h2 id="${item.name}"><code>${item.name}</code> <small>${labelOf(item)}</small>${anchorLink(item.name, item.name)}</h2>${signature(item)}${summary}${await details(item, names)}${members.join("")}</section>`;
}

/** The README's descriptions of the entries: name -> Markdown. */
export function introductionsOf(readme) {
  const rows = readme.matchAll(/^\| (`blake-simd.*) \| (.*) \|$/gm);
  const named = ([, names, text]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [
      name.replace(/^\//, "blake-simd/"),
      `Contains ${text.replace(/ each$/, "")}.`,
    ]);
  return new Map([...rows].flatMap(named));
}

/** The names that come first on their pages, since most programs use them. */
const FIRST = ["blake3", "Algorithm", "Hasher"];

function groupOf({ kind, typeOnly, name }, first) {
  if (first.includes(name)) return "Begin here";
  if (!typeOnly && kind !== "interface" && kind !== "type") return "Functions, classes and values";
  return name.endsWith("Options") ? "Options" : "Types";
}

const BEGIN =
  '<p>Each algorithm, such as <a href="#blake3"><code>blake3</code></a>, is a function with the members of <a href="#Algorithm"><code>Algorithm</code></a>; its <code>create()</code> returns a <a href="#Hasher"><code>Hasher</code></a>. The <a href="../docs/hashing.html">guide</a> has examples.</p>';

/**
 * An entry's page: a list of its names, then each name with its members; first functions and classes, then types.
 */
export async function referenceOf({ name, exports }, introduction) {
  const names = new Set(exports.map((item) => item.name));
  const first = names.has(FIRST[0]) ? FIRST : [];
  const groups = ["Begin here", "Functions, classes and values", "Options", "Types"].map((title) => ({
    title,
    items: exports.filter((item) => groupOf(item, first) === title),
  }));
  groups[0].items.sort((a, b) => first.indexOf(a.name) - first.indexOf(b.name));
  const shown = groups.filter(({ items }) => items.length > 0);
  const link = ({ name }) => `<li><a href="#${name}"><code>${name}</code></a></li>`;
  const contents = shown.map(
    ({ title, items }) => `<p class="label">${title}</p><ul class="names">${items.map(link).join("")}</ul>`,
  );
  const sections = await Promise.all(shown.flatMap(({ items }) => items.map((item) => section(item, names))));
  const lead = introduction + (first.length > 0 ? BEGIN : "");
  return `<h1><code>${name}</code></h1>${lead}<nav aria-label="On this page">${contents.join("")}</nav>${sections.join("")}`;
}

/**
 * The page of the entries in plain JavaScript, each of which has the declarations of another: `pairs` of both names.
 */
export function twinsOf(name, pairs) {
  const entry = ({ name, twin, path, anchor }) =>
    `<h2 id="${anchor}"><code>${name}</code>${anchorLink(anchor, name)}</h2><p>Exports what <a href="${path}"><code>${twin}</code></a> exports.</p>`;
  return `<h1><code>${name}</code></h1><p>The same names, types and digests without WebAssembly, for <a href="../docs/platforms.html#without-webassembly">engines that have none</a>.</p>${pairs.map(entry).join("")}`;
}
