// Targets of speed for each runtime: the floor must hold, the aim is the goal.
import { algorithms, KiB, MiB, sizeSets } from "./cases.mjs";

/** The rivals of a target, by kind or by name: the fastest of them with the right digest counts. */
const notNative = { kinds: ["wasm", "js"] };
const everyRival = { kinds: ["wasm", "js", "addon"] };
const named = (...names) => ({ names });

const hashWasm = named("hash-wasm");
const nodeCrypto = named("node:crypto");
const rustWasm = named("rust-wasm", "rust-wasm-simd");
const nativeBest = named("Rust blake3");
const nativeSse = named("Rust blake3 (SSE4.1)");
const decred = named("Go dcrd blake256");

/** The same limits on both of the Node releases that bound what we support. */
const everyNode = (floor, aim) => ({ node20: [floor, aim], node26: [floor, aim] });

/** Where kernels are optimised by JavaScriptCore. */
const everyJsc = (floor, aim = floor) => ({ bun: [floor, aim], webkit: [floor, aim] });

/** Algorithms that a WebAssembly package offers besides. */
const offeredInWasm = ["blake2b", "blake2s", "blake2bp", "blake2sp", "blake3"];

/** Speed of ours over the rival's at each of the sizes; the worst counts. limits: runtime -> [floor, aim]. */
const speed = (algorithm, sizes, against, limits) => ({ measure: "speed", algorithm, sizes, against, limits });

/** Our time as a share of the rival's. */
const share = (algorithm, sizes, against, limits) => ({ measure: "share", algorithm, sizes, against, limits });

/** Our time per byte for one message of 256 MiB over that for messages of 1 MiB. */
const growth = (algorithm) => ({
  measure: "growth",
  algorithm,
  limits: { ...everyNode(1.03, 1.03), ...everyJsc(1.03) },
});

export const growthSizes = { short: MiB, long: 256 * MiB };

export const targets = [
  speed("blake3", [MiB], nativeSse, { node20: [1, 1.15], node26: [0.9, 1.1] }),
  speed("blake3", [MiB], notNative, { node20: [1.05, 1.2], node26: [1.1, 1.3] }),
  speed("blake3", [KiB], notNative, everyNode(1.2, 1.4)),
  speed("blake3", [3268], notNative, everyNode(1.2, 1.4)),
  speed("blake3", [KiB], nativeBest, { node20: [0.9, 1.05], node26: [0.85, 1] }),
  share("blake3", [64], everyRival, everyNode(0.8, 0.62)),
  speed("blake2b", [MiB], hashWasm, { node20: [1.02, 1.1], node26: [1.05, 1.2] }),
  speed("blake2b", [MiB], nodeCrypto, { node20: [1.1, 1.2] }),
  speed("blake2s", [MiB], hashWasm, { node20: [1.03, 1.15], node26: [1.05, 1.2] }),
  speed("blake2s", [MiB], nodeCrypto, { node20: [1.08, 1.2] }),
  speed("blake2bp", [MiB], rustWasm, { node20: [1.4, 1.6], node26: [1.3, 1.6] }),
  speed("blake2sp", [MiB], rustWasm, { node20: [2.3, 3], node26: [2.2, 3] }),
  speed("blake256", [MiB], decred, { node20: [0.9, 1.1], node26: [0.8, 1] }),
  speed("blake512", [MiB], everyRival, everyNode(1.5, 2)),
  ...Object.keys(algorithms).map((algorithm) => speed(algorithm, [3, 64], everyRival, everyNode(1, 1))),
  ...offeredInWasm.map((algorithm) => speed(algorithm, sizeSets.survey, { kinds: ["wasm"] }, everyJsc(1.1))),
  speed("blake3", [MiB], hashWasm, { bun: [2, 2] }),
  speed("blake3", [KiB, 4 * KiB, 16 * KiB, MiB], notNative, { firefox: [1.05, 1.15] }),
  ...["blake3", "blake2b", "blake2s", "blake256", "blake512"].map(growth),
];
