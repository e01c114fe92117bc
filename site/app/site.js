// On every page: the service worker, the list of pages, which is open on wide screens, the search, and buttons that copy code.
import { addCopyButton } from "./copy.js";
import { openSearch } from "./search.js";

const { base } = document.documentElement.dataset;
navigator.serviceWorker?.register(`${base}/service-worker.js`).catch(() => {});

if (matchMedia("(min-width: 60rem)").matches) document.querySelector(".sidebar")?.setAttribute("open", "");

document.getElementById("search").addEventListener("click", openSearch);
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  event.preventDefault();
  openSearch();
});

for (const pre of document.querySelectorAll("pre:not(.signature)")) addCopyButton(pre);
