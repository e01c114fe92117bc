// A page served to a browser, which posts its report back, so that no browser needs a driver.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { extname } from "node:path";

const TYPES = {
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
};

/** The JSON that a page has posted. */
export async function posted(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks));
}

/** Serves files by their path; `resolve` is called with what the page posts. */
function serve(files, headers, resolve) {
  return createServer((request, response) => {
    const path = request.url === "/" ? "/index.html" : request.url;
    if (request.method === "POST") {
      posted(request).then(resolve);
      response.end();
    } else if (path in files) {
      response.writeHead(200, { ...headers, "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" });
      response.end(files[path]);
    } else {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
}

function timeout(milliseconds) {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`the page posted no report within ${milliseconds} ms`)), milliseconds).unref();
  });
}

/** Opens a URL in a browser until a promise settles, and returns its result. */
export async function visit(browser, url, folder, reported, milliseconds = 600_000) {
  const [command, ...args] = browser.command(url, folder);
  const child = spawn(command, args, { env: { ...process.env, ...browser.env }, stdio: "ignore", detached: true });
  const failed = once(child, "error").then(([error]) => Promise.reject(error));
  try {
    return await Promise.race([reported, failed, timeout(milliseconds)]);
  } finally {
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  }
}

/**
 * Opens "/index.html" of the files in a browser and returns the JSON that the page posts.
 *
 * @param browser its command line for a URL and a folder for its profile, and its environment
 * @param files what is served: contents by path
 * @param milliseconds how long the page may take
 */
export async function openPage(browser, { files, headers = {}, folder, milliseconds }) {
  let report;
  const reported = new Promise((resolve) => {
    report = resolve;
  });
  const server = serve(files, headers, report);
  await once(server, "listening");
  try {
    return await visit(browser, `http://127.0.0.1:${server.address().port}/`, folder, reported, milliseconds);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
