// node bench/sizes.mjs: bundles BLAKE3 and BLAKE2b alone from each package, with esbuild and minified, compresses them with
// gzip, and draws docs/pictures/sizes-*.svg. It needs `npm ci --prefix bench` and a build.
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { drawChart, themeNames } from "./chart.mjs";
import { root } from "./prepare.mjs";

/** What a program writes that uses one hash of each package, and no more. */
const programs = {
  blake3: {
    "blake-simd": 'export { blake3 } from "blake-simd"',
    "hash-wasm": 'export { createBLAKE3 } from "hash-wasm"',
    "@noble/hashes": 'export { blake3 } from "@noble/hashes/blake3.js"',
    "blake3-jit": 'export { hash } from "blake3-jit"',
    "@webbuf/blake3": 'export * from "@webbuf/blake3"',
  },
  blake2b: {
    "blake-simd": 'export { blake2b } from "blake-simd"',
    "hash-wasm": 'export { createBLAKE2b } from "hash-wasm"',
    "@noble/hashes": 'export { blake2b } from "@noble/hashes/blake2.js"',
    blakejs: 'export { blake2b } from "blakejs"',
    "@stablelib": 'export { BLAKE2b } from "@stablelib/blake2b"',
    "blake2b-wasm": 'export { default } from "blake2b-wasm"',
    libsodium: 'export { default } from "libsodium-wrappers"',
  },
};

async function gzipped(name, contents) {
  const resolveDir = name === "blake-simd" ? root : `${root}bench`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    external: ["node:*", "crypto", "fs", "path"],
    define: { global: "globalThis" },
    target: "es2022",
    write: false,
    logLevel: "error",
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000;
}

const panels = [];
for (const [title, packages] of Object.entries(programs)) {
  const bars = [];
  for (const [label, program] of Object.entries(packages)) {
    bars.push({ label, value: await gzipped(label, program), kind: label === "blake-simd" ? "own" : "rival" });
  }
  bars.sort((a, b) => a.value - b.value);
  console.log(title, bars.map(({ label, value }) => `${label} ${value.toFixed(1)}`).join(", "));
  panels.push({ title, bars });
}
const chart = { title: "Size of one algorithm in a bundle, gzipped", unit: "kB, shorter is better", panels };
for (const theme of themeNames) writeFileSync(`${root}docs/pictures/sizes-${theme}.svg`, drawChart(chart, theme));
