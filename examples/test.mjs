// Runs every example against the packed tarball, in the runtime that it is written for.
//
//   node examples/test.mjs [NAME...]    needs npm ci in test/runtimes, and chromium
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { build } from "esbuild";
import { chromium } from "../test/runtimes/hosts/browsers.mjs";
import { openPage } from "../test/runtimes/hosts/page.mjs";
import { fetchOnceUp, freePort } from "../test/runtimes/hosts/server.mjs";
import { startWorker } from "../test/runtimes/hosts/workerd.mjs";
import { makeProject } from "../test/runtimes/install.mjs";

const here = import.meta.dirname;
const DENO = join(here, "../test/runtimes/node_modules/@deno/linux-x64-glibc/deno");
const NAMES = ["cloudflare-worker", "deno-server", "node-download", "drop-a-file"];

const message = Buffer.alloc(3_000_001, createHash("sha512").update("any bytes").digest());
const changed = Buffer.from(message).fill(0, 2_000_000, 2_000_001);
const digestOf = (bytes) => Buffer.from(nobleBlake3(bytes));
const DIGEST = digestOf(message).toString("hex");

/** Serves the message at /message, and one that differs at /changed. */
async function startOrigin() {
  const bodies = { "/message": message, "/changed": changed };
  const server = createServer(({ url }, response) => {
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
  await assert.rejects(download(`${origin}/changed`, "refused", DIGEST), /the digest is/);
  assert.ok(!existsSync(join(folder, "refused")));
}

// The example's page in a frame, on which a file is dropped; what the page then shows is posted.
const DRIVER = `<!doctype html><iframe src="/example.html"></iframe><script type="module">
const frame = document.querySelector("iframe");
await new Promise((loaded) => { frame.onload = loaded; });
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
  const { digest, steps } = await openPage(chromium, { files, folder });
  assert.equal(digest, DIGEST);
  assert.equal(steps.at(-1), 1);
  assert.ok(steps.length > 1 && steps.every((value, i) => i === 0 || value >= steps[i - 1]), `progress: ${steps}`);
}

const tests = [cloudflareWorker, denoServer, nodeDownload, dropAFile];
const wanted = process.argv.slice(2);
const project = join(mkdtempSync(join(tmpdir(), "blake-simd-examples-")), "project");
makeProject(project);
const { server, url } = await startOrigin();
try {
  for (const [i, name] of NAMES.entries()) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const folder = join(project, name);
    cpSync(join(here, name), folder, { recursive: true });
    try {
      await tests[i](folder, url);
      console.log(`ok      ${name}`);
    } catch (error) {
      console.log(`FAILED  ${name}\n`, error);
      process.exitCode = 1;
    }
  }
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(join(project, ".."), { recursive: true, force: true, maxRetries: 5 });
}
