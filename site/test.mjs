// Clicks through the site in Chromium, Firefox and WebKitGTK, as a visitor would.
//
//   node site/test.mjs [NAME...]    needs npm run site, and the browsers from Debian
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { blake3 } from "@noble/hashes/blake3.js";
import { openChromium, openFirefox, openWebKit } from "./browsers.mjs";
import { serveSite } from "./server.mjs";

const site = join(import.meta.dirname, "../build/site");
const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".html") && !name.startsWith("examples"),
);
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const scratch = mkdtempSync(join(tmpdir(), "blake-simd-site-"));
const file = join(scratch, "message.bin");
const message = Buffer.alloc(3_000_001, createHash("sha512").update("any bytes").digest());
writeFileSync(file, message);

/** Every address in every page leads to a file, and to an anchor that is there. */
function checkLinks() {
  let links = 0;
  for (const page of pages) {
    const html = readFileSync(join(site, page), "utf8");
    assert.ok(!/<[^>]* (style|on\w+)="|<script>|<style/.test(html), `${page} has inline code or style`);
    for (const [, target] of html.matchAll(/(?:href|src|srcset)="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path, anchor] = target.split("#");
      const name = path === "" ? page : normalize(join(dirname(page), path));
      assert.ok(existsSync(join(site, name)), `${page}: ${target}`);
      const lands = !anchor || readFileSync(join(site, name), "utf8").includes(`id="${anchor}"`);
      assert.ok(lands, `${page}: ${target}`);
      links++;
    }
  }
  assert.ok(links > 1000, `${links} links`);
}

const DIGEST = 'document.querySelector(".digest")?.textContent';

async function playground(page, url) {
  await page.goto(`${url}/playground.html`);
  await page.until(`${DIGEST} === ${JSON.stringify(hex(blake3(Buffer.from("hello"))))}`, "the digest of hello");
  await page.type("#text", "abc");
  await page.until(`${DIGEST} === ${JSON.stringify(hex(blake3(Buffer.from("abc"))))}`, "the digest of abc");
  await page.choose("#algorithm", "blake2b");
  const expected = createHash("blake2b512").update("abc").digest();
  await page.until(`${DIGEST} === "${expected.toString("hex")}"`, "BLAKE2b of abc");
  await page.choose("#encoding", "base64");
  await page.until(`${DIGEST} === "${expected.toString("base64")}"`, "base64");
  await page.type("#expected", expected.toString("hex"));
  await page.until('document.querySelector(".verdict.good") !== null', "a verdict");
  await page.type("#expected", "00");
  await page.until('document.querySelector(".verdict.bad") !== null', "a bad verdict");
  // Options, by the keyboard; a wrong one is named.
  await page.choose("#encoding", "hex");
  await page.click("#more summary");
  await page.type("#option-length", "16");
  await page.until(`${DIGEST}?.length === 32`, "16 bytes");
  await page.type("#option-length", "65");
  await page.until('document.querySelector("#error").textContent.includes("from 1 to 64")', "an error");
  const isInView = "document.querySelector('#error').getBoundingClientRect().bottom <= innerHeight";
  assert.ok(await page.evaluate(isInView), "the error is below the screen while its field is on it");
  assert.equal((await page.text(".digest")) ?? undefined, undefined);
  await page.choose("#algorithm", "blake3");
  await page.upload("#files", file);
  await page.until(`${DIGEST} === "${hex(blake3(message))}"`, "a file's digest");
  await page.until('/MB.s/.test(document.querySelector("#rate").textContent)', "a rate");
  assert.equal(await page.evaluate('document.querySelector("#progress").value'), 1);
  assert.equal(await page.text(".results li div"), "message.bin");
}

async function benchmark(page, url) {
  await page.goto(`${url}/benchmark.html`);
  await page.choose("#size", "1024");
  await page.choose("#rounds", "5");
  await page.click("#start");
  const result = await page.until('document.querySelector("#result").value', "a result", 120);
  for (const name of ["blake-simd", "hash-wasm", "@noble/hashes", "blake3-jit"])
    assert.match(result, new RegExp(`^${name} +[\\d.]+ MB/s$`, "m"));
  assert.match(await page.text("#status"), /every digest was right/);
  assert.equal(await page.evaluate('document.querySelectorAll("#bars .bar").length'), 4);
}

async function verified(page, url) {
  await page.goto(`${url}/verified.html`);
  await page.until('document.querySelectorAll("#groups button").length === 64', "the groups");
  await page.type("#from", "3");
  await page.type("#to", "9");
  await page.click("#groups button:nth-child(7)");
  await page.click("#start");
  await page.until('document.querySelector("#status").textContent.startsWith("Group 6 was refused")', "a refusal");
  assert.equal(await page.evaluate('document.querySelectorAll("#groups .right").length'), 3);
  assert.match(await page.text("#needs"), /114688 of 1048576 bytes/);
  await page.click("#mend");
  await page.click("#start");
  await page.until('document.querySelector("#status").textContent.startsWith("All 114688 bytes")', "all verified");
  assert.equal(await page.evaluate('document.querySelectorAll("#groups .right").length'), 7);
}

/** From the front page to a page of the docs and on, by links alone. */
async function reading(page, url) {
  await page.goto(`${url}/`);
  await page.click('header a[href="docs/getting-started.html"]');
  await page.until('document.querySelector("h1")?.textContent === "Getting started"', "the page Getting started");
  await page.evaluate('document.querySelector(".sidebar").open = true');
  await page.click('.sidebar a[href="keys.html"]');
  await page.until('document.querySelector("h1")?.textContent.startsWith("Keys")', "the page Keys");
  await page.click('header a[href$="api/index.html"]');
  await page.until('document.querySelector("#blake3") !== null', "the reference");
}

/** The service worker keeps everything: with the server gone, a page that was never open is there. */
async function offline(page, { url, stop }) {
  await page.goto(`${url}/`);
  await page.until("navigator.serviceWorker.controller !== null", "a service worker in control");
  stop();
  await page.goto(`${url}/docs/threads.html`);
  await page.until('document.querySelector("h1")?.textContent === "Large messages on all cores"', "a page offline");
  await page.goto(`${url}/playground.html`);
  await page.until(`${DIGEST} === ${JSON.stringify(hex(blake3(Buffer.from("hello"))))}`, "a digest offline");
}

/** Drops a folder with a folder in it, and a file beside it, on the playground: each digest is there under its path. */
async function droppedFolder(page, url) {
  const folder = join(scratch, "dropped");
  // More than a reader of a folder gives at a time.
  const small = Array.from({ length: 120 }, (_, i) => `many/${i}.txt`);
  const contents = { "a.bin": message, "inner/empty": Buffer.alloc(0), "inner/ü b.txt": Buffer.from("abc") };
  for (const name of small) contents[name] = Buffer.from(name);
  for (const [name, bytes] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  await page.goto(`${url}/playground.html`);
  await page.drop("#drop", [folder, file]);
  const expected = Object.entries({ "message.bin": message, ...within("dropped", contents) })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bytes]) => `${name} ${hex(blake3(bytes))}`);
  const shown =
    '[...document.querySelectorAll(".results li")].map((item) => [...item.children].map((part) => part.textContent).join(" "))';
  await page.until(
    `${shown}.length === ${expected.length} && !document.querySelector("#results li:not(:has(.digest))")`,
    "the folder's digests",
  );
  assert.deepEqual(await page.evaluate(shown), expected);
}

