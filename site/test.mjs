// Clicks through the site in Chromium, Firefox and WebKitGTK, as a visitor would.
//
//   node site/test.mjs [NAME...]    needs npm run site, and the browsers from Debian
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { blake2b } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { openChromium, openFirefox, openWebKit } from "./browsers.mjs";
import { serveSite } from "./server.mjs";
import { layout } from "./template.mjs";

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
    assert.ok(/<meta property="og:description" content=".{20}/.test(html), `${page} has no description`);
    for (const [, target] of html.matchAll(/(?:href|src|srcset)="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path, anchor] = target.split("#");
      const name = path === "" ? page : normalize(join(dirname(page), path));
      assert.ok(existsSync(join(site, name)), `${page}: ${target}`);
      const isThere = !anchor || readFileSync(join(site, name), "utf8").includes(`id="${anchor}"`);
      assert.ok(isThere, `${page}: ${target}`);
      links++;
    }
  }
  assert.ok(links > 1000, `${links} links`);
}

/**
 * The picture of a link's preview must be absolute, so only a site that knows its address has one. The same holds for
 * links to the repository.
 */
function checkAddresses() {
  const page = { path: "docs/a.html", title: "A", content: "<p>Of A</p>", navigation: [] };
  const image = '<meta property="og:image" content="https://any.example/site/app/card.png">';
  assert.ok(layout({ ...page, address: "https://any.example/site/" }).includes(image));
  assert.ok(!layout(page).includes("og:image"));
  const repository = "https://any.example/owner/name";
  const found = layout({ ...page, source: "docs/a.md", repository });
  for (const path of ["", "/issues", "/edit/HEAD/docs/a.md"]) assert.ok(found.includes(`href="${repository}${path}"`));
  assert.ok(!layout({ ...page, source: "docs/a.md" }).includes("Edit this page"));
}

const DIGEST = 'document.querySelector(".digest")?.textContent';
const HELLO = hex(blake3(Buffer.from("hello")));
const root = join(import.meta.dirname, "..");
const count = (selector, number) => `document.querySelectorAll("${selector}").length === ${number}`;

async function landing(page, url) {
  await page.goto(`${url}/`);
  await page.type("#message", 'a "b"');
  const digest = hex(blake3(Buffer.from('a "b"')));
  await page.until(`document.querySelector("#digest").textContent === "${digest}"`, "a live digest");
  assert.equal(await page.text("#typed"), JSON.stringify('a "b"'));
  await page.click("#install + .copy");
  await page.until('/Copied|Selected/.test(document.querySelector("#install + .copy").textContent)', "a copy");
  await page.click("#start");
  await page.until('document.querySelector("#status").textContent.startsWith("Piece 21 was refused")', "a refusal");
  assert.equal(await page.evaluate('document.querySelectorAll("#pieces .right").length'), 13);
  await page.click("#race");
  const compared =
    /^blake-simd is (?:[^,]*(?:as fast as|faster than|slower than) [\w@/-]+(?:, |\.)){4} Every digest was correct\.$/;
  await page.until(`${compared}.test(document.querySelector("#race-status").textContent)`, "a comparison");
  assert.equal(await page.evaluate('document.querySelectorAll("#race-bars .bar").length'), 5);
}

