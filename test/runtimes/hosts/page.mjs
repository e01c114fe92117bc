// A page served to a browser, which posts its report back, so that no browser needs a driver.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { extname } from "node:path";
import { json } from "node:stream/consumers";

const TYPES = {
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
};

/** Serves files by their path; emits "report" with the JSON that a page posts. */
function serve(files, headers) {
  const server = createServer(async (request, response) => {
    const path = request.url === "/" ? "/index.html" : request.url;
    if (request.method === "POST") {
      const report = await json(request);
      response.end();
      server.emit("report", report);
    } else if (path in files) {
      response.writeHead(200, { ...headers, "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" });
      response.end(files[path]);
    } else {
      response.writeHead(404).end();
    }
  });
  return server.listen(0, "127.0.0.1");
}

/**
 * Opens "/index.html" of the files in a browser and returns the JSON that the page posts.
 *
 * @param browser its command line for a URL and a folder for its profile, and its environment
 * @param files what is served: contents by path
 * @param milliseconds how long the page may take
 */
export async function openPage(browser, { files, headers = {}, folder, milliseconds = 600_000 }) {
  const server = serve(files, headers);
  await once(server, "listening");
  const [command, ...args] = browser.command(`http://127.0.0.1:${server.address().port}/`, folder);
  const child = spawn(command, args, { env: { ...process.env, ...browser.env }, stdio: "ignore", detached: true });
  const signal = AbortSignal.timeout(milliseconds);
  try {
    const failed = once(child, "error").then(([error]) => Promise.reject(error));
    const [report] = await Promise.race([once(server, "report", { signal }), failed]);
    return report;
  } catch (error) {
    throw signal.aborted ? new Error(`the page posted no report within ${milliseconds} ms`) : error;
  } finally {
    if (child.pid) process.kill(-child.pid, "SIGKILL");
    server.closeAllConnections();
    server.close();
  }
}
