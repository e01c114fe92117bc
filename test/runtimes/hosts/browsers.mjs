// Browsers from Debian: each opens a page that runs the body.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { openPage } from "./page.mjs";

const PAGE = `
import * as main from "blake-simd";
import * as bao from "blake-simd/bao";
import * as hazmat from "blake-simd/hazmat";
import * as parallel from "blake-simd/parallel";
import * as states from "blake-simd/states";
import * as streams from "blake-simd/streams";
import { runBody } from "./body.mjs";
import * as overflow from "./overflow.mjs";
import suite from "./suite.json.mjs";
const report = await runBody({ main, hazmat, overflow, streams, parallel, states, bao }, suite).catch((error) => ({ checks: { body: String(error) } }));
report.isolated = globalThis.crossOriginIsolated;
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
`;

const HTML = `<!doctype html><title>blake-simd</title><script type="module" src="/page.js"></script>`;

export const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
export const STRICT = { "Content-Security-Policy": "script-src 'self' 'wasm-unsafe-eval'" };

async function bundle(project, folder) {
  const entry = join(project, "page-entry.mjs");
  writeFileSync(entry, PAGE);
  const outfile = join(folder, "page.js");
  await build({ entryPoints: [entry], outfile, bundle: true, format: "esm", target: "es2022", logLevel: "warning" });
  return readFileSync(outfile);
}

function browserHost(name, browser, headers) {
  return {
    name,
    version: () => browser.version(),
    async run({ project, scratch }) {
      const folder = scratch(name);
      const files = { "/index.html": HTML, "/page.js": await bundle(project, folder) };
      const report = await openPage(browser, { files, headers, folder });
      if (report.isolated !== (headers === ISOLATED)) throw new Error(`crossOriginIsolated is ${report.isolated}`);
      return report;
    },
  };
}

function versionOf(command, args) {
  return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).match(
    /\s(\d+(\.\d+)+)/,
  )[1];
}

export const chromium = {
  version: () => versionOf("chromium", ["--version", "--no-sandbox"]),
  command: (url, folder) => [
    "chromium",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--js-flags=--expose-gc",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    `--user-data-dir=${folder}/profile`,
    url,
  ],
};

export const firefox = {
  version: () => versionOf("firefox-esr", ["--version"]),
  command: (url, folder) => ["firefox-esr", "--headless", "--no-remote", "--profile", folder, url],
};

const MINI_BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
export const webkit = {
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
