// Runs examples/distributed under every failure that it must survive: each scenario ends with the digest of b3sum, or
// with an error that names the cause, within a minute.
//
//   node test/distributed/run.mjs B3SUM [NAME...]     needs redis-server, postgresql and npm run build
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  cpSync,
  createReadStream,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { installExample } from "./project.mjs";

const [b3sum, ...wanted] = process.argv.slice(2);
const LIMIT = 600_000;
// Most scenarios wait for locks to expire, so several run at a time.
const AT_A_TIME = 5;
const PARTS = 65;
const PART = 2 ** 22;
const SMALL_PART = 2 ** 20;

const folder = mkdtempSync(join(tmpdir(), "blake-simd-distributed-"));
// PostgreSQL runs as another user.
chmodSync(folder, 0o755);

function writeObject(name, length) {
  const path = join(folder, name);
  const file = openSync(path, "w");
  for (let at = 0; at < length; at += PART) writeSync(file, randomBytes(Math.min(PART, length - at)));
  closeSync(file);
  return path;
}

const digestOf = (file) => execFileSync(resolve(b3sum), ["--no-names", file], { encoding: "utf8" }).trim();

/** A store of its own for each scenario, and the processes that use it. */
class Stage {
  #name;
  #children = new Set();
  store = "";
  redis;

  constructor(name) {
    this.#name = name;
  }