async function playground(page, url) {
  await page.goto(`${url}/playground.html`);
  await page.until(`${DIGEST} === "${HELLO}"`, "the digest of hello");
  await page.type("#text", "abc");
  await page.until(`${DIGEST} === "${hex(blake3(Buffer.from("abc")))}"`, "the digest of abc");
  assert.equal(await page.text("#hashed"), "BLAKE3 of the text, 3 bytes");
  assert.ok(await page.evaluate('document.querySelector("#work").hidden'), "a bar for three letters");
  await page.choose("#algorithm", "blake2b");
  const expected = createHash("blake2b512").update("abc").digest();
  await page.until(`${DIGEST} === "${expected.toString("hex")}"`, "BLAKE2b of abc");
  await page.choose("#encoding", "base64");
  await page.until(`${DIGEST} === "${expected.toString("base64")}"`, "base64");
  await comparing(page, expected);
  await options(page, url, expected);
  await page.choose("#algorithm", "blake3");
  // While a file is hashed, no digest of the text is shown.
  await page.evaluate(`{
    globalThis.seen = new Set();
    const look = () => globalThis.seen.add(document.querySelector("#results").textContent);
    new MutationObserver(look).observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true });
  }`);
  await page.upload("#files", file);
  await page.until(`${DIGEST} === "${hex(blake3(message))}"`, "a file's digest");
  await page.until('/MB.s/.test(document.querySelector("#rate").textContent)', "a rate");
  assert.equal(await page.text("#hashed"), "BLAKE3 of message.bin, 3,000,001 bytes");
  const seen = await page.evaluate("[...globalThis.seen]");
  assert.ok(!seen.some((text) => text.includes(hex(blake3(Buffer.from("abc"))))), "a digest of the text beside a file");
  await page.click("#use-text");
  await page.until(`${DIGEST} === "${hex(blake3(Buffer.from("abc")))}"`, "the text again");
}

/** The field of the expected digest, and the verdicts on what it contains: the page shows BLAKE2b of abc. */
async function comparing(page, digest) {
  const verdict = (type) => `document.querySelector(".verdict.${type}")?.textContent`;
  const good = [
    digest.toString("hex").toUpperCase(),
    digest.toString("base64url"),
    `${digest.toString("hex")}  a name.txt`,
    `BLAKE2b (a name.txt) = ${digest.toString("hex")}`,
    `BLAKE2B-512(a name.txt)= ${digest.toString("hex")}`,
    `${"00".repeat(64)} *b\n\\${digest.toString("hex")}  new\\nline`,
  ];
  await page.type("#expected", good[0]);
  for (const text of good) {
    await page.until(`${verdict("good")} !== undefined`, "a verdict of what was typed or given");
    await page.choose("#expected", "");
    await page.until(`${verdict("good")} === undefined`, "no verdict");
    await page.choose("#expected", text);
    await page.until(`${verdict("good")} === "Matches the expected digest."`, `a verdict of ${text}`);
  }
  const bad = {
    [`${"00".repeat(64)}  a`]: "Does not match the expected digest.",
    "00ff": "The expected digest has 2 bytes, this one 64.",
    [`BLAKE3 (a) = ${HELLO}`]: "The line is of BLAKE3, this is BLAKE2b.",
  };
  for (const [text, words] of Object.entries(bad)) {
    await page.choose("#expected", text);
    await page.until(`${verdict("bad")} === "${words}"`, words);
  }
  for (const text of ["zz", "not a digest", "abc"]) {
    await page.type("#expected", text);
    await page.until(
      `document.querySelector("#expected-error").textContent === "This is not a digest: “${text}”"`,
      text,
    );
    assert.equal(await page.evaluate('document.querySelector(".verdict")'), null);
  }
  // With all algorithms, the page shows which one has the expected digest.
  await page.choose("#algorithm", "all");
  await page.choose("#expected", digest.toString("hex"));
  await page.until(`${count("#results .digest", 11)} && ${count(".verdict", 1)}`, "eleven digests, one right");
  assert.equal(
    await page.evaluate('document.querySelector("li:has(.verdict) .name").textContent'),
    "BLAKE2b of the text",
  );
  await page.choose("#expected", HELLO);
  const none = "No algorithm matches the expected digest.";
  await page.until(`document.querySelector("#summary").textContent === "${none}"`, none);
  await page.choose("#algorithm", "blake2b");
  await page.type("#expected", "");
}

/**
 * Options, by the keyboard: an error is shown at its field. The link, and the page's code in Node, give the same digest.
 */
