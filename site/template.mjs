// The frame of every page.
import { posix } from "node:path";
import { anchorOf, escaped } from "./markdown.mjs";

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'";

const MAIN = [
  ["docs/getting-started.html", "Docs"],
  ["api/index.html", "Reference"],
  ["playground.html", "Playground"],
  ["benchmark.html", "Benchmark"],
  ["verified.html", "Verified streaming"],
];

const belongs = (path, target) =>
  path === target || (target.includes("/") && posix.dirname(path) === posix.dirname(target));

function sidebar(navigation, path, to) {
  const item = (page) =>
    `<li><a href="${to(page.path)}"${page.path === path ? ' aria-current="page"' : ""}>${escaped(page.title.replaceAll("`", ""))}</a></li>`;
  const groups = navigation.map(({ title, pages }) => `<h2>${title}</h2><ul>${pages.map(item).join("")}</ul>`);
  return `<details class="sidebar"><summary>Pages</summary><nav aria-label="Pages">${groups.join("")}</nav></details>`;
}

function contents(headings) {
  if (headings.length < 3) return "";
  const items = headings.map((heading) => `<li><a href="#${anchorOf(heading)}">${escaped(heading)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><ul>${items.join("")}</ul></nav>`;
}

/** The first words of a page, for search engines. */
function descriptionOf(content) {
  const [, paragraph = ""] = /<p>(.*?)<\/p>/s.exec(content) ?? [];
  return paragraph
    .replace(/<[^>]*>/g, "")
    .replace(/\s+/g, " ")
    .slice(0, 150);
}

/**
 * @param page path, title, content as HTML, navigation; `front` and `wide` pages have no list of pages at their side
 */
export function layout({ path, title, content, navigation, headings = [], description, script, front, wide }) {
  const base = posix.relative(posix.dirname(path), ".") || ".";
  const to = (target) => posix.relative(posix.dirname(path), target);
  const links = MAIN.map(
    ([target, label]) =>
      `<li><a href="${to(target)}"${belongs(path, target) ? ' aria-current="true"' : ""}>${label}</a></li>`,
  );
  const body = content.replace("</h1>", `</h1>${contents(headings)}`);
  const aside = front || wide ? "" : sidebar(navigation, path, to);
  const name = title.replaceAll("`", "");
  return `<!doctype html>
<html lang="en" data-base="${base}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(description ?? descriptionOf(content))}">
<title>${escaped(front ? "blake-simd: the BLAKE family in WebAssembly" : `${name} - blake-simd`)}</title>
<link rel="icon" href="${to("app/icon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${to("app/style.css")}">
<script type="module" src="${to("app/site.js")}"></script>
${script ? `<script type="module" src="${to(`app/${script}`)}"></script>\n` : ""}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="${to("index.html")}">blake-simd</a><nav aria-label="Main"><ul>${links.join("")}</ul></nav></header>
<div class="frame${front || wide ? " single" : ""}">
${aside}<main id="content"${front ? ' class="front"' : ""}>
${body}</main>
</div>
<footer><a href="${to("CHANGELOG.html")}">Changes</a> <a href="${to("SECURITY.html")}">Security</a> <a href="${to("CONTRIBUTING.html")}">Contributing</a> <a href="${to("LICENSE")}">MIT</a></footer>
</body>
</html>
`;
}
