// Blake3Pool against the plain call on one thread: node bench/threads.mjs [--quick] [--most SIZE] [--json FILE]
// Every kind of source, sizes around powers of two, pools of 1, 2 and as many threads as there are cores.
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { blake3 as noble } from "@noble/hashes/blake3.js";
import { blake3, toHex } from "../dist/index.js";
import { Blake3Pool } from "../dist/parallel.js";
import { parseSize, pattern, sizeName } from "./cases/cases.mjs";
import { describeMachine, writeResults } from "./report/results.mjs";
import { align } from "./report/rows.mjs";

const { quick, json, most } = parseArgs({
  options: { quick: { type: "boolean" }, json: { type: "string" }, most: { type: "string", default: "1GiB" } },
}).values;
const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;
// A power of two, just beyond it, and odd counts of quarters: where an error in dividing a message evenly shows first.
const powers = Array.from({ length: 11 }, (_, i) => (64 * KiB) << i);
const longestSize = Math.min(parseSize(most), 64 * MiB);
const sizes = powers
  .flatMap((power) => [power, power + KiB, power * 1.25, power * 1.5, power * 1.5 + KiB])
  .filter((n) => n <= longestSize);
const threadCounts = [...new Set([1, 2, availableParallelism()])];
const PIECE = 256 * KiB;

const folder = mkdtempSync(join(tmpdir(), "blake-simd-bench-"));
const path = join(folder, "message");
const piece = new Uint8Array(PIECE);

/** Hashes a file on one thread, which reads it piece by piece into the same array. */
function hashFile() {
  const hasher = blake3.create();
  const descriptor = openSync(path);
  for (let read = 1; read > 0; ) {
    read = readSync(descriptor, piece);
    hasher.update(piece.subarray(0, read));
  }
  closeSync(descriptor);
  return hasher.digest();
}

function fill(target, message) {
  target.set(message);
  return target;
}

const shared = (message) => fill(new Uint8Array(new SharedArrayBuffer(message.length)), message);

/** source -> what a pool is given and what the plain call does; `release` gives back what it has taken. */
const sources = {
  bytes: (message) => ({ of: () => message, plain: () => blake3(message) }),
  SharedArrayBuffer: (message) => {
    const bytes = shared(message);
    return { of: () => bytes, plain: () => blake3(bytes) };
  },
  "pool memory": (message, pools) => {
    const copies = new Map(pools.map((pool) => [pool, fill(pool.allocate(message.length), message)]));
    return {
      of: (pool) => copies.get(pool),
      plain: () => blake3(message),
      release: () => pools.map((pool) => pool.release(copies.get(pool))),
    };
  },
  Blob: (message) => {
    const blob = new Blob([message]);
    return { of: () => blob, plain: async () => blake3(await blob.arrayBuffer()) };
  },
  file: (message) => {
    writeFileSync(path, message);
    return { of: () => ({ path }), plain: hashFile };
  },
};

/** Nanoseconds of each contestant, in rounds that take all in turn, each round beginning with a different one. */
async function timeAll(contestants, rounds) {
  const times = contestants.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const which = (turn + round) % contestants.length;
      const start = performance.now();
      await contestants[which]();
      times[which].push(1e6 * (performance.now() - start));
    }
  }
  return times
    .map((list) => list.sort((a, b) => a - b))
    .map((list) => ({ best: list[0], median: list[list.length >> 1] }));
}

function roundsFor(size) {
  const many = Math.min(300, Math.max(15, Math.round((64 * MiB) / size)));
  return quick ? Math.ceil(many / 5) : many;
}

/** One source and size: the plain call first, then each pool. A wrong digest ends the run. */
async function measure(source, size, { of, plain, release }, digest, pools) {
  const contestants = [plain, ...pools.map((pool) => () => pool.hash(of(pool)))];
  for (const contestant of contestants) {
    if (toHex(await contestant()) !== digest) throw new Error(`${source}, ${size} bytes: a wrong digest`);
  }
  const [one, ...several] = await timeAll(contestants, roundsFor(size));
  release?.();
  return { source, size, plain: one, pools: several.map((time, i) => ({ threads: threadCounts[i], ...time })) };
}

const number = (value) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);

function row({ size, plain, pools }) {
  const ratios = pools.map(({ best, median }) => `${number(plain.best / best)} (${number(plain.median / median)})`);
  return [sizeName(size), number(plain.best / 1e3), number((size / plain.best) * 1e3), ...ratios];
}

function print(source, rows) {
  const heads = threadCounts.map((count) => `${count} thread${count === 1 ? "" : "s"}`);
  console.log(`${source}: speed of a pool over one thread's, best (median)`);
  console.log(align([["size", "us", "MB/s", ...heads], ...rows.map(row)]));
}

/** The same bytes over and over, as many as make 1 GiB, and their digest. */
function writeLargeFile(message) {
  const hasher = noble.create();
  const descriptor = openSync(path, "w");
  for (let written = 0; written < GiB; written += message.length) {
    writeSync(descriptor, message);
    hasher.update(message);
  }
  closeSync(descriptor);
  return toHex(hasher.digest());
}

const pools = threadCounts.map((threads) => new Blake3Pool({ threads }));
const results = [];
try {
  const longest = pattern(longestSize);
  const digests = new Map(sizes.map((size) => [size, toHex(noble(longest.subarray(0, size)))]));
  // Until the engine has optimised what each worker runs.
  for (const pool of pools) for (let i = 0; i < 10; i++) await pool.hash(longest);
  for (const [source, make] of Object.entries(sources)) {
    const rows = [];
    for (const size of sizes) {
      const message = longest.slice(0, size);
      rows.push(await measure(source, size, make(message, pools), digests.get(size), pools));
    }
    print(source, rows);
    results.push(...rows);
  }
  if (parseSize(most) >= GiB) {
    const digest = writeLargeFile(longest);
    const large = await measure("file", GiB, { of: () => ({ path }), plain: hashFile }, digest, pools);
    print("file of 1 GiB", [large]);
    results.push(large);
  }
  if (json) writeResults(json, { machine: describeMachine(), runtime: process.version, results });
} finally {
  await Promise.all(pools.map((pool) => pool.close()));
  rmSync(folder, { recursive: true });
}