async function options(page, url) {
  await page.choose("#encoding", "hex");
  await page.click("#more summary");
  const errors = { length: ["65", "from 1 to 64"], key: ["zz", "hexadecimal"], nodeDepth: ["x", "whole number"] };
  for (const [name, [value, words]] of Object.entries(errors)) {
    await page.type(`#option-${name}`, value);
    await page.until(`document.querySelector("#error-${name}").textContent.includes("${words}")`, words);
    assert.equal((await page.text(".digest")) ?? undefined, undefined);
    await page.type(`#option-${name}`, "");
  }
  await page.type("#option-length", "16");
  await page.type("#option-salt", "0102");
  await page.until(`${DIGEST}?.length === 32`, "16 bytes");
  const [digest, code] = [await page.evaluate(DIGEST), await page.text("#code")];
  const [printed, right] = [
    execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: root, encoding: "utf8" }).trim(),
    hex(blake2b(Buffer.from("abc"), { dkLen: 16, salt: Buffer.from("0102".padEnd(32, "0"), "hex") })),
  ];
  assert.deepEqual([digest, printed], [right, right]);
  await page.type("#option-key", "00ff");
  await page.until(`${DIGEST}?.length === 32 && ${DIGEST} !== "${digest}"`, "a keyed digest");
  const link = await page.evaluate("location.href");
  assert.match(link, /#algorithm=blake2b&encoding=hex&length=16&salt=0102$/);
  assert.ok(!(await page.text("#code")).includes("00ff"), "a key in the code");
  await page.goto(`${url}/404.html`);
  await page.goto(link);
  await page.type("#text", "abc");
  await page.until(`${DIGEST} === "${digest}"`, "the choice of the link");
  // A long digest is folded.
  await page.choose("#algorithm", "blake3");
  await page.type("#option-length", "100000");
  const long = hex(blake3(Buffer.from("abc"), { dkLen: 100_000 }));
  await page.until(`document.querySelector("details > .digest")?.textContent === "${long}"`, "a long digest");
  assert.match(await page.text("#results summary"), /^[0-9a-f]{64}… 100000 bytes$/);
  assert.equal(await page.evaluate('document.querySelector("#results details").open'), false);
}

async function benchmark(page, url) {
  await page.goto(`${url}/benchmark.html`);
  await page.choose("#size", "1024");
  await page.choose("#rounds", "5");
  await page.click("#start");
  const result = await page.until('document.querySelector("#result").textContent', "a result");
  assert.match(result, /^blake3, 1024 bytes, (simd128|baseline)$/m);
  for (const name of ["blake-simd", "blake3-wasm", "hash-wasm", "@noble/hashes", "blake3-jit"])
    assert.match(result, new RegExp(`^${name} +[\\d.]+ MB/s$`, "m"));
  assert.match(await page.text("#status"), /times as fast as @noble\/hashes.* Every digest was correct/);
  assert.equal(await page.evaluate('document.querySelectorAll("#bars .bar").length'), 5);
}

async function verified(page, url) {
  await page.goto(`${url}/`);
  await page.until(count("#pieces button", 64), "the pieces");
  await page.type("#from", "3");
  await page.type("#to", "9");
  await page.click("#pieces button:nth-child(7)");
  await page.click("#start");
  await page.until('document.querySelector("#status").textContent.startsWith("Piece 6 was refused")', "a refusal");
  assert.equal(await page.evaluate('document.querySelectorAll("#pieces .right").length'), 3);
  assert.match(await page.text("#needs"), /114688 of 1048576 bytes/);
  await page.click("#mend");
  await page.click("#start");
  await page.until('document.querySelector("#status").textContent.startsWith("All 114688 bytes")', "all verified");
  assert.equal(await page.evaluate('document.querySelectorAll("#pieces .right").length'), 7);
}