  start(command, args, env = {}) {
    const child = spawn(command, args, { cwd: project, env: { ...process.env, STORE: this.store, ...env } });
    const output = { out: "", err: "" };
    child.stdout.on("data", (text) => (output.out += text));
    child.stderr.on("data", (text) => (output.err += text));
    child.ended = once(child, "close").then(([status]) => ({ status, ...output }));
    child.output = output;
    this.#children.add(child);
    child.ended.then(() => this.#children.delete(child));
    return child;
  }

  /** The store keeps its data in a folder of its own, and its port. */
  async startRedis() {
    const port = this.store ? [new URL(this.store).port] : [];
    this.redis = this.start("sh", ["redis.sh", join(folder, this.#name.replaceAll(" ", "-")), ...port]);
    while (!this.redis.output.out.includes("Ready to accept connections")) {
      assert.equal(this.redis.exitCode, null, this.redis.output.err);
      await wait(20);
    }
    [, this.store] = /^STORE=(.*)$/m.exec(this.redis.output.out);
  }

  /** Keeps jobs and results in PostgreSQL. */
  async startPostgres() {
    const server = this.start("sh", ["postgres.sh", join(folder, "postgres")]);
    while (!server.output.err.includes("ready to accept connections")) {
      assert.equal(server.exitCode, null, server.output.err);
      await wait(20);
    }
    [, this.store] = /^STORE=(.*)$/m.exec(server.output.out);
  }

  work() {
    return this.start(process.execPath, ["worker.js"]);
  }

  /** A worker with a fault; the delay gives time for accidents. */
  workBadly(FAULT = "slow", DELAY = "250") {
    return this.start(process.execPath, ["faulty-worker.js"], { FAULT, DELAY });
  }

  hash(source, options = [], env = {}) {
    const part = statSync(source, { throwIfNoEntry: false })?.size < PART * 32 ? SMALL_PART : PART;
    return this.start(process.execPath, ["hash.js", `--part=${part}`, ...options, source], env);
  }

  /** Waits until slow workers have hashed some parts. */
  async middleOf(job, parts = 5) {
    const hashed = () =>
      [...this.#children].reduce((sum, { output }) => sum + output.err.split("hashed").length - 1, 0);
    while (hashed() < parts) await wait(50);
    assert.equal(job.exitCode, null, `must be in the middle: ${job.output.out}${job.output.err}`);
  }

  async stop(child, signal = "SIGKILL") {
    child.kill(signal);
    return child.ended;
  }

  async end() {
    await Promise.all([...this.#children].map((child) => this.stop(child)));
  }

  get errors() {
    return [...this.#children].map(
      ({ spawnargs, output }) => `${spawnargs.slice(1).join(" ")}: ${output.err.slice(-1500)}`,
    );
  }
}

async function expectDigest(job, expected = digest) {
  const { status, out, err } = await job.ended;
  assert.deepEqual([status, out.split("  ")[0]], [0, expected], err);
}

async function expectRefusal(job, message) {
  const { status, out, err } = await job.ended;
  assert.deepEqual([status, out], [1, ""], `no digest: ${out}`);
  assert.match(err, message);
}

/** Serves a file in ranges, each without its last `missing` bytes, with an ETag that `replace` changes. */
async function serve(path, missing = 0) {
  let version = 1;
  const size = statSync(path).size;
  const server = createServer((request, response) => {
    const etag = `"${version}"`;
    const { range, "if-match": match } = request.headers;
    response.setHeader("ETag", etag);
    if (match && match !== etag) return response.writeHead(412).end();
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    const [start, end] = from ? [Number(from), Number(to)] : [0, size - 1];
    if (from) response.setHeader("Content-Range", `bytes ${start}-${end}/${size}`);
    response.writeHead(from ? 206 : 200, from && missing ? {} : { "Content-Length": end - start + 1 });
    if (request.method === "HEAD") return response.end();
    return createReadStream(path, { start, end: end - missing }).pipe(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/object`, replace: () => version++, close };
}

const scenarios = {
  async "ten workers killed"(stage) {
    const workers = [stage.workBadly(), stage.workBadly()];
    const job = stage.hash(object);
    await stage.middleOf(job);
    const killing = (async () => {
      for (let kills = 0; kills < 10; kills++) {
        await wait(400 + randomInt(600));
        assert.equal(job.exitCode, null, `runs at kill ${kills}`);
        await stage.stop(workers[kills % 2]);
        workers[kills % 2] = stage.workBadly();
      }
    })();
    await Promise.all([killing, expectDigest(job)]);
  },
  async "an event loop blocked past its lock"(stage) {
    const blocked = stage.workBadly("block");
    const job = stage.hash(object);
    while (!blocked.output.err.includes("blocked")) await wait(20);
    const other = stage.workBadly();
    // The lock expires, and the part is the other's.
    while (!other.output.err.includes("stalled")) await wait(20);
    writeFileSync(join(project, "unblocked"), "");
    await expectDigest(job);
  },
  async "Redis killed and started again"(stage) {
    stage.workBadly();
    stage.workBadly();
    const job = stage.hash(object);
    await stage.middleOf(job, 20);
    await stage.stop(stage.redis);
    await wait(1000);
    await stage.startRedis();
    await expectDigest(job);
  },
  async "jobs in PostgreSQL"(stage) {
    await stage.stop(stage.redis);
    await stage.startPostgres();
    stage.workBadly("slow", "20");
    const killed = stage.workBadly("slow", "20");
    const job = stage.hash(small);
    await stage.middleOf(job);
    await stage.stop(killed);
    await expectDigest(job, smallDigest);
  },
  async "an HTTP object in ranges"(stage) {
    const { url, close } = await serve(object);
    stage.work();
    stage.work();
    await expectDigest(stage.hash(url));
    close();
  },
  async "two levels above 10 000 parts"(stage) {
    const path = writeObject("many-parts", 10_001 * 1024 + 5);
    stage.work();
    stage.work();
    await expectDigest(stage.start(process.execPath, ["hash.js", "--part=1024", path]), digestOf(path));
  },
  async "a producer that ends"(stage) {
    stage.workBadly("slow", "100");
    const job = stage.hash(small);
    await stage.middleOf(job);
    await stage.stop(job);
    const worker = stage.workBadly("slow", "100");
    await expectDigest(stage.hash(small), smallDigest);
    await stage.stop(worker);
    await stage.stop(stage.redis);
    await stage.startRedis();
    // Only the store is left: this is its result.
    await expectDigest(stage.hash(small), smallDigest);
  },
  async "a worker that is asked to end"(stage) {
    const first = stage.workBadly("slow", "100");
    const job = stage.hash(small);
    await stage.middleOf(job);
    assert.equal((await stage.stop(first, "SIGTERM")).status, 0);
    const second = stage.workBadly("slow", "100");
    await expectDigest(job, smallDigest);
    // No lock had to expire.
    assert.doesNotMatch(second.output.err, /stalled/);
  },
  async "progress on a terminal"(stage) {
    stage.workBadly("slow", "100");
    stage.workBadly("slow", "100");
    const command = `'${process.execPath}' hash.js --part=${SMALL_PART} '${small}'`;
    const { status, out } = await stage.start("script", ["-qec", command, "/dev/null"]).ended;
    assert.equal(status, 0);
    const lines = out.split("\r\u001b[K");
    assert.match(lines[lines.length >> 1], /^\d+ of 65 parts, 0\.\d\d GB, \d+ MB\/s, \d+ s left$/);
    assert.equal(lines.at(-1).trimEnd(), `${smallDigest}  ${small}`);
  },
  async "a file written to in the middle"(stage) {
    const path = writeObject("written-to", 65 * SMALL_PART);
    stage.workBadly("slow", "100");
    const job = stage.hash(path);
    await stage.middleOf(job);
    const file = openSync(path, "r+");
    writeSync(file, randomBytes(1), 0, 1, 60 * SMALL_PART);
    closeSync(file);
    await expectRefusal(job, /written-to: the object has been replaced: expected version .*, found/);
  },
  async "an HTTP object replaced in the middle"(stage) {
    const { url, replace, close } = await serve(small);
    stage.workBadly("slow", "100");
    const job = stage.start(process.execPath, ["hash.js", `--part=${SMALL_PART}`, url]);
    await stage.middleOf(job);
    replace();
    await expectRefusal(job, /object: the object has been replaced: expected version "1", found "2"/);
    close();
  },
  async "a worker that returns wrong values"(stage) {
    stage.workBadly("slow", "100");
    const liar = stage.workBadly("lie", "100");
    const job = stage.hash(small, ["--verify=0.5"]);
    await expectRefusal(job, /value must be the one already set for the part at offset \d+/);
    // Another attempt with honest workers begins anew.
    await stage.stop(liar);
    await expectDigest(stage.hash(small, ["--verify=0.1"]), smallDigest);
  },
  async "an object of one part, and of none"(stage) {
    const empty = writeObject("empty", 0);
    await expectDigest(stage.hash(empty), digestOf(empty));
    const one = writeObject("one-part", SMALL_PART);
    await expectDigest(stage.hash(one), digestOf(one));
    await expectRefusal(stage.hash(join(folder, "absent")), /absent: ENOENT/);
    const { url, close } = await serve(one, 5);
    await expectRefusal(stage.hash(url), /object: 1048571 of 1048576 bytes at 0/);
    close();
  },
};

async function run(name, scenario) {
  const stage = new Stage(name);
  const began = performance.now();
  const late = AbortSignal.timeout(LIMIT);
  try {
    await stage.startRedis();
    await Promise.race([scenario(stage), once(late, "abort").then(() => assert.fail("takes more than ten minutes"))]);
    console.log(`ok      ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    console.log(`FAILED  ${name}\n`, error, ...stage.errors);
    process.exitCode = 1;
  }
  await stage.end();
}

const project = installExample("distributed", folder);
cpSync(join(import.meta.dirname, "faulty-worker.js"), join(project, "faulty-worker.js"));
const object = writeObject("object", 2 ** 28 + 1);
assert.equal(Math.ceil(statSync(object).size / PART), PARTS);
const digest = digestOf(object);
const small = writeObject("small", PARTS * SMALL_PART - 1);
const smallDigest = digestOf(small);
const queue = Object.entries(scenarios).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const lane = async () => {
  for (let next = queue.shift(); next; next = queue.shift()) await run(...next);
};
try {
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
// A scenario that has failed may still wait for what will never happen.
process.exit();
