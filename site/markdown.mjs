// Markdown to HTML: headings with anchors, links of the site, pictures, and coloured code.
import { Marked } from "marked";

export const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** What GitHub makes of a heading for links to it. */
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

const KEYWORDS =
  "async|await|break|class|const|continue|declare|default|else|export|extends|for|from|function|if|import|in|interface|let|new|of|readonly|return|static|throw|try|catch|type|typeof|while|yield|true|false|null|undefined";
const TOKENS = new RegExp(
  String.raw`(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\`(?:\\.|[^\`\\])*\`)|(?<keyword>\b(?:${KEYWORDS})\b)|(?<number>\b\d[\d_.]*n?\b)`,
  "g",
);
const COLOURED = /^(js|ts)\b/;

/** Code as HTML, with comments, strings, keywords and numbers marked. */
export function highlighted(code) {
  let html = "";
  let at = 0;
  for (const match of code.matchAll(TOKENS)) {
    const [kind] = Object.entries(match.groups).find(([, text]) => text !== undefined);
    html += `${escaped(code.slice(at, match.index))}<span class="${kind}">${escaped(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escaped(code.slice(at));
}

const LABELS = { "js before": "Before", "js after": "After" };

function rendererFor(link) {
  return {
    heading({ tokens, depth, text }) {
      const anchor = anchorOf(text);
      const inner = this.parser.parseInline(tokens);
      return depth === 1 ? `<h1>${inner}</h1>\n` : `<h${depth} id="${anchor}">${inner}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      return `<a href="${escaped(link(href))}">${this.parser.parseInline(tokens)}</a>`;
    },
    code({ text, lang = "" }) {
      const html = COLOURED.test(lang) ? highlighted(text) : escaped(text);
      const label = LABELS[lang] ? `<p class="label">${LABELS[lang]}</p>` : "";
      return `${label}<pre tabindex="0"><code>${html}</code></pre>\n`;
    },
    table({ header, rows }) {
      const cells = (row, tag) =>
        row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("");
      const hasHead = header.some(({ text }) => text !== "");
      const head = hasHead ? `<thead><tr>${cells(header, "th").replaceAll("<th></th>", "<td></td>")}</tr></thead>` : "";
      const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("");
      return `<div class="table" tabindex="0" role="region" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`;
    },
  };
}

/** A page's HTML. `link` gives the address on the site for one in the source. */
export async function render(text, link = (href) => href) {
  const marked = new Marked({ renderer: rendererFor(link) });
  const shown = text.replace(/<!--.*?-->\n?/gs, "");
  return marked.parse(shown);
}