const within = (folder, files) =>
  Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`${folder}/${name}`, bytes]));

/** What one browser is enough for: no page is wider than the screen, and the front page is small. */
async function onlyChromium(page, { url, sent }) {
  for (const name of pages) {
    await page.goto(`${url}/${name}`);
    for (const width of [320, 768, 1280]) {
      await page.page.setViewport({ width, height: 800 });
      const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.ok(wider <= 0, `${name} is ${wider} pixels wider than ${width}`);
    }
  }
  const fresh = await page.browser.createBrowserContext();
  const first = await fresh.newPage();
  await first.setBypassServiceWorker(true);
  await first.evaluateOnNewDocument("delete Navigator.prototype.serviceWorker");
  const before = sent.bytes;
  await first.goto(`${url}/`, { waitUntil: "networkidle0" });
  const bytes = sent.bytes - before;
  await fresh.close();
  console.log(`        the front page takes ${(bytes / 1000).toFixed(1)} kB`);
  assert.ok(bytes < 100_000, `${bytes} bytes for the front page`);
}

/** The page of docs/browser.md that works without a bundler, as a reader would set it up. */
async function withoutBundler(page) {
  const text = readFileSync(join(import.meta.dirname, "../docs/browser.md"), "utf8");
  const folder = join(scratch, "page");
  cpSync(join(import.meta.dirname, "../dist"), join(folder, "blake-simd"), { recursive: true });
  writeFileSync(join(folder, "index.html"), /^```html page\n(.*?)^```/ms.exec(text)[1]);
  const server = await serveSite(0, folder);
  const shows = (digest) => `document.querySelector("#digest")?.value === "${hex(digest)}"`;
  try {
    await page.goto(`${server.url}/`);
    await page.until(shows(blake3(Buffer.from("hello"))), "the digest of hello without a bundler");
    await page.upload("#file", file);
    await page.until(shows(blake3(message)), "the digest of a file without a bundler");
  } finally {
    server.stop();
  }
}

const BROWSERS = { Chromium: openChromium, Firefox: openFirefox, WebKitGTK: openWebKit };
const wanted = process.argv.slice(2);

checkLinks();
console.log(`ok      links of ${pages.length} pages`);
for (const [name, open] of Object.entries(BROWSERS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const server = await serveSite();
  let page;
  try {
    page = await open();
    await reading(page, server.url);
    await playground(page, server.url);
    await benchmark(page, server.url);
    await verified(page, server.url);
    await withoutBundler(page);
    if (name === "Chromium") await droppedFolder(page, server.url);
    if (name === "Chromium") await onlyChromium(page, server);
    await offline(page, server);
    assert.deepEqual(page.errors, []);
    console.log(`ok      ${name}`);
  } catch (error) {
    console.log(`FAILED  ${name}\n`, error);
    process.exitCode = 1;
  } finally {
    await page?.close();
    server.stop();
  }
}
rmSync(scratch, { recursive: true, force: true });
