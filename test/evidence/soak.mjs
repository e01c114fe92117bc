// Memory stays flat in numbers that no test has time for: the heap after a collection, and memory outside it.
//
//   npm run soak -- [--calls N] [--hashers N] [--streams N] [--pools N]
//
//   --calls     one-shots, 10 000 000 by default          --hashers   hashers that are dropped undisposed, 1 000 000
//   --streams   HashStreams, 100 000                      --pools     pools opened, used and closed, 10 000
import { parseArgs } from "node:util";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { algorithms, blake3, toHex } from "blake-simd";
import { Blake3Pool } from "blake-simd/parallel";
import { HashStream } from "blake-simd/streams";

const counts = { calls: 1e7, hashers: 1e6, streams: 1e5, pools: 1e4 };
const MARGIN = 24 << 20; // what engines keep for themselves

const all = Object.values(algorithms);
const [message, long] = [3000, 3 << 20].map((length) => new Uint8Array(length).map((_, i) => i % 251));
const [wanted, wantedLong] = [message, long].map((bytes) => toHex(nobleBlake3(bytes)));

function requireSame(actual, expected) {
  if (actual !== expected) throw new Error(`the digest must be ${expected}, got ${actual}`);
}

const uses = {
  calls: (i) => all[i % all.length](message),
  hashers(i) {
    const hasher = all[i % all.length].create().update(message);
    if (i % 3 === 0) hasher.digest();
  },
  async streams() {
    const hashed = new HashStream(blake3);
    await new Response(new Blob([message]).stream().pipeThrough(hashed)).arrayBuffer();
    requireSame(toHex(await hashed.digest), wanted);
  },
  async pools() {
    const own = new Blake3Pool({ threads: 1 });
    requireSame(toHex(await own.hash(long)), wantedLong);
    await own.close();
  },
};

function memory() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, arrayBuffers, external } = process.memoryUsage();
  return heapUsed + arrayBuffers + external;
}

async function repeat(use, count) {
  for (let i = 0; i < count; i++) {
    const pending = use(i);
    if (pending instanceof Promise) await pending;
  }
}

const options = Object.fromEntries(Object.keys(counts).map((name) => [name, { type: "string" }]));
const { values } = parseArgs({ options });
for (const [name, use] of Object.entries(uses)) {
  const count = Number(values[name] ?? counts[name]);
  await repeat(use, count / 10); // warms up
  const before = memory();
  await repeat(use, count);
  const growth = memory() - before;
  if (growth > MARGIN) throw new Error(`${name}: memory must stay flat, grew by ${growth} bytes in ${count}`);
  console.log(`ok ${name}: ${count}, ${Math.round(growth / 1024)} kB more`);
}
