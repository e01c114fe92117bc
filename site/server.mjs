// Serves build/site as any static host would: node site/server.mjs [PORT]
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

function find(folder, url) {
  const path = normalize(decodeURIComponent(new URL(url, "http://host").pathname));
  try {
    return [path, readFileSync(join(folder, path.endsWith("/") ? `${path}index.html` : path))];
  } catch {
    return undefined;
  }
}

/**
 * @param folder what is served
 * @returns the server's address, the number of bytes that it has sent for pages, and a function that stops it
 */
export function serveSite(port = 0, folder = join(import.meta.dirname, "../build/site")) {
  const sent = { bytes: 0 };
  const server = createServer((request, response) => {
    const found = find(folder, request.url);
    const [path, body] = found ?? find(folder, "/404.html") ?? ["", "not found\n"];
    const type = TYPES[extname(path)] ?? (path.endsWith("/") ? TYPES[".html"] : "text/plain; charset=utf-8");
    const packed = gzipSync(body);
    // A browser looks for a new service worker at any time.
    if (!request.headers["service-worker"]) sent.bytes += packed.length;
    const headers = { "Content-Type": type, "Content-Encoding": "gzip", "Cache-Control": "max-age=600" };
    response.writeHead(found ? 200 : 404, headers).end(packed);
  });
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () => {
      const stop = () => {
        server.closeAllConnections();
        server.close();
      };
      resolve({ url: `http://localhost:${server.address().port}`, sent, stop });
    });
  });
}

if (process.argv[1] === import.meta.filename) console.log((await serveSite(Number(process.argv[2] ?? 8080))).url);
