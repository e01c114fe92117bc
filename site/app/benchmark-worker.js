// Measures packages in interleaved rounds, so that a slow moment hits all of them.
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { backend, blake2b, blake2s, blake3 } from "blake-simd";
import { hash as jitBlake3 } from "blake3-jit";
import { load, hash as wasmBlake3 } from "blake3-wasm";
import { createBLAKE2b, createBLAKE2s, createBLAKE3 } from "hash-wasm";

/** hash-wasm's hashers are asynchronous to make and synchronous to use. */
const reused = (create) => async () => {
  const hasher = await create();
  return (bytes) => hasher.init().update(bytes).digest("binary");
};

/** Of each algorithm and package, what resolves with its function. */

const offers = {
  blake3: {
    "blake-simd": () => blake3,
    "@noble/hashes": () => nobleBlake3,
    "blake3-jit": () => jitBlake3,
    "blake3-wasm": () => load().then(() => wasmBlake3),
    "hash-wasm": reused(createBLAKE3),
  },
  blake2b: { "blake-simd": () => blake2b, "@noble/hashes": () => nobleBlake2b, "hash-wasm": reused(createBLAKE2b) },
  blake2s: { "blake-simd": () => blake2s, "@noble/hashes": () => nobleBlake2s, "hash-wasm": reused(createBLAKE2s) },
};

/** A round lasts at least this long for each package, in milliseconds: clocks may be as coarse as one millisecond. */
const ROUND = 15;

/** Engines compile what runs often: each package runs so long before anything counts, in milliseconds. */
const WARM_UP = 250;

function warmUp(hash, bytes) {
  for (const start = performance.now(); performance.now() - start < WARM_UP; ) hash(bytes);
}

/** Returns the milliseconds of a call. If too few calls fill a round, this one and later ones have more of them. */
function timeRound(each, bytes) {
  for (;;) {
    const start = performance.now();
    for (let i = 0; i < each.calls; i++) each.hash(bytes);
    const elapsed = performance.now() - start;
    if (elapsed >= ROUND) return elapsed / each.calls;
    each.calls *= 2;
  }
}

const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

async function packagesFor(algorithm, bytes) {
  const found = await Promise.all(
    Object.entries(offers[algorithm]).map(async ([name, offer]) => {
      const hash = await offer();
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
  for (const { hash } of good) warmUp(hash, bytes);
  const packages = good.map((each) => ({ ...each, calls: 1, best: Number.POSITIVE_INFINITY }));
  for (let round = 1; round <= rounds; round++) {
    for (const each of packages) each.best = Math.min(each.best, timeRound(each, bytes));
    const rates = packages.map(({ name, best }) => ({ name, rate: size / best / 1000 }));
    const done = round === rounds;
    postMessage({ algorithm, size, round, rounds, refused, packages: rates, backend: backend(), done });
    await new Promise((later) => setTimeout(later));
  }
}

addEventListener("message", ({ data }) => measure(data).catch((error) => postMessage({ error: error.message })));