/** Words lead to a page and to its part; an address that is wrong by a letter leads to the page that was meant. */
async function searching(page, url) {
  await page.goto(`${url}/docs/getting-started.html`);
  await page.click("#search");
  await page.type("dialog input", "cold start");
  await page.until('document.querySelector(".parts a")?.textContent === "Cold start"', "the best part of a page first");
  await page.type("dialog input", "hkdf");
  await page.until("document.querySelector(\".hits a[href*='keys.html#hmac']\") !== null", "hits");
  const found = 'document.querySelectorAll(".hits li").length + " pages"';
  assert.equal(await page.text(".search [role=status]"), await page.evaluate(found));
  for (const [words, result] of Object.entries({
    xxhash: "Nothing found.",
    fromBase64url: /^\d pages?$/,
    migrate: /^\d pages?$/,
  })) {
    await page.type("dialog input", words);
    await page.until(
      `(${result instanceof RegExp ? result : `/^${result}$/`}).test(document.querySelector(".search [role=status]").textContent)`,
      words,
    );
  }
  await page.type("dialog input", "hkdf");
  await page.until("document.querySelector(\".hits a[href*='keys.html#hmac']\") !== null", "hits again");
  await page.click(".hits a[href*='docs/keys.html#hmac']");
  await page.until('document.querySelector("h1")?.textContent.startsWith("Keys")', "the page with HKDF");
  await page.goto(`${url}/docs/no/such/hasing.html`);
  await page.until('document.querySelector("h1")?.textContent === "There is no such page"', "the page 404");
  const left = '[...document.querySelectorAll("#pages li:not([hidden])")].map(({ textContent }) => textContent).join()';
  await page.until(`${left} === "Hashing"`, "the page that was meant");
  await page.click('header a[href="/api/index.html"]');
  await page.until('document.querySelector("#blake3") !== null', "the reference");
}

/** The header, the list of pages and the contents stay in view; the theme that is chosen stays on the next page. */
async function frame(page, url) {
  await page.goto(`${url}/docs/hashing.html`);
  await page.evaluate("scrollTo(0, 3000)");
  const top = (selector) => `Math.round(document.querySelector("${selector}").getBoundingClientRect().top)`;
  await page.until(`scrollY > 2000 && ${top("header")} === 0`, "the header in view");
  await page.evaluate('{ document.documentElement.dataset.theme = "light"; }');
  const colour = "getComputedStyle(document.body).backgroundColor";
  const light = await page.evaluate(colour);
  await page.click("#theme");
  const dark = await page.evaluate(colour);
  assert.notEqual(dark, light);
  await page.goto(`${url}/playground.html`);
  assert.equal(await page.evaluate(colour), dark);
  await page.click("#theme");
  assert.equal(await page.evaluate(colour), light);
  await page.goto(`${url}/`);
  await page.until(count(".tabs button", 5), "the package managers");
  await page.click(".tabs button:nth-child(5)");
  assert.equal(await page.text("#install"), "deno add npm:blake-simd");
}

/** From the front page to a page of the docs and on, by links alone. */
async function reading(page, url) {
  await page.goto(`${url}/`);
  await page.click('header a[href="docs/getting-started.html"]');
  await page.until('document.querySelector("h1")?.textContent === "Getting started"', "the page Getting started");
  await page.evaluate('document.querySelector(".sidebar").open = true');
  await page.click('.sidebar a[href="keys.html"]');
  await page.until('document.querySelector("h1")?.textContent.startsWith("Keys")', "the page Keys");
  const [at, next] = await Promise.all(
    ["location.href", 'document.querySelector("a[rel=next]").href'].map((code) => page.evaluate(code)),
  );
  await page.click("a[rel=next]");
  await page.until(`location.href === ${JSON.stringify(next)}`, "the next page");
  await page.click("a[rel=prev]");
  await page.until(`location.href === ${JSON.stringify(at)}`, "the page before");
  await page.until('document.querySelector("main pre + .copy") !== null', "a button that copies");
  await page.click("main pre + .copy");
  await page.until('/Copied|Selected/.test(document.querySelector("main pre + .copy").textContent)', "a copy");
}

