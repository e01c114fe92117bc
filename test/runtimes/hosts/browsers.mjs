// Browsers from Debian: each opens a page that runs the body.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { openPage } from "./page.mjs";

/** A page of one script. */
export const HTML = `<!doctype html><title>blake-simd</title><script type="module" src="/page.js"></script>`;

export const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
export const STRICT = { "Content-Security-Policy": "script-src 'self' 'wasm-unsafe-eval'" };

async function bundle(project) {
  const options = { bundle: true, format: "esm", target: "es2022", write: false, logLevel: "warning" };
  const { outputFiles } = await build({ entryPoints: [join(project, "page.mjs")], ...options });
  return outputFiles[0].text;
}

function browserHost(name, browser, headers) {
  return {
    name,
    version: () => browser.version(),
    async run({ project, scratch }) {
      const files = { "/index.html": HTML, "/page.js": await bundle(project) };
      const report = await openPage(browser, { files, headers, folder: scratch(name) });
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
