// Runs every example against the packed tarball, in the runtime that it is written for, and the recipe for R2 of
// docs/recipes.md.
//
//   node examples/test.mjs [NAME...]    needs npm ci in test/runtimes, and chromium
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { build } from "esbuild";
import { outboard } from "../dist/bao.js";
import { chromium } from "../test/runtimes/hosts/browsers.mjs";
import { openPage } from "../test/runtimes/hosts/page.mjs";
import { fetchOnceUp, freePort } from "../test/runtimes/hosts/server.mjs";
import { startWorker } from "../test/runtimes/hosts/workerd.mjs";
import { makeProject } from "../test/runtimes/install.mjs";
import { check } from "../test/support/check.mjs";

const here = import.meta.dirname;
const DENO = join(here, "../test/runtimes/node_modules/@deno/linux-x64-glibc/deno");
const NAMES = [
  "cloudflare-worker",
  "deno-server",
  "node-download",
  "drop-a-file",
  "verified-range-worker",
  "three-mirrors",
  "resumed-download",
  "upload-to-r2",
];

const message = Buffer.alloc(3_000_001, createHash("sha512").update("any bytes").digest());
const changed = Buffer.from(message).fill(0, 2_000_000, 2_000_001);
const digestOf = (bytes) => Buffer.from(nobleBlake3(bytes));
const DIGEST = digestOf(message).toString("hex");

