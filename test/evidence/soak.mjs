// Uses the package many times, and requires that memory stays flat: the heap after a collection, and memory outside it.
//
//   npm run soak -- [--calls N] [--hashers N] [--streams N] [--pools N] [--bytes N] [--workers N] [--deaths N]
//
//   --calls     one-shots, 10 000 000 by default          --hashers   hashers that are dropped undisposed, 1 000 000
//   --streams   HashStreams, 100 000                      --pools     pools opened, used and closed, 10 000
//   --bytes     through one hasher of each algorithm,     --workers   worker threads that hash at once, 16
//               2 ** 32 + 1                               --deaths    workers of a pool that are killed, 1000
//
// Digests are compared with node:crypto's and @noble/hashes'; --small runs a thousandth of each.
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import threads, { isMainThread, parentPort, Worker } from "node:worker_threads";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { algorithms, blake2b, blake3, toHex } from "blake-simd";
import { Blake3Pool } from "blake-simd/parallel";
import { HashStream } from "blake-simd/streams";

const counts = { calls: 1e7, hashers: 1e6, streams: 1e5, pools: 1e4, bytes: 2 ** 32 + 1, workers: 16, deaths: 1000 };
const MARGIN = 24 << 20; // what engines keep for themselves

const counting = (length) => Uint8Array.from({ length }, (_, i) => i % 251);
const message = counting(3000);

function requireSame(actual, wanted, where) {
  if (actual !== wanted) throw new Error(`${where}: the digest must be ${wanted}, got ${actual}`);
}

function memory() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, arrayBuffers, external } = process.memoryUsage();
  return heapUsed + arrayBuffers + external;
}

/** Runs something a number of times, after a tenth of it to warm up. */
async function flat(name, count, use) {
  for (let i = 0; i < count / 10; i++) await use(i);
  const before = memory();
  const start = performance.now();
  for (let i = 0; i < count; i++) {
    const pending = use(i);
    if (pending) await pending;
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const growth = memory() - before;
  if (growth > MARGIN) throw new Error(`${name}: memory must stay flat, grew by ${growth} bytes in ${count}`);
  console.log(`ok ${name}: ${count} in ${seconds} s, ${Math.round(growth / 1024)} kB more`);
}

const all = Object.values(algorithms);
const wanted2b = createHash("blake2b512").update(message).digest("hex");
const wanted3 = toHex(nobleBlake3(message));
const long = counting(3 << 20);
const wantedLong = toHex(nobleBlake3(long));

function call(i) {
  all[i % all.length](message);
  if (i % 1000 === 0) requireSame(toHex(blake2b(message)), wanted2b, "blake2b");
}

function dropHasher(i) {
  const hasher = all[i % all.length].create().update(message);
  if (i % 3 === 0) hasher.digest();
}

async function stream() {
  const hashed = new HashStream(blake3);
  const [digest] = await Promise.all([
    hashed.digest,
    new Response(new Blob([message]).stream().pipeThrough(hashed)).arrayBuffer(),
  ]);
  requireSame(toHex(digest), wanted3, "HashStream");
}

async function pool() {
  const own = new Blake3Pool({ threads: 1 });
  requireSame(toHex(await own.hash(long)), wantedLong, "Blake3Pool");
  await own.close();
}

/** Two hashers in turn, with different pieces, must agree; for two of the algorithms with node:crypto, too. */
async function manyBytes(bytes) {
  const piece = counting(251 * 4096);
  for (const algorithm of all) {
    const [own, other] = [algorithm.create(), algorithm.create()];
    const native = { blake2b: "blake2b512", blake2s: "blake2s256" }[algorithm.algorithm];
    const theirs = native && createHash(native);
    for (let at = 0; at < bytes; at += piece.length) {
      const part = piece.subarray(0, Math.min(piece.length, bytes - at));
      const cut = 1 + ((at / 251) % (part.length - 1));
      own.update(part);
      other.update(part.subarray(0, cut)).update(part.subarray(cut));
      theirs?.update(part);
    }
    if (own.bytesHashed !== BigInt(bytes)) throw new Error(`${algorithm.algorithm}: counted ${own.bytesHashed} bytes`);
    requireSame(own.digest("hex"), other.digest("hex"), `${algorithm.algorithm} of ${bytes} bytes, cut otherwise`);
    if (theirs) requireSame(own.digest("hex"), theirs.digest("hex"), `${algorithm.algorithm} of ${bytes} bytes`);
    console.log(`ok ${algorithm.algorithm}: ${bytes} bytes${theirs ? ", as node:crypto" : ""}`);
  }
}

async function workersAtOnce(count) {
  const file = new URL(import.meta.url);
  const digests = Array.from({ length: count }, () => {
    const worker = new Worker(file);
    return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  });
  for (const digest of await Promise.all(digests)) requireSame(digest, wanted3, "a worker thread");
  console.log(`ok ${count} worker threads at once`);
}

async function deaths(count) {
  const started = [];
  process.on("worker", (worker) => started.push(worker));
  const own = new Blake3Pool({ threads: 2 });
  // A worker of an idle pool keeps no process alive, not even until it has ended.
  const alive = setInterval(() => {}, 1000);
  for (let i = 0; i < count; i++) {
    const hash = own.hash(long);
    await started.at(-1)?.terminate();
    requireSame(toHex(await hash), wantedLong, `after ${i} deaths`);
  }
  await own.close();
  clearInterval(alive);
  console.log(`ok ${count} deaths, ${started.length} workers`);
}

async function main() {
  const types = Object.fromEntries(Object.keys(counts).map((name) => [name, { type: "string" }]));
  const { values } = parseArgs({ options: { ...types, small: { type: "boolean", default: false } } });
  const small = (name, count) => (name === "workers" ? count : Math.ceil(count / 1000));
  const chosen = Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [
      name,
      Number(values[name] ?? (values.small ? small(name, count) : count)),
    ]),
  );
  await flat("one-shots", chosen.calls, call);
  await flat("hashers", chosen.hashers, dropHasher);
  await flat("streams", chosen.streams, stream);
  await flat("pools", chosen.pools, pool);
  await manyBytes(chosen.bytes);
  await workersAtOnce(chosen.workers);
  await deaths(chosen.deaths);
}

if (isMainThread || threads.parentPort === null) await main();
else {
  let digest;
  for (let i = 0; i < 2000; i++) digest = toHex(blake3.create().update(message).digest());
  parentPort.postMessage(digest);
}
