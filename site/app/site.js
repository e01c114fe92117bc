// On every page: the service worker, the list of pages, which is open on wide screens, the search, and buttons that copy code.
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

for (const pre of document.querySelectorAll("pre:not(.signature)")) addCopyButton(pre);