/** Serves the message at /message, and one that differs at /changed. */
async function startOrigin() {
  const bodies = { "/message": message, "/changed": changed };
  const server = createServer(({ url }, response) => {
    if (url === "/cut") {
      response.writeHead(200, { "Content-Length": message.length });
      return response.write(message.subarray(0, 300_000), () => setTimeout(() => response.destroy(), 50));
    }
    response.writeHead(url in bodies ? 200 : 404).end(bodies[url]);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

async function cloudflareWorker(folder, origin) {
  const out = join(folder, "out");
  mkdirSync(out);
  const options = { port: await freePort(), compatibilityDate: "2026-11-17", bindings: { ORIGIN: origin } };
  const { url, child, stop } = await startWorker(join(folder, "worker.js"), out, options);
  try {
    assert.equal((await fetchOnceUp(`${url}/message`, child)).status, 400);
    assert.equal((await fetch(`${url}/nothing?blake3=${DIGEST}`)).status, 404);
    const whole = await (await fetch(`${url}/message?blake3=${DIGEST}`)).arrayBuffer();
    assert.ok(message.equals(Buffer.from(whole)));
    const broken = await fetch(`${url}/changed?blake3=${DIGEST}`);
    await assert.rejects(broken.arrayBuffer());
  } finally {
    stop();
  }
}

// The recipe over a bucket in memory, which takes streams of a known length alone, as R2 does.
const BUCKET = `import recipe from "./recipe.js";
const stored = {};
const put = async (key, value) => {
  const isText = typeof value === "string";
  if (!isText && !(value instanceof ReadableStream)) throw new TypeError("a stream");
  stored[key] = isText ? value : (await new Response(value).arrayBuffer()).byteLength;
};
export default {
  fetch: (request) => (request.method === "GET" ? Response.json(stored) : recipe.fetch(request, { BUCKET: { put } })),
};
`;

async function uploadToR2(folder) {
  const page = readFileSync(join(here, "../docs/recipes.md"), "utf8");
  const [, recipe] = /^## Upload to R2$.*?^```js worker\n(.*?)^```/ms.exec(page);
  const out = join(folder, "out");
  mkdirSync(out, { recursive: true });
  writeFileSync(join(folder, "recipe.js"), recipe);
  writeFileSync(join(folder, "worker.js"), BUCKET);
  const options = { port: await freePort(), compatibilityDate: "2026-11-17" };
  const { url, child, stop } = await startWorker(join(folder, "worker.js"), out, options);
  try {
    assert.deepEqual(await (await fetchOnceUp(url, child)).json(), {});
    const response = await fetch(url, { method: "POST", body: message });
    const { key, digest } = await response.json();
    assert.deepEqual([response.status, digest], [201, DIGEST]);
    const stored = { [key]: message.length, [`${key}.blake3`]: DIGEST };
    const chunked = { method: "POST", body: new Blob(["hello"]).stream(), duplex: "half" };
    for (const refused of [{ method: "DELETE" }, chunked]) assert.equal((await fetch(url, refused)).status, 411);
    assert.deepEqual(await (await fetch(url)).json(), stored);
  } finally {
    stop();
  }
}

async function denoServer(folder) {
  const port = await freePort();
  const args = ["run", "--no-prompt", `--allow-net=127.0.0.1:${port}`, "server.js", String(port)];
  const child = spawn(DENO, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  try {
    const url = `http://127.0.0.1:${port}/Ada`;
    const response = await fetchOnceUp(url, child);
    const digest = digestOf(Buffer.from(await response.text())).toString("base64");
    assert.equal(response.headers.get("Content-Digest"), `blake3=:${digest}:`);
    const again = await fetch(url, { headers: { "If-None-Match": response.headers.get("ETag") } });
    assert.equal(again.status, 304);
  } finally {
    child.kill("SIGKILL");
  }
}

async function nodeDownload(folder, origin) {
  const download = (...args) => promisify(execFile)(process.execPath, ["download.js", ...args], { cwd: folder });
  const { stdout } = await download(`${origin}/message`, "kept", DIGEST);
  assert.equal(stdout, `${DIGEST}  kept\n`);
  assert.ok(message.equals(readFileSync(join(folder, "kept"))));
  const before = readdirSync(folder);
  await assert.rejects(download(`${origin}/changed`, "refused", DIGEST), /the digest is/);
  await assert.rejects(download(`${origin}/message`, "refused", "no digest"), /the digest is/);
  await assert.rejects(download(`${origin}/message`, "refused", ""), /the digest is/);
  await assert.rejects(download(`${origin}/cut`, "refused"), /terminated/);
  assert.deepEqual(readdirSync(folder), before);
}

// The example's page in a frame, on which a file is dropped; what the page then shows is posted.
const DRIVER = `<!doctype html><iframe src="/example.html"></iframe><script type="module">
const frame = document.querySelector("iframe");
const isLoaded = () => frame.contentWindow.location.pathname !== "blank" && frame.contentDocument.readyState === "complete";
while (!isLoaded()) await new Promise((later) => setTimeout(later, 20));
const page = frame.contentWindow;
const [target, progress, output] = ["target", "progress", "digest"].map((id) => page.document.getElementById(id));
const transfer = new page.DataTransfer();
transfer.items.add(new page.File([await (await fetch("/message")).arrayBuffer()], "message"));
const steps = [];
new MutationObserver(() => steps.push(progress.value)).observe(progress, { attributeFilter: ["value"] });
target.dispatchEvent(new page.DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
while (!output.value) await new Promise((later) => setTimeout(later, 20));
await fetch("/report", { method: "POST", body: JSON.stringify({ digest: output.value, steps }) });
</script>`;

async function dropAFile(folder) {
  const entryPoints = [join(folder, "page.js")];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: "esm", write: false, logLevel: "warning" });
  const files = {
    "/index.html": DRIVER,
    "/example.html": readFileSync(join(folder, "index.html")),
    "/page.js": outputFiles[0].text,
    "/message": message,
  };
  const empty = await openPage(chromium, { files: { ...files, "/message": Buffer.alloc(0) }, folder });
  assert.deepEqual([empty.digest, empty.steps.at(-1)], [digestOf(Buffer.alloc(0)).toString("hex"), 1]);
  const { digest, steps } = await openPage(chromium, { files, folder });
  assert.equal(digest, DIGEST);
  assert.equal(steps.at(-1), 1);
  assert.ok(steps.length > 1 && steps.every((value, i) => i === 0 || value >= steps[i - 1]), `progress: ${steps}`);
}

/**
 * Serves files and ranges of them, to pages of other origins too. `spoil` may change what is about to be sent, or end
 * the connection after some of it.
 */
async function startRanges(files, spoil = (_path, body) => body) {
  const asked = [];
  const server = createServer((request, response) => {
    const file = files[request.url];
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (!file || !first) return response.writeHead(file ? 400 : 404).end();
    asked.push([request.url, request.headers.range]);
    const part = file.subarray(Number(first), Number(last) + 1);
    const headers = { "Content-Range": `bytes ${first}-${last}/${file.length}`, "Access-Control-Allow-Origin": "*" };
    const body = spoil(request.url, Buffer.from(part), Number(first));
    response.writeHead(206, { ...headers, "Content-Length": part.length });
    if (body.length === part.length) response.end(body);
    else response.write(body, () => setTimeout(() => request.socket.destroy(), 50));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, asked, stop };
}

const OUTBOARD = outboard(message).toBytes("bao");

/** Flips a bit of the byte at 2 000 000, as a lying origin would. */
function flip(body, first) {
  const at = 2_000_000 - first;
  if (at >= 0 && at < body.length) body[at] ^= 4;
  return body;
}

async function verifiedRangeWorker(folder) {
  const files = { "/file": message, "/file.obao": OUTBOARD, "/changed": message, "/changed.obao": OUTBOARD };
  const origin = await startRanges(files, (path, body, first) => (path === "/changed" ? flip(body, first) : body));
  const out = join(folder, "out");
  mkdirSync(out);
  const entry = { blake3: DIGEST, length: message.length };
  const manifest = JSON.stringify({ "/file": entry, "/changed": entry, "/gone": entry });
  const bindings = { ORIGIN: origin.url, MANIFEST: manifest };
  const options = { port: await freePort(), compatibilityDate: "2026-11-17", bindings };
  const { url, child, stop } = await startWorker(join(folder, "worker.js"), out, options);
  const range = (path, value) => fetch(`${url}${path}`, { headers: { Range: value } });
  try {
    assert.equal((await fetchOnceUp(`${url}/file`, child)).status, 416);
    assert.equal((await range("/nothing", "bytes=0-1")).status, 404);
    assert.equal((await range("/gone", "bytes=0-1")).status, 502);
    for (const path of ["/file", "/changed"]) {
      const part = await range(path, "bytes=100000-199999");
      assert.equal(part.status, 206);
      assert.equal(part.headers.get("Content-Range"), `bytes 100000-199999/${message.length}`);
      assert.ok(message.subarray(100_000, 200_000).equals(Buffer.from(await part.arrayBuffer())));
    }
    const fetched = origin.asked.filter(([path]) => path === "/file").map(([, value]) => value);
    assert.deepEqual(fetched, ["bytes=98304-212991"]);
    await assert.rejects(range("/changed", "bytes=1900000-2099999").then((broken) => broken.arrayBuffer()));
  } finally {
    stop();
    origin.stop();
  }
}

/** An uncompressed picture, which every browser shows: 24 bits for each point. */
function bitmap(width, height) {
  const head = Buffer.alloc(54);
  head.write("BM");
  head.writeUInt32LE(54 + 3 * width * height, 2);
  for (const [at, value] of Object.entries({ 10: 54, 14: 40, 18: width, 22: height }))
    head.writeUInt32LE(value, Number(at));
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  return Buffer.concat([head, Buffer.alloc(3 * width * height, createHash("sha512").update("points").digest())]);
}

const MIRRORS_DRIVER = `<!doctype html><iframe src="/example.html"></iframe><script type="module">
const frame = document.querySelector("iframe");
const isLoaded = () => frame.contentWindow.location.pathname !== "blank" && frame.contentDocument.readyState === "complete";
while (!isLoaded()) await new Promise((later) => setTimeout(later, 20));
const [picture, refused] = ["picture", "refused"].map((id) => frame.contentDocument.getElementById(id));
while (!picture.src) await new Promise((later) => setTimeout(later, 20));
await picture.decode();
const bytes = new Uint8Array(await (await fetch(picture.src)).arrayBuffer());
const hash = [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))];
const report = { width: picture.naturalWidth, hash, refused: [...refused.children].map((item) => item.textContent) };
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
</script>`;

async function threeMirrors(folder) {
  const picture = bitmap(1000, 800);
  const files = { "/one": picture, "/two": picture, "/three": picture };
  const spoil = (path, body, first) => (path === "/two" ? flip(body, first) : body);
  const server = await startRanges(files, spoil);
  const entryPoints = [join(folder, "page.js")];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: "esm", write: false, logLevel: "warning" });
  const mirrors = Object.keys(files).map((path) => server.url + path);
  try {
    const { width, hash, refused } = await openPage(chromium, {
      files: {
        "/index.html": MIRRORS_DRIVER,
        "/example.html": readFileSync(join(folder, "index.html")),
        "/page.js": outputFiles[0].text,
        "/picture.json": JSON.stringify({ blake3: digestOf(picture).toString("hex"), mirrors }),
        "/picture.obao": Buffer.from(outboard(picture).toBytes("bao")),
      },
      folder,
    });
    assert.equal(width, 1000);
    assert.deepEqual(Buffer.from(hash), createHash("sha256").update(picture).digest());
    assert.equal(refused.length, 1, `refused: ${refused}`);
    assert.ok(refused[0].startsWith(`${server.url}/two: `), refused[0]);
  } finally {
    server.stop();
  }
}

async function resumedDownload(folder) {
  const files = { "/file": message, "/file.obao": OUTBOARD, "/changed": message, "/changed.obao": OUTBOARD };
  let breaks = 2;
  const server = await startRanges(files, (path, body, first) => {
    if (path === "/changed") return flip(body, first);
    return path === "/file" && breaks-- > 0 ? body.subarray(0, 700_000) : body;
  });
  const download = (...args) => promisify(execFile)(process.execPath, ["download.js", ...args], { cwd: folder });
  try {
    const { stdout } = await download(`${server.url}/file`, "kept", DIGEST);
    assert.match(stdout, /kept is complete\n$/);
    assert.ok(message.equals(readFileSync(join(folder, "kept"))));
    const starts = server.asked.filter(([path]) => path === "/file").map(([, range]) => Number(/\d+/.exec(range)[0]));
    assert.equal(starts.length, 3);
    assert.ok(starts[0] === 0 && starts[1] > 500_000 && starts[2] > starts[1] + 500_000, `from ${starts}`);
    await assert.rejects(download(`${server.url}/changed`, "refused", DIGEST), /IntegrityError/);
    const kept = readFileSync(join(folder, "refused"));
    assert.ok(kept.length > 1_900_000 && message.subarray(0, kept.length).equals(kept));
    writeFileSync(join(folder, "other"), "the beginning of another file");
    await assert.rejects(download(`${server.url}/file`, "other", DIGEST), /other: it was there before/);
  } finally {
    server.stop();
  }
}

const tests = [
  cloudflareWorker,
  denoServer,
  nodeDownload,
  dropAFile,
  verifiedRangeWorker,
  threeMirrors,
  resumedDownload,
  uploadToR2,
];
const wanted = process.argv.slice(2);
const project = join(mkdtempSync(join(tmpdir(), "blake-simd-examples-")), "project");
makeProject(project);
const { server, url } = await startOrigin();
try {
  for (const [i, name] of NAMES.entries()) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const folder = join(project, name);
    if (existsSync(join(here, name))) cpSync(join(here, name), folder, { recursive: true });
    await check(name, () => tests[i](folder, url));
  }
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(join(project, ".."), { recursive: true, force: true, maxRetries: 5 });
}
