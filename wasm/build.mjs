// Builds wasm/dist from the C sources with Emscripten. Of each module: two builds, a JavaScript file that holds both as text
// (.bun.js: with the build that is faster in Bun), and two that import them; and what reads that text. The same sources give
// the same bytes in any folder; CI rebuilds and compares.
//
//   node wasm/build.mjs [OUT]      OUT defaults to wasm/dist
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const source = import.meta.dirname;
const out = resolve(process.argv[2] ?? join(source, "dist"));
// `fast` scheduling keeps a sum's operands nearer to each other, so that the scalars of BLAKE2 spill less.
const fast = ["-mllvm", "-pre-RA-sched=fast"];
// Each module's sources, with flags of their own.
const modules = {
  blake256: { "blake1/blake256.c": [] },
  blake512: { "blake1/blake512.c": [] },
  blake2b: { "blake2/blake2b.c": [], "blake2/blake2b-scalars.c": fast, "blake2/blake2b-rows.c": [] },
  blake2s: { "blake2/blake2s.c": [], "blake2/blake2s-scalars.c": fast, "blake2/blake2s-rows.c": [] },
  blake3: { "blake3/blake3.c": [] },
  "blake3-subtrees": { "blake3/blake3-subtrees.c": [] },
};
const builds = { baseline: [], simd128: ["-msimd128"] };
// Instead of simd128 for an engine that wants loops (lanes.h).
const loops = ["-msimd128", "-DLOOPS"];
// What reads the kernels' text: one build for all engines.
const decoder = { "decoder.c": ["-Oz"] };

// What a module exports, and its memory: of its own, or any that its user has, where the user says what lies in it.
const hasher = {
  exports: ["memory", "init", "update", "finalize", "hash", "root", "squeeze", "chain", "join", "many", "lanes"],
  memory: ["-sINITIAL_MEMORY=131072", "-sALLOW_MEMORY_GROWTH=0"],
};
const guest = {
  exports: ["chunks", "merge", "clear", "stackRestore"],
  memory: ["-sIMPORTED_MEMORY", "-sINITIAL_MEMORY=65536", "-sALLOW_MEMORY_GROWTH", "-sMAXIMUM_MEMORY=4GB"],
};
const reader = {
  exports: ["memory", "decode"],
  memory: ["-sINITIAL_MEMORY=65536", "-sALLOW_MEMORY_GROWTH=0"],
  shrink: ["-Oz"],
};
const shapeOf = (module) => (module === "blake3-subtrees" ? guest : hasher);

// Linking at -O2 copies each vector constant to its every use (25 become 135), which V8 13 and later do not merge again.
// clang would make lanes of what is written as scalars, and spill: BLAKE2s fell from 660 to 475 MB/s.
const compileFlags = [
  "-O3",
  "-fno-vectorize",
  "-fno-slp-vectorize",
  "-mbulk-memory",
  "-std=gnu11",
  "-Wall",
  "-Wextra",
  "-Werror",
];
const linkFlags = ["-O1", "-nostartfiles", "--no-entry", "-sSTANDALONE_WASM", "-sTOTAL_STACK=8192"];
// What makes modules smaller and leaves the order of their instructions alone: fewer locals, the busiest with the shortest
// numbers; 0.04 to 0.16 kB less of a bundle, gzipped. --simplify-locals would take off another 0.15 kB of BLAKE2, but moves
// what lane-half-round.h puts in order: 2 % of BLAKE3's and 3 % of BLAKE2b's lanes on Node 26.
const shrinkFlags = ["--rse", "--vacuum", "--coalesce-locals", "--vacuum", "--reorder-locals"];

function run(command, ...args) {
  execFileSync(command, args, { cwd: source, stdio: ["ignore", "ignore", "inherit"] });
}

