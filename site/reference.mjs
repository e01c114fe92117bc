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

async function section(item, names) {
  const members = await Promise.all(item.members.map((each) => member(item, each, names)));
  const summary = await render(linked(item.summary, names));
  return `<section><h2 id="${item.name}"><code>${item.name}</code> <small>${item.typeOnly ? "type" : item.kind}</small>${anchorLink(item.name, item.name)}</h2>${signature(item)}${summary}${await details(item, names)}${members.join("")}</section>`;
}

const isType = ({ kind, typeOnly }) => typeOnly || kind === "interface" || kind === "type";
const GROUPS = {
  "Functions, classes and values": (item) => !isType(item),
  Options: (item) => isType(item) && item.name.endsWith("Options"),
  Types: (item) => isType(item) && !item.name.endsWith("Options"),
};

/** An entry's page: first a list of its names, then each with its members; what is called before what is passed to it. */
export async function referenceOf({ name, exports }) {
  const names = new Set(exports.map((item) => item.name));
  const groups = Object.entries(GROUPS).map(([title, belongs]) => ({ title, items: exports.filter(belongs) }));
  const shown = groups.filter(({ items }) => items.length > 0);
  const link = ({ name }) => `<li><a href="#${name}"><code>${name}</code></a></li>`;
  const contents = shown.map(
    ({ title, items }) => `<p class="label">${title}</p><ul class="names">${items.map(link).join("")}</ul>`,
  );
  const sections = await Promise.all(shown.flatMap(({ items }) => items.map((item) => section(item, names))));
  return `<h1><code>${name}</code></h1><nav aria-label="On this page">${contents.join("")}</nav>${sections.join("")}`;
}

/** The page of the entries in plain JavaScript, each of which has the declarations of another: `pairs` of both names. */
export function twinsOf(name, pairs) {
  const entry = ({ name, twin, path, anchor }) =>
    `<h2 id="${anchor}"><code>${name}</code>${anchorLink(anchor, name)}</h2><p>Exports what <a href="${path}"><code>${twin}</code></a> exports.</p>`;
  return `<h1><code>${name}</code></h1><p>The same names, types and digests without WebAssembly, for <a href="../docs/platforms.html#without-webassembly">engines that have none</a>.</p>${pairs.map(entry).join("")}`;
}
