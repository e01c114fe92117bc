// node bench/sizes.mjs: bundles BLAKE3 and BLAKE2b alone from each other package, with esbuild and minified, compresses
// them with gzip, and writes their sizes in kB to bench/sizes.json, from which `npm run sizes` draws the chart of
// docs/comparison.md. It needs `npm ci --prefix bench`.
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "./survey/prepare.mjs";

/** What a program writes that uses one hash of each package, and no more. */
const programs = {
  blake3: {
    "hash-wasm": 'export { createBLAKE3 } from "hash-wasm"',
    "@noble/hashes": 'export { blake3 } from "@noble/hashes/blake3.js"',
    "blake3-jit": 'export { hash } from "blake3-jit"',
    "@webbuf/blake3": 'export * from "@webbuf/blake3"',
  },
  blake2b: {
    "hash-wasm": 'export { createBLAKE2b } from "hash-wasm"',
    "@noble/hashes": 'export { blake2b } from "@noble/hashes/blake2.js"',
    blakejs: 'export { blake2b } from "blakejs"',
    "@stablelib": 'export { BLAKE2b } from "@stablelib/blake2b"',
    "blake2b-wasm": 'export { default } from "blake2b-wasm"',
    libsodium: 'export { default } from "libsodium-wrappers"',
  },
};

async function gzipped(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: `${root}bench` },
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
  return Number((gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000).toFixed(2));
}

const sizes = {};
for (const [algorithm, packages] of Object.entries(programs)) {
  sizes[algorithm] = {};
  for (const [name, program] of Object.entries(packages)) sizes[algorithm][name] = await gzipped(program);
}
writeFileSync(`${root}bench/sizes.json`, `${JSON.stringify(sizes, null, 2)}\n`);