// Emscripten exports its own helpers too; only the ABI's names stay, and what they reach.
function strip(input, output, exports, work) {
  const roots = exports.map((name) => ({ name, root: true, export: name }));
  const graph = join(work, "exports.json");
  writeFileSync(graph, JSON.stringify(roots));
  run("wasm-metadce", input, "--graph-file", graph, "-o", output, "--all-features");
}

/** Compiles and links sources, each with flags of its own, into a file. */
function build(sources, { exports, memory, shrink = shrinkFlags }, buildFlags, target, work) {
  const linked = join(work, "module.wasm");
  const objects = Object.entries(sources).map(([file, flags], i) => {
    const object = join(work, `${i}.o`);
    run("emcc", ...compileFlags, ...flags, ...buildFlags, "-c", file, "-o", object);
    return object;
  });
  run("emcc", ...linkFlags, ...memory, ...buildFlags, "-mbulk-memory", ...objects, "-o", linked);
  strip(linked, target, exports, work);
  run("wasm-opt", target, "--all-features", ...shrink, "-o", target);
  return readFileSync(target);
}

function buildKernel(module, name, work) {
  return build(modules[module], shapeOf(module), builds[name], join(out, `${module}.${name}.wasm`), work);
}

function buildLoops(module, work) {
  return build(modules[module], shapeOf(module), loops, join(work, "loops.wasm"), work);
}

function buildDecoder(work) {
  const bytes = build(decoder, reader, [], join(work, "text.wasm"), work);
  return `// Made by wasm/build.mjs.\nexport const decoder = "${bytes.toString("base64")}";\n`;
}

// The memory of what decodes the text.
const PAGE = 65536;

// Bytes as printable text, a digit to the base 90 each, behind a mark where 90 or 180 is to be added. Unlike base64 it
// keeps equal runs of bytes equal, so that a bundle compresses as well as the bytes: 8.3 kB, not 12.1 kB, for BLAKE3.
// Counted from 248 on, more of the bytes that are frequent need no mark: 0.1 kB less.
function toText(bytes) {
  const character = (code) => String.fromCharCode(35 + code);
  const digits = Array.from(bytes, (byte) => {
    const place = (byte + 8) % 256;
    return (place < 90 ? "" : character(89 + Math.floor(place / 90))) + character(place % 90);
  });
  const text = digits.join("");
  if (text.length >= PAGE)
    throw new Error(`a kernel's text must have less than ${PAGE} characters, got ${text.length}`);
  return text;
}

function inline(kernels) {
  const lines = Object.entries(kernels).map(
    ([name, bytes]) => `export const ${name} = ${JSON.stringify(toText(bytes))};\n`,
  );
  return `// Made by wasm/build.mjs.\n${lines.join("")}`;
}

// For runtimes that forbid compiling bytes: their bundlers make modules of these imports.
function imported(module, suffix) {
  const names = Object.keys(builds);
  const lines = names.map((name) => `import ${name} from "./${module}.${name}.wasm${suffix}";\n`);
  return `// Made by wasm/build.mjs.\n${lines.join("")}export { ${names.join(", ")} };\n`;
}

mkdirSync(out, { recursive: true });
const work = mkdtempSync(join(tmpdir(), "blake-simd-"));
try {
  writeFileSync(join(out, "decoder.js"), buildDecoder(work));
  for (const module of Object.keys(modules)) {
    const kernels = Object.fromEntries(Object.keys(builds).map((name) => [name, buildKernel(module, name, work)]));
    writeFileSync(join(out, `${module}.js`), inline(kernels));
    writeFileSync(join(out, `${module}.bun.js`), inline({ ...kernels, simd128: buildLoops(module, work) }));
    writeFileSync(join(out, `${module}.workerd.js`), imported(module, ""));
    writeFileSync(join(out, `${module}.edge-light.js`), imported(module, "?module"));
    console.log(
      module,
      Object.entries(kernels)
        .map(([name, bytes]) => `${name} ${bytes.length} bytes`)
        .join(", "),
    );
  }
} finally {
  rmSync(work, { recursive: true });
}
