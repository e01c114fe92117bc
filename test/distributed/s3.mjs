// Runs examples/s3-multipart against s3rver, behind a proxy that breaks connections: the tag is the digest of b3sum,
// and the object is the file.
//
//   node test/distributed/s3.mjs B3SUM     needs npm run build
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { installExample } from "./project.mjs";

const [b3sum] = process.argv.slice(2);
const PART = 5 * 2 ** 20;
const LENGTH = 7 * 2 ** 23 - 12345;
const BUCKET = "objects";

const folder = mkdtempSync(join(tmpdir(), "blake-simd-s3-"));
const project = installExample("s3-multipart", folder);
const requireFrom = createRequire(join(project, "upload.js"));
const S3rver = requireFrom("s3rver");
const { GetObjectCommand, GetObjectTaggingCommand, S3Client } = requireFrom("@aws-sdk/client-s3");

const server = new S3rver({
  ...{ port: 0, address: "127.0.0.1", silent: true, directory: join(folder, "store") },
  configureBuckets: [{ name: BUCKET, configs: [] }],
});
const upstream = await server.run();

/** Forwards requests; `onPart` may break the one of a part, or answer it. */
let onPart = () => {};
let partsSent = [];
const proxy = createServer((incoming, outgoing) => {
  const { method, url: path, headers } = incoming;
  const number = method === "PUT" && Number(/partNumber=(\d+)/.exec(path)?.[1]);
  if (number) partsSent.push(number);
  if (number && onPart(number, incoming, outgoing)) return;
  const forwarded = request({ host: "127.0.0.1", port: upstream.port, method, path, headers }, (response) => {
    outgoing.writeHead(response.statusCode, response.headers);
    response.pipe(outgoing);
  });
  forwarded.on("error", () => outgoing.destroy());
  incoming.pipe(forwarded);
}).listen(0, "127.0.0.1");
await once(proxy, "listening");
const endpoint = `http://127.0.0.1:${proxy.address().port}`;
const env = { ...process.env, S3_ENDPOINT: endpoint, AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };
// Of the SDK, about versions of Node.
env.NODE_NO_WARNINGS = "1";
const client = new S3Client({
  ...{ endpoint, region: "us-east-1", forcePathStyle: true, requestChecksumCalculation: "WHEN_REQUIRED" },
  credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
});

function start(...args) {
  partsSent = [];
  const child = spawn(process.execPath, ["upload.js", ...args], { cwd: project, env });
  const output = { out: "", err: "" };
  child.stdout.on("data", (text) => (output.out += text));
  child.stderr.on("data", (text) => (output.err += text));
  child.ended = once(child, "close").then(([status]) => ({ status, ...output }));
  return child;
}

const digestOf = (file) => execFileSync(resolve(b3sum), ["--no-names", file], { encoding: "utf8" }).trim();

function write(name, length) {
  const path = join(folder, name);
  writeFileSync(path, randomBytes(length));
  return path;
}

async function expectObject(result, path, Key) {
  const digest = digestOf(path);
  assert.deepEqual(result, { status: 0, out: `${digest}  s3://${BUCKET}/${Key}\n`, err: "" });
  const { TagSet } = await client.send(new GetObjectTaggingCommand({ Bucket: BUCKET, Key }));
  assert.deepEqual(TagSet, [{ Key: "blake3", Value: digest }]);
  const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
  assert.ok(readFileSync(path).equals(await Body.transformToByteArray()), "the object is the file");
}

const large = write("large", LENGTH);
const eight = `--part=${2 ** 23}`;

const scenarios = {
  async "parts that are sent again"() {
    const broken = new Set();
    onPart = (number, incoming, outgoing) => {
      if (broken.has(number)) return false;
      broken.add(number);
      // In the middle of the third part the connection ends; the fifth gets an error when it is there.
      if (number === 3) incoming.once("data", () => incoming.destroy());
      else if (number === 5) incoming.resume().once("end", () => outgoing.writeHead(500).end());
      return number === 3 || number === 5;
    };
    await expectObject(await start(eight, large, BUCKET, "again").ended, large, "again");
    const counts = [1, 2, 3, 4, 5, 6, 7].map((number) => partsSent.filter((sent) => sent === number).length);
    assert.deepEqual(counts, [1, 1, 2, 1, 2, 1, 1]);
  },
  async "an upload that is killed and continued"() {
    const state = join(folder, "state.json");
    // The sixth part never gets a response, so the first run cannot end by itself.
    onPart = (number) => number === 6;
    const killed = start(eight, `--state=${state}`, large, BUCKET, "continued");
    const done = () => (existsSync(state) ? Object.keys(JSON.parse(readFileSync(state, "utf8")).etags).length : 0);
    while (done() < 6) await new Promise((next) => setTimeout(next, 20));
    killed.kill("SIGKILL");
    await killed.ended;
    onPart = () => {};
    const other = await start(eight, `--state=${state}`, large, BUCKET, "other").ended;
    assert.deepEqual([other.status, partsSent], [1, []]);
    assert.match(other.err, /state.json: belongs to another upload/);
    await expectObject(await start(eight, `--state=${state}`, large, BUCKET, "continued").ended, large, "continued");
    assert.deepEqual(partsSent, [6]);
    assert.ok(!existsSync(state));
  },
  async "a file that changes before the upload is continued"() {
    const state = join(folder, "changed.json");
    const path = write("changed", LENGTH);
    onPart = (number) => number === 6;
    const killed = start(eight, `--state=${state}`, path, BUCKET, "changed");
    while (!existsSync(state)) await new Promise((next) => setTimeout(next, 20));
    killed.kill("SIGKILL");
    await killed.ended;
    onPart = () => {};
    utimesSync(path, new Date(), new Date(0));
    const { status, err } = await start(eight, `--state=${state}`, path, BUCKET, "changed").ended;
    assert.equal(status, 1);
    assert.match(err, /changed.json: belongs to another upload/);
  },
  async "an upload that fails"() {
    onPart = (number, incoming, outgoing) => {
      if (number === 2) incoming.resume().once("end", () => outgoing.writeHead(403).end());
      return number === 2;
    };
    const { status, out, err } = await start(eight, large, BUCKET, "failed").ended;
    assert.deepEqual([status, out], [1, ""], err);
    onPart = () => {};
    await assert.rejects(client.send(new GetObjectCommand({ Bucket: BUCKET, Key: "failed" })));
  },
  async "objects of one part, and of none"() {
    for (const length of [0, 1000, 2 ** 23]) {
      const path = write(`short-${length}`, length);
      await expectObject(await start(eight, path, BUCKET, `short-${length}`).ended, path, `short-${length}`);
    }
    for (const [part, must] of [
      [PART, /partLength must be a power of 2/],
      ["8M", /partLength must be an integer from 1024 to .*, got NaN/],
    ]) {
      const { status, err } = await start(`--part=${part}`, large, BUCKET, "x").ended;
      assert.equal(status, 1);
      assert.match(err, must);
    }
  },
};

try {
  for (const [name, scenario] of Object.entries(scenarios)) {
    const began = performance.now();
    onPart = () => {};
    await scenario();
    console.log(`ok      ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  }
} finally {
  proxy.closeAllConnections();
  proxy.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
