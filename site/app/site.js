// On every page: the service worker, and the list of pages, which is open on wide screens.
const { base } = document.documentElement.dataset;
navigator.serviceWorker?.register(`${base}/service-worker.js`).catch(() => {});

if (matchMedia("(min-width: 60rem)").matches) document.querySelector(".sidebar")?.setAttribute("open", "");
