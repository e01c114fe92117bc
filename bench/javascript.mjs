// The build for engines without WebAssembly, next to packages that are pure JavaScript: MB/s, best of interleaved rounds. Run it
// with and without --jitless.
//
//   node [--jitless] bench/javascript.mjs [ROUNDS]
import { algorithms } from "../dist/javascript/index.js";

// Before blake3-jit looks for it.
delete globalThis.WebAssembly;
const noble = {
  ...(await import("@noble/hashes/blake1.js")),
  ...(await import("@noble/hashes/blake2.js")),
  ...(await import("@noble/hashes/blake3.js")),
};
const { default: blakejs } = await import("blakejs");
const { hash: blake3Jit } = await import("blake3-jit");

const ROUNDS = Number(process.argv[2] ?? 40);
const MILLISECONDS = 5;
const SIZES = [64, 1024, 65_536, 1_048_576];
const NAMES = ["blake3", "blake2s", "blake2b", "blake256", "blake512"];

function contestants(name) {
  const rivals = { "@noble/hashes": noble[name] };
  if (name in blakejs) rivals.blakejs = blakejs[name];
  if (name === "blake3") rivals["blake3-jit"] = blake3Jit;
  return Object.entries({ "blake-simd": algorithms[name], ...rivals });
}

function measure(name, size) {
  const message = Uint8Array.from({ length: size }, (_, i) => i % 251);
  const entries = contestants(name).map(([who, hash]) => ({ who, hash, calls: 1, best: 0 }));
  const digests = entries.map(({ hash }) => String(hash(message)));
  if (digests.some((digest) => digest !== digests[0])) throw new Error(`${name}: digests differ`);
  for (let round = 0; round < ROUNDS; round++) {
    for (const entry of entries) {
      const start = performance.now();
      for (let call = 0; call < entry.calls; call++) entry.hash(message);
      const elapsed = Math.max(performance.now() - start, 0.01);
      entry.best = Math.max(entry.best, (entry.calls * size) / 1000 / elapsed);
      entry.calls = Math.max(1, Math.round((entry.calls * MILLISECONDS) / elapsed));
    }
  }
  const [ours, ...rivals] = entries;
  const ratio = ours.best / Math.max(...rivals.map(({ best }) => best));
  const figures = entries.map(({ who, best }) => `${who} ${best.toFixed(2)}`);
  return `${name} | ${size} | ${figures.join(", ")} | ${ratio.toFixed(2)}`;
}

console.log("algorithm | bytes | MB/s | to the best rival");
for (const name of NAMES) for (const size of SIZES) console.log(measure(name, size));
