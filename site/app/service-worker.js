// Keeps every file of the site, so that it works offline once it was loaded. site/build.mjs fills in the names.
const CACHE = `blake-simd-${"VERSION"}`;
const FILES = ["FILES"];

self.addEventListener("install", (event) => {
  const keep = async () =>
    (await caches.open(CACHE)).addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })));
  event.waitUntil(keep().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const drop = async () => {
    const names = await caches.keys();
    await Promise.all(
      names.filter((name) => name.startsWith("blake-simd-") && name !== CACHE).map((name) => caches.delete(name)),
    );
    await self.clients.claim();
  };
  event.waitUntil(drop());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const find = async () => (await caches.match(request, { ignoreSearch: true })) ?? fetch(request);
  event.respondWith(find());
});
