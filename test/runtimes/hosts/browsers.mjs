// Browsers from Debian: each opens a page that runs the body and posts its report back, so that none needs a driver.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";

const PAGE = `
import * as main from "blake-simd";
import * as parallel from "blake-simd/parallel";
import * as streams from "blake-simd/streams";
import { runBody } from "./body.mjs";
import suite from "./suite.json.mjs";
const report = await runBody({ main, streams, parallel }, suite).catch((error) => ({ checks: { body: String(error) } }));
report.isolated = globalThis.crossOriginIsolated;
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
`;

const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
const STRICT = { "Content-Security-Policy": "script-src 'self' 'wasm-unsafe-eval'" };

async function bundle(project, folder) {
  const entry = join(project, "page-entry.mjs");
  writeFileSync(entry, PAGE);
  const outfile = join(folder, "page.js");
  await build({ entryPoints: [entry], outfile, bundle: true, format: "esm", target: "es2022", logLevel: "warning" });
  return readFileSync(outfile);
}

/** Serves the page under some headers; the promise is the posted report. */
function serve(script, headers) {
  const { promise, resolve } = withResolvers();
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      const chunks = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => resolve(JSON.parse(Buffer.concat(chunks))));
      return response.end();
    }
    const isScript = request.url === "/page.js";
    response.writeHead(200, { ...headers, "Content-Type": isScript ? "text/javascript" : "text/html; charset=utf-8" });
    response.end(
      isScript ? script : `<!doctype html><title>blake-simd</title><script type="module" src="/page.js"></script>`,
    );
  });
  server.listen(0, "127.0.0.1");
  return { server, report: promise };
}

function withResolvers() {
  const deferred = {};
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  return deferred;
}

function timeout(name, milliseconds) {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${name} posted no report within ${milliseconds} ms`)), milliseconds).unref();
  });
}

function browserHost(name, browser, headers) {
  return {
    name,
    version: () => browser.version(),
    async run({ project, scratch }) {
      const folder = scratch(name);
      const { server, report } = serve(await bundle(project, folder), headers);
      await new Promise((resolve) => server.once("listening", resolve));
      const [command, ...args] = browser.command(`http://127.0.0.1:${server.address().port}/`, folder);
      const env = { ...process.env, ...browser.env };
      const child = spawn(command, args, { env, stdio: "ignore", detached: true });
      try {
        return await Promise.race([report, timeout(name, 120_000)]);
      } finally {
        process.kill(-child.pid, "SIGKILL");
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

function versionOf(command, args) {
  return execFileSync(command, args, { encoding: "utf8" }).match(/\s(\d+(\.\d+)+)/)[1];
}

const chromium = {
  version: () => versionOf("chromium", ["--version", "--no-sandbox"]),
  command: (url, folder) => [
    "chromium",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    `--user-data-dir=${folder}/profile`,
    url,
  ],
};

const firefox = {
  version: () => versionOf("firefox-esr", ["--version"]),
  command: (url, folder) => ["firefox-esr", "--headless", "--no-remote", "--profile", folder, url],
};

const MINI_BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
const webkit = {
  version: () => versionOf("dpkg-query", ["-W", "libwebkit2gtk-4.1-0"]),
  command: (url) => ["xvfb-run", "-a", MINI_BROWSER, url],
  // WebKit's own sandbox refuses to run as root.
  env: { WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" },
};

export const browsers = [
  browserHost("Chromium, isolated", chromium, ISOLATED),
  browserHost("Chromium", chromium, {}),
  browserHost("Chromium, strict CSP", chromium, STRICT),
  browserHost("Firefox ESR", firefox, ISOLATED),
  browserHost("WebKitGTK", webkit, ISOLATED),
];
