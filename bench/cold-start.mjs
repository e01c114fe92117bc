// Cold starts: import plus the first digest of 32 bytes with BLAKE3, in a process that has done nothing before. Each
// sample is a process of its own; the packages take turns.
//
//   node bench/cold-start.mjs [ROUNDS [NODE]]      NODE: a different Node to measure, as a path
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { installRivals } from "./survey/prepare.mjs";
import { rotated } from "./timing/rounds.mjs";

installRivals();
const { blake3 } = await import("@noble/hashes/blake3.js");
const rounds = Number(process.argv[2] ?? 20);
const node = process.argv[3] ?? process.execPath;

const here = (path) => pathToFileURL(join(import.meta.dirname, path)).href;
const kernel = here("../wasm/dist/blake3.simd128.wasm");

/**
 * Name -> module and what is done with its namespace `m`. As file URLs, so that no search for a package is measured.
 */
const cases = {
  "blake-simd/blake3": { from: here("../dist/blake3.js"), work: "m.blake3(message)" },
  "blake-simd": { from: here("../dist/index.js"), work: "m.blake3(message)" },
  "blake-simd/blake3, bundled": { bundle: "../dist/blake3.js", work: "m.blake3(message)" },
  "the JavaScript build": { from: here("../dist/javascript/blake3.js"), work: "m.blake3(message)" },
  "the JavaScript build, bundled": { bundle: "../dist/javascript/blake3.js", work: "m.blake3(message)" },
  "hash-wasm": {
    // Node would choose its CommonJS file, which starts much later.
    from: here("node_modules/hash-wasm/dist/index.esm.js"),
    work: 'await m.createBLAKE3().then((hasher) => hasher.init().update(message).digest("binary"))',
  },
  "blake3-jit": { from: import.meta.resolve("blake3-jit"), work: "m.hash(message)" },
  "@noble/hashes": { from: import.meta.resolve("@noble/hashes/blake3.js"), work: "m.blake3(message)" },
  // The least that a package of one small file, and a kernel such as ours, would take.
  "an import of one small file": { from: here("timing/rounds.mjs"), work: "undefined" },
  "our kernel, from bytes to its first call": {
    before: `const kernel = (await import("node:fs")).readFileSync(new URL("${kernel}"));`,
    work: "new WebAssembly.Instance(new WebAssembly.Module(kernel)).exports.hash(32, 32)",
  },
};

function script({ before = "", from, work }) {
  return `
    const message = new Uint8Array(32);
    ${before}
    const start = performance.now();
    ${from ? `const m = await import("${from}");` : ""}
    const digest = ${work};
    const milliseconds = performance.now() - start;
    console.log(JSON.stringify({ milliseconds, digest: digest && Array.from(digest) }));
  `;
}

/** One file, as a bundler makes it, beside the script. */
function bundled(entry, outfile) {
  buildSync({
    stdin: { contents: `export { blake3 } from ${JSON.stringify(join(import.meta.dirname, entry))};`, resolveDir: "." },
    bundle: true,
    minify: true,
    format: "esm",
    logLevel: "error",
    outfile,
  });
  return pathToFileURL(outfile).href;
}

// As a user's program, in a file: Node's loader of modules is at work already.
function writeScripts(folder) {
  return Object.entries(cases).map(([name, { bundle, ...test }], i) => {
    const file = join(folder, `${i}.mjs`);
    const from = bundle ? bundled(bundle, join(folder, `${i}.bundle.mjs`)) : test.from;
    writeFileSync(file, script({ ...test, from }));
    return { name, file };
  });
}

const sample = (file) => JSON.parse(execFileSync(node, [file], { encoding: "utf8" }));

function measure(scripts) {
  const expected = Array.from(blake3(new Uint8Array(32))).join();
  const times = new Map(scripts.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, file } of rotated(scripts, round)) {
      const { milliseconds, digest } = sample(file);
      if (digest && digest.join() !== expected) throw new Error(`${name}: a wrong digest`);
      times.get(name).push(milliseconds);
    }
  }
  return times;
}

function print(times) {
  console.log("| ms | best | median |\n|---|--:|--:|");
  for (const [name, samples] of times) {
    samples.sort((a, b) => a - b);
    const median = samples[Math.floor(samples.length / 2)];
    console.log(`| ${name} | ${samples[0].toFixed(1)} | ${median.toFixed(1)} |`);
  }
}

const folder = mkdtempSync(join(tmpdir(), "blake-simd-cold-start-"));
try {
  print(measure(writeScripts(folder)));
} finally {
  rmSync(folder, { recursive: true });
}
