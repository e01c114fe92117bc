// Markdown to HTML: headings with anchors, links of the site, pictures, and coloured code.
import { Marked } from "marked";
import { escaped, highlighted } from "./highlight.mjs";

/** The anchor that GitHub gives a heading. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

/** The headings of the second level, for a page's own list of contents. */
export function headingsOf(text) {
  const prose = text.replace(/^```.*?^```/gms, "");
  return [...prose.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading.replaceAll("`", ""));
}

/** A heading's link to itself. */
export const anchorLink = (anchor, heading) =>
  `<a class="anchor" href="#${escaped(anchor)}" aria-label="Link to ${escaped(heading.replaceAll("`", ""))}" data-pagefind-ignore>#</a>`;

const COLOURED = /^(js|ts)\b/;
const LABELS = { "js before": "Before", "js after": "After" };

function rendererFor(link) {
  return {
    heading({ tokens, depth, text }) {
      const anchor = anchorOf(text);
      const inner = this.parser.parseInline(tokens);
      if (depth === 1) return `<h1>${inner}</h1>\n`;
      return `<h${depth} id="${anchor}">${inner}${anchorLink(anchor, text)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      return `<a href="${escaped(link(href))}">${this.parser.parseInline(tokens)}</a>`;
    },
    code({ text, lang = "", file }) {
      const html = COLOURED.test(lang) ? highlighted(text) : escaped(text);
      const label = LABELS[lang] ? `<p class="label">${LABELS[lang]}</p>` : "";
      const name = file ? `<p class="file" data-pagefind-ignore><code>${escaped(file)}</code></p>` : "";
      const isCommand = lang === "sh" && !text.includes("\n");
      const kind = lang === "text" ? ' class="output"' : isCommand ? ' class="shell"' : "";
      return `${label}${name}<pre tabindex="0"${kind}><code>${html}</code></pre>\n`;
    },
    table({ header, rows }) {
      const own = header.findIndex(({ text }) => text === "blake-simd");
      const cells = (row, tag) =>
        row
          .map(({ tokens }, column) => {
            const mark = column === own ? ' class="own"' : "";
            return `<${tag}${mark}>${this.parser.parseInline(tokens)}</${tag}>`;
          })
          .join("");
      const hasHead = header.some(({ text }) => text !== "");
      const head = hasHead ? `<thead><tr>${cells(header, "th").replaceAll("<th></th>", "<td></td>")}</tr></thead>` : "";
      const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("");
      return `<div class="table" tabindex="0" role="region" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`;
    },
  };
}

/** Adds to a block of code the file name that the paragraph before it has. */
function nameFiles(tokens) {
  let name;
  for (const token of tokens) {
    if (token.type === "code" && / file$/.test(token.lang ?? "")) token.file = name;
    if (token.type !== "space") [, name] = /^Save this as `([^`]+)`:$/.exec(token.raw.trim()) ?? [];
  }
}

/** A page's HTML. `link` gives the address on the site for one in the source. */
export async function render(text, link = (href) => href) {
  const marked = new Marked({ renderer: rendererFor(link) });
  const tokens = marked.lexer(text.replace(/<!--.*?-->\n?/gs, ""));
  nameFiles(tokens);
  return marked.parser(tokens);
}
