// What bench/javascript.mjs bundles and runs in each engine: the build for engines without WebAssembly, next to
// packages that are pure JavaScript.
import { blake256, blake512 } from "@noble/hashes/blake1.js";
import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { hash as blake3Jit } from "blake3-jit";
import blakejs from "blakejs";
import { algorithms } from "../../dist/javascript/index.js";

const noble = { blake256, blake512, blake2b, blake2s, blake3 };
const now = typeof performance === "undefined" ? Date.now : () => performance.now();

function contestants(name) {
  const rivals = { "@noble/hashes": noble[name] };
  if (name in blakejs) rivals.blakejs = blakejs[name];
  if (name === "blake3") rivals["blake3-jit"] = blake3Jit;
  return Object.entries({ "blake-simd": algorithms[name], ...rivals });
}

function time({ hash, calls }, message) {
  const start = now();
  for (let call = 0; call < calls; call++) hash(message);
  return now() - start;
}

/** Sets how many calls make a batch; also where the engine gets to know the function. */
function calibrate(entry, message, milliseconds) {
  while (time(entry, message) < milliseconds / 2) entry.calls *= 2;
}

function measure(name, size, { rounds, milliseconds }) {
  const message = Uint8Array.from({ length: size }, (_, i) => i % 251);
  const entries = contestants(name).map(([who, hash]) => ({ who, hash, calls: 1, best: 0 }));
  const digests = entries.map(({ hash }) => String(hash(message)));
  if (digests.some((digest) => digest !== digests[0])) throw new Error(`${name}: digests differ`);
  for (let twice = 0; twice < 2; twice++) for (const entry of entries) calibrate(entry, message, milliseconds);
  for (let round = 0; round < rounds; round++) {
    for (const entry of entries) {
      entry.best = Math.max(entry.best, (entry.calls * size) / 1000 / time(entry, message));
    }
  }
  const [ours, ...rivals] = entries;
  const ratio = ours.best / Math.max(...rivals.map(({ best }) => best));
  const figures = entries.map(({ who, best }) => `${who} ${best.toFixed(2)}`);
  return `${name} | ${size} | ${figures.join(", ")} | ${ratio.toFixed(2)}`;
}

globalThis.result = OPTIONS.algorithms
  .flatMap((name) => OPTIONS.sizes.map((size) => measure(name, size, OPTIONS)))
  .join("\n");
