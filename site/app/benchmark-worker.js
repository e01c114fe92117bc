// Measures packages in interleaved rounds, so that a slow moment hits all of them.
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake2b, blake2s, blake3 } from "blake-simd";
import { hash as jitBlake3 } from "blake3-jit";
import { createBLAKE2b, createBLAKE2s, createBLAKE3 } from "hash-wasm";

/** hash-wasm's hashers are asynchronous to make and synchronous to use. */
async function reused(create) {
  const hasher = await create();
  return (bytes) => hasher.init().update(bytes).digest("binary");
}

const offers = {
  blake3: {
    "blake-simd": blake3,
    "@noble/hashes": nobleBlake3,
    "blake3-jit": jitBlake3,
    "hash-wasm": () => reused(createBLAKE3),
  },
  blake2b: { "blake-simd": blake2b, "@noble/hashes": nobleBlake2b, "hash-wasm": () => reused(createBLAKE2b) },
  blake2s: { "blake-simd": blake2s, "@noble/hashes": nobleBlake2s, "hash-wasm": () => reused(createBLAKE2s) },
};

/** A round lasts about this long for each package, in milliseconds. */
const ROUND = 15;

function time(hash, bytes, calls) {
  const start = performance.now();
  for (let i = 0; i < calls; i++) hash(bytes);
  return (performance.now() - start) / calls;
}

/** Engines compile what runs often: each package runs so long before anything counts, in milliseconds. */
const WARM_UP = 250;

/** How many calls fill a round, once the package is warm. */
function callsFor(hash, bytes) {
  for (const start = performance.now(); performance.now() - start < WARM_UP; ) hash(bytes);
  // Clocks may be as coarse as a millisecond, and a pause of the collector must not count for a slow hash.
  for (let calls = 1; ; calls *= 2) {
    const each = Math.min(...Array.from({ length: 3 }, () => time(hash, bytes, calls)));
    if (each * calls >= ROUND) return calls;
  }
}

const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

async function packagesFor(algorithm, bytes) {
  const found = await Promise.all(
    Object.entries(offers[algorithm]).map(async ([name, offer]) => {
      const hash = name === "hash-wasm" ? await offer() : offer;
      return { name, hash, digest: hash(bytes) };
    }),
  );
  // @noble/hashes is JavaScript alone and judges the others, blake-simd included.
  const { digest: right } = found.find(({ name }) => name === "@noble/hashes");
  const isRight = ({ digest }) => same(digest, right);
  return { good: found.filter(isRight), refused: found.filter((each) => !isRight(each)).map(({ name }) => name) };
}

async function measure({ algorithm, size, rounds }) {
  const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 255);
  const { good, refused } = await packagesFor(algorithm, bytes);
  const packages = good.map((each) => ({ ...each, calls: callsFor(each.hash, bytes), best: Number.POSITIVE_INFINITY }));
  for (let round = 1; round <= rounds; round++) {
    for (const each of packages) each.best = Math.min(each.best, time(each.hash, bytes, each.calls));
    const rates = packages.map(({ name, best }) => ({ name, rate: size / best / 1000 }));
    postMessage({ algorithm, size, round, rounds, refused, packages: rates, done: round === rounds });
    await new Promise((later) => setTimeout(later));
  }
}

addEventListener("message", ({ data }) => measure(data).catch((error) => postMessage({ error: error.message })));
