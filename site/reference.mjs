// The pages of the reference, from the docstrings.
import { escaped, highlighted, render } from "./markdown.mjs";

/** A docstring's links are to names of the same page, or of none. */
const linked = (text, names) =>
  text.replace(/\{@link ([\w.]+)\}/g, (_, name) => (names.has(name) ? `[\`${name}\`](#${name})` : `\`${name}\``));

const block = (code) => `<pre tabindex="0"><code>${highlighted(code)}</code></pre>`;

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
  const summary = await render(linked(item.summary, names));
  return `<h3 id="${owner.name}.${escaped(item.name)}"><code>${escaped(title)}</code></h3>${block(item.signatures.join("\n"))}${summary}${await details(item, names)}`;
}

async function section(item, names) {
  const members = await Promise.all(item.members.map((each) => member(item, each, names)));
  const summary = await render(linked(item.summary, names));
  const own = block(item.signatures.join("\n"));
  return `<section><h2 id="${item.name}"><code>${item.name}</code> <small>${item.typeOnly ? "type" : item.kind}</small></h2>${own}${summary}${await details(item, names)}${members.join("")}</section>`;
}

/** An entry's page: first a list of its names, then each with its members. */
export async function referenceOf({ name, exports }) {
  const names = new Set(exports.map((item) => item.name));
  const contents = exports.map((item) => `<li><a href="#${item.name}"><code>${item.name}</code></a></li>`).join("");
  const sections = await Promise.all(exports.map((item) => section(item, names)));
  return `<h1><code>${name}</code></h1><ul class="names">${contents}</ul>${sections.join("")}`;
}