/** The service worker keeps what was visited: with the server gone, that is there, and nothing else. */
async function offline(page, { url, stop }) {
  await page.goto(`${url}/playground.html`);
  await page.until("navigator.serviceWorker.controller !== null", "a service worker in control");
  await page.goto(`${url}/docs/threads.html`);
  const kept = (path) => `caches.match(new URL("${path}", "${url}/")).then((found) => found !== undefined)`;
  for (const path of ["playground.html", "app/playground.js", "docs/threads.html"]) {
    await page.until(kept(path), `${path} in the cache`);
  }
  assert.equal(await page.evaluate(kept("examples/deno-server/server.js")), false);
  stop();
  await page.goto(`${url}/docs/threads.html`);
  await page.until('document.querySelector("h1")?.textContent === "Large messages on all cores"', "a page offline");
  await page.goto(`${url}/playground.html`);
  await page.until(`${DIGEST} === "${HELLO}"`, "a digest offline");
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
  await page.drop("h1", [folder, file]);
  const expected = Object.entries({ "message.bin": message, ...within("dropped", contents) })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bytes]) => `${name} ${hex(blake3(bytes))}`);
  const shown =
    '[...document.querySelectorAll(".results li")].map((item) => [".name", ".digest"].map((part) => item.querySelector(part)?.textContent).join(" "))';
  await page.until(
    `${shown}.length === ${expected.length} && !document.querySelector("#results li:not(:has(.digest))")`,
    "the folder's digests",
  );
  assert.deepEqual(await page.evaluate(shown), expected);
  // A list of b3sum, dropped on its field: one line is wrong, one names a file that is not here.
  const [, ...others] = expected.map((line) => line.replace(/^(.*) (\S+)$/, "$2  $1"));
  const list = join(scratch, "sums");
  writeFileSync(list, [`${"00".repeat(32)}  ./dropped/a.bin`, ...others, `${HELLO}  gone`, ""].join("\n"));
  await page.drop("#expected", [list]);
  const words = `${expected.length - 1} of ${expected.length} match. Listed, but not here: gone.`;
  await page.until(`document.querySelector("#summary").textContent === "${words}"`, words);
  assert.deepEqual(await page.evaluate(shown), expected);
}

const within = (folder, files) =>
  Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`${folder}/${name}`, bytes]));

const HEADER_FITS =
  '[...document.querySelectorAll("header *")].every((each) => each.getBoundingClientRect().right <= innerWidth)';
/** The texts of an SVG that reach over its edge. */
const CUT_TEXTS =
  '[...document.querySelectorAll("text")].filter((each) => each.getBBox().x < 0 || each.getBBox().x + each.getBBox().width > document.documentElement.viewBox.baseVal.width).map(({ textContent }) => textContent).join()';

/** What one browser is enough for: no page is wider than the screen, no picture is cut, and the front page is small. */
async function onlyChromium(page, { url, sent }) {
  for (const name of pages) {
    await page.goto(`${url}/${name}`);
    for (const width of [320, 390, 768, 1280, 1600]) {
      await page.page.setViewport({ width, height: 800 });
      const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.ok(wider <= 0, `${name} is ${wider} pixels wider than ${width}`);
      assert.ok(await page.evaluate(HEADER_FITS), `${name}'s header is cut at ${width}`);
    }
  }
  await page.goto(`${url}/docs/hashing.html`);
  await page.page.setViewport({ width: 1280, height: 800 });
  await page.evaluate("scrollTo(0, 3000)");
  await page.until(count(".contents [aria-current]", 1), "the part that is read");
  for (const part of [".sidebar", ".contents nav"]) {
    const inView = `{ const { top, bottom } = document.querySelector("${part}").getBoundingClientRect(); return top > 40 && bottom <= 800; }`;
    assert.ok(await page.evaluate(inView), `${part} has scrolled away`);
  }
  for (const name of readdirSync(join(site, "docs/pictures"))) {
    await page.goto(`${url}/docs/pictures/${name}`);
    assert.equal(await page.evaluate(CUT_TEXTS), "", name);
  }
  const context = page.browser.defaultBrowserContext();
  await context.overridePermissions(url, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
  await page.goto(`${url}/`);
  await page.click("#install + .copy");
  await page.until('document.querySelector("#install + .copy").textContent === "Copied"', "a copy");
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), "npm install blake-simd");
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
checkAddresses();
console.log(`ok      links of ${pages.length} pages`);
for (const [name, open] of Object.entries(BROWSERS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const server = await serveSite();
  let page;
  try {
    page = await open();
    await landing(page, server.url);
    await frame(page, server.url);
    await reading(page, server.url);
    await searching(page, server.url);
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
