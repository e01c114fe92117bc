// node open.mjs FOLDER POLICY: prints what the page in a folder posts from a browser, under a Content-Security-Policy.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { chromium } from "../runtimes/hosts/browsers.mjs";
import { openPage } from "../runtimes/hosts/page.mjs";

const [folder, policy] = process.argv.slice(2);

function filesOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [`/${relative(folder, path)}`, readFileSync(path)]));
}

const profile = mkdtempSync(join(tmpdir(), "blake-simd-profile-"));
try {
  const headers = { "Content-Security-Policy": policy };
  console.log(JSON.stringify(await openPage(chromium, { files: filesOf(folder), headers, folder: profile })));
} finally {
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
