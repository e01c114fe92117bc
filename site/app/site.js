// On every page: the service worker, the list of pages (open on wide screens), the search, the mark at the part that is
// being read, the theme, commands for each package manager, and buttons that copy code.
import { addCopyButton } from "./copy.js";
import { openSearch } from "./search.js";

const { base } = document.documentElement.dataset;
keepVisited().catch(() => {});

/** Has the service worker keep this page and what it has loaded, if the page came before the worker did. */
async function keepVisited() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  await serviceWorker.register(`${base}/service-worker.js`);
  const { active } = await serviceWorker.ready;
  if (document.readyState !== "complete")
    await new Promise((loaded) => addEventListener("load", loaded, { once: true }));
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  active.postMessage([location.href, ...loaded.filter((url) => url.startsWith(location.origin))]);
}

if (matchMedia("(min-width: 60rem)").matches) document.querySelector(".sidebar")?.setAttribute("open", "");

document.getElementById("search").addEventListener("click", openSearch);
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  event.preventDefault();
  openSearch();
});

/** Marks, in the list of the page's contents, the part that is being read. */
function markPart(links) {
  const isAbove = ({ hash }) => document.getElementById(hash.slice(1)).getBoundingClientRect().top < innerHeight / 4;
  const current = links.findLast(isAbove);
  for (const link of links) link.ariaCurrent = link === current ? "location" : null;
}

const contents = [...document.querySelectorAll(".contents a")];
if (contents.length > 0) addEventListener("scroll", () => markPart(contents), { passive: true });

const THEMES = ["light", "dark"];

document.getElementById("theme").addEventListener("click", () => {
  const { dataset } = document.documentElement;
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = dataset.theme ?? THEMES[Number(isDark)];
  dataset.theme = THEMES[1 - THEMES.indexOf(now)];
  try {
    localStorage.setItem("theme", dataset.theme);
  } catch {}
});

const INSTALL = "npm install blake-simd";
const COMMANDS = {
  npm: INSTALL,
  pnpm: "pnpm add blake-simd",
  yarn: "yarn add blake-simd",
  bun: "bun add blake-simd",
  deno: "deno add npm:blake-simd",
};

/** Puts a button for each package manager above a command that installs the package. */
function addManagers(pre) {
  const tabs = Object.assign(document.createElement("div"), { className: "tabs" });
  const buttons = Object.entries(COMMANDS).map(([name, command]) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
    button.setAttribute("aria-pressed", String(command === INSTALL));
    button.addEventListener("click", () => {
      pre.firstElementChild.textContent = command;
      for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
    });
    return button;
  });
  tabs.append(...buttons);
  pre.before(tabs);
}

for (const pre of document.querySelectorAll("pre:not(.signature, .output)")) {
  if (pre.textContent.trim() === INSTALL) addManagers(pre);
  addCopyButton(pre);
}
