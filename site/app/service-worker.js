// Keeps visited pages for use without a network. A page reports what it had loaded before this worker started.
const CACHE = "blake-simd";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("message", (event) => event.waitUntil(keepAll(event.data)));

async function keepAll(urls) {
  const cache = await caches.open(CACHE);
  await Promise.all(urls.map((url) => cache.add(url).catch(() => {})));
}

async function load(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith(load(request));
});
