// The frame of every page.
import { posix } from "node:path";
import { escaped } from "./highlight.mjs";
import { anchorOf } from "./markdown.mjs";

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'";

const MAIN = [
  ["docs/getting-started.html", "Docs"],
  ["api/index.html", "Reference"],
  ["playground.html", "Playground"],
  ["benchmark.html", "Benchmark"],
];

const belongs = (path, target) =>
  path === target || (target.includes("/") && posix.dirname(path) === posix.dirname(target));

const plain = (title) => title.replaceAll("`", "");

function sidebar(navigation, path, to) {
  const list = (pages) => `<ul>${pages.map(item).join("")}</ul>`;
  const item = (page) =>
    `<li><a href="${to(page.path)}"${page.path === path ? ' aria-current="page"' : ""}>${escaped(plain(page.title))}</a>${page.pages ? list(page.pages) : ""}</li>`;
  const groups = navigation.map(({ title, pages }) => `<h2>${title}</h2>${list(pages)}`);
  return `<details class="sidebar"><summary>Pages</summary><nav aria-label="Pages">${groups.join("")}</nav></details>`;
}

function contents(headings) {
  if (headings.length < 3) return "";
  const items = headings.map((heading) => `<li><a href="#${anchorOf(heading)}">${escaped(heading)}</a></li>`);
  const list = `<p class="here">On this page</p><ul>${items.join("")}</ul>`;
  return `<div class="contents" data-pagefind-ignore><nav aria-label="On this page">${list}</nav></div>`;
}

/** Links to the pages before and after one, in the order of the list at its side. */
function neighbours(navigation, path, to) {
  const pages = navigation.flatMap((group) => group.pages);
  const at = pages.findIndex((page) => page.path === path);
  if (at < 0) return "";
  const link = (page, label, rel) =>
    page ? `<a href="${to(page.path)}" rel="${rel}"><small>${label}</small> ${escaped(plain(page.title))}</a>` : "";
  return `<nav class="neighbours" aria-label="Previous and next">${link(pages[at - 1], "Previous", "prev")}${link(pages[at + 1], "Next", "next")}</nav>`;
}

const SIGNS = { quot: '"', amp: "&", lt: "<", gt: ">" };
const unescaped = (html) =>
  html.replace(/&(?:#(\d+)|(\w+));/g, (_, code, name) => (code ? String.fromCharCode(code) : SIGNS[name]));

/** The first words of a page, for search engines. */
function descriptionOf(content, title) {
  const [, paragraph] = /<p>(.*?)<\/p>/s.exec(content) ?? [];
  const text = paragraph?.replace(/<[^>]*>/g, "").replace(/\s+/g, " ");
  return text
    ? unescaped(text).replace(/^(.{0,150})(\s.*)?$/, "$1")
    : `${title} of blake-simd, the hashes of the BLAKE family`;
}

/** The preview that other sites show for a link to the page. Its picture and address must be absolute. */
function openGraph({ path, title, description, address }) {
  const found = { type: "website", site_name: "blake-simd", title, description };
  if (address) Object.assign(found, { url: new URL(path, address), image: new URL("app/card.png", address) });
  const tags = Object.entries(found).map(
    ([name, value]) => `<meta property="og:${name}" content="${escaped(String(value))}">`,
  );
  return [...tags, `<meta name="twitter:card" content="${address ? "summary_large_image" : "summary"}">`].join("\n");
}

/**
 * @param page path, title, content as HTML, navigation; `wide` pages have no list of pages at their side; `front` is
 *   the first.
 * `address` is where the site will be, and `root` the beginning of all links of a page that is shown at any address.
 */
export function layout(page) {
  const { path, content, navigation, headings = [], scripts = [], front, wide, root, repository } = page;
  const base = root ?? (posix.relative(posix.dirname(path), ".") || ".");
  const to = (target) => (root === undefined ? posix.relative(posix.dirname(path), target) : `${root}/${target}`);
  const links = MAIN.map(
    ([target, label]) =>
      `<li><a href="${to(target)}"${belongs(path, target) ? ' aria-current="true"' : ""}>${label}</a></li>`,
  );
  // After the first paragraph, which says what the page is about.
  const body = content.replace(/<\/h1>(\s*<p>.*?<\/p>)?/s, (head) => head + contents(headings));
  const project = repository
    ? `<a href="${repository}">Source</a> <a href="${repository}/issues">Issues</a> <a href="https://www.npmjs.com/package/blake-simd">npm</a>`
    : "";
  const edit =
    repository && page.source
      ? `<p class="faint"><a href="${repository}/edit/HEAD/${page.source}">Edit this page</a></p>`
      : "";
  const title = front ? page.title : `${plain(page.title)} - blake-simd`;
  const description = page.description ?? descriptionOf(content, page.title);
  return `<!doctype html>
<html lang="en" data-base="${base}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(description)}">
<title>${escaped(title)}</title>
${openGraph({ ...page, title, description })}
<link rel="icon" href="${to("app/icon.svg")}" type="image/svg+xml">
<script src="${to("app/theme.js")}"></script>
<link rel="stylesheet" href="${to("app/style.css")}">
${["site.js", ...scripts].map((name) => `<script type="module" src="${to(`app/${name}`)}"></script>\n`).join("")}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="${to("index.html")}">blake-simd</a><button type="button" id="search">Search <kbd>/</kbd></button><button type="button" id="theme">Theme</button><nav aria-label="Main"><ul>${links.join("")}</ul></nav></header>
<div class="frame${wide ? " single" : ""}">
${wide ? "" : sidebar(navigation, path, to)}<main id="content"${front ? ' class="front"' : ""}${root === undefined ? " data-pagefind-body" : ""}>
${body}${edit}${wide ? "" : neighbours(navigation, path, to)}</main>
</div>
<footer><a href="${to("CHANGELOG.html")}">Changes</a> <a href="${to("SECURITY.html")}">Security</a> <a href="${to("CONTRIBUTING.html")}">Contributing</a> <a href="${to("LICENSE")}">MIT</a> ${project}</footer>
</body>
</html>
`;
}
