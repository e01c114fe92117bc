// Builds kernels from the C sources with Emscripten. Of each module: two builds, the JavaScript that wraps them
// (wrap.mjs), and two that are made of other builds, for Bun (.bun.js) and for engines without WebAssembly
// (.javascript.js: javascript.mjs); and the decoder of the text. SHA256SUMS lists the digests of all of them. The same
// sources give the same bytes in any folder; CI rebuilds wasm/dist and compares.
//
//   node wasm/build/build.mjs [--debug] [--out FOLDER] [MODULE ...]
//
//   MODULE          one of `modules` below; by default all of them, and the decoder
//   --debug         unoptimised, with debug information, and with checks that trap (memory.h); into build/debug
//   --out FOLDER    by default wasm/dist, or build/debug
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { writeJavaScript } from "./javascript.mjs";
import { inline, wrap } from "./wrap.mjs";

const source = resolve(import.meta.dirname, "..");
const { values: options, positionals } = parseArgs({
  options: { debug: { type: "boolean", default: false }, out: { type: "string" } },
  allowPositionals: true,
});
const out = resolve(options.out ?? join(source, options.debug ? "../build/debug" : "dist"));

const inSourceOrder = ["-mllvm", "-pre-RA-sched=source"];
// What is not worth SIMD is the same code in both builds, so that a bundle compresses one of them to nothing.
const modes = ["-mno-simd128"];
const scalars = [...modes, ...inSourceOrder];
// The sources, with flags of their own.
const blake1 = { "blake1/mode.c": modes, "blake1/compress.c": [] };
const blake2 = { "blake2/message.c": modes, "blake2/compress-scalars.c": scalars };
const blake2Lanes = { "blake2/lanes.c": [], "blake2/compress-scalars.c": scalars };
const blake3 = {
  "blake3/blake3.c": [...modes, "-Oz"],
  "blake3/compress-scalars.c": scalars,
  "blake3/blake3-lanes.c": [],
};
const subtrees = { "blake3/compress-scalars.c": [...scalars, "-DNO_MAP"], "blake3/blake3-subtrees.c": [] };
const modules = {
  blake256: { word: 32, sources: blake1 },
  blake512: { word: 64, sources: blake1 },
  blake2b: { word: 64, sources: blake2 },
  "blake2b-lanes": { word: 64, sources: blake2Lanes },
  blake2s: { word: 32, sources: blake2 },
  "blake2s-lanes": { word: 32, sources: blake2Lanes },
  blake3: { word: 32, sources: blake3 },
  "blake3-subtrees": { word: 32, sources: subtrees },
};
// The longer one first: a baseline at most 32 KiB after what it has in common with it, gzip stores that once.
const builds = { simd128: ["-msimd128", "-DROWS"], baseline: [] };
// Instead of simd128 for an engine that wants loops (words.h).
const loops = [...builds.simd128, "-DLOOPS"];

const stack = `-sTOTAL_STACK=${options.debug ? 12288 : 8192}`;
// What Binaryen turns into JavaScript: 64-bit words are pairs (words.h), and the instructions stay in the order of the
// source, which takes the fewest locals.
const forJavaScript = ["-mno-simd128", "-DJAVASCRIPT"];
const ordered = (own) => (own.includes("-mllvm") ? own : [...own, ...inSourceOrder]);

// What a module exports, and its memory: its own, or one of its user, who knows what is where in it.
const hasher = {
  exports: ["memory", "init", "update", "finalize", "hash", "root", "squeeze", "many", "chain"],
  memory: ["-sINITIAL_MEMORY=131072", "-sALLOW_MEMORY_GROWTH=0"],
};
const guest = {
  exports: ["groups", "level", "merge", "collect", "clear", "chain", "stackRestore"],
  memory: ["-sIMPORTED_MEMORY", "-sINITIAL_MEMORY=65536", "-sALLOW_MEMORY_GROWTH", "-sMAXIMUM_MEMORY=4GB"],
};
// The memory in which the decoder has a kernel's text, its bytes, and at the end its locals; debug builds are long.
const DECODER_MEMORY = options.debug ? 0x800000 : 0x20000;
const LOCALS = DECODER_MEMORY - 256;
const decoderMemory = [`-sINITIAL_MEMORY=${DECODER_MEMORY}`, "-sALLOW_MEMORY_GROWTH=0"];
const shapeOf = (module) => (module === "blake3-subtrees" ? guest : hasher);

// clang must not make lanes of the scalars: BLAKE2s would spill, and lose 28 % of its speed.
const release = ["-O3", "-fno-vectorize", "-fno-slp-vectorize"];
// Unaligned words and impossible shifts trap, too. All of -fsanitize=undefined gives functions more locals than V8
// allows.
const debug = ["-O0", "-g", "-DDEBUG", "-fsanitize=alignment,shift", "-fsanitize-undefined-trap-on-error"];
const commonFlags = ["-mbulk-memory", "-std=gnu11", "-Wall", "-Wextra", "-Werror"];
const compileFlags = [...(options.debug ? debug : release), ...commonFlags];
// Debug builds are not optimised.
const flagsOf = (own) => own.filter((flag) => !(options.debug && flag.startsWith("-O")));
// Linking at -O2 copies each vector constant to its every use, and V8 13 and later do not merge them again.
const optimization = options.debug ? ["-O0", "-g"] : ["-O1"];
const linkFlags = [...optimization, "-nostartfiles", "--no-entry", "-sSTANDALONE_WASM", stack];
// These make modules smaller and keep the order of their instructions: --simplify-locals would save
// more, but undoes the order of rounds.h (2 to 3 % of the lanes' speed on Node 26).
const shrinkFlags = ["--rse", "--vacuum", "--ssa-nomerge", "--coalesce-locals", "--vacuum"];

async function run(command, ...args) {
  const { stderr } = await promisify(execFile)(command, args, { cwd: source }).catch((error) => {
    console.error(error.stderr);
    process.exit(1);
  });
  process.stderr.write(stderr);
}

// Emscripten exports its own helpers, too; only the names of the ABI stay, and what they reach.
async function strip(input, output, exports, work) {
  const roots = exports.map((name) => ({ name, root: true, export: name }));
  const graph = join(work, "exports.json");
  writeFileSync(graph, JSON.stringify(roots));
  const names = options.debug ? ["-g"] : [];
  await run("wasm-metadce", input, "--graph-file", graph, "-o", output, "--all-features", ...names);
}

/** A copy that keeps the functions' names only: with the lines of the source, a kernel's text would have megabytes. */
async function withoutDwarf(file, work) {
  const target = join(work, "names.wasm");
  await run("wasm-opt", file, "--all-features", "--strip-dwarf", "-g", "-o", target);
  return target;
}

/** Compiles and links sources, each with its flags, into a file; returns the bytes for its text. */
async function build({ word, sources }, { exports, memory }, buildFlags, target) {
  const work = mkdtempSync(join(tmpdir(), "blake-simd-"));
  try {
    const stripped = target ?? join(work, "stripped.wasm");
    const linked = join(work, "module.wasm");
    const objects = [];
    for (const [file, own] of Object.entries(sources)) {
      const object = join(work, `${objects.length}.o`);
      await run("emcc", ...compileFlags, `-DWORD=${word}`, ...buildFlags, ...flagsOf(own), "-c", file, "-o", object);
      objects.push(object);
    }
    await run("emcc", ...linkFlags, ...memory, ...buildFlags, "-mbulk-memory", ...objects, "-o", linked);
    await strip(linked, stripped, exports, work);
    if (options.debug) return readFileSync(await withoutDwarf(stripped, work));
    await run("wasm-opt", stripped, "--all-features", ...shrinkFlags, "-o", stripped);
    return readFileSync(stripped);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** One decoder serves all engines; it reads from address 0, which debug builds do not allow. */
async function writeDecoder() {
  const work = mkdtempSync(join(tmpdir(), "blake-simd-"));
  const [object, linked] = [join(work, "decoder.o"), join(work, "decoder.wasm")];
  await run("emcc", ...release, "-Oz", ...commonFlags, `-DLOCALS_AT=${LOCALS}`, "-c", "build/decoder.c", "-o", object);
  await run("emcc", ...linkFlags, ...decoderMemory, "-mbulk-memory", object, "-o", linked);
  await strip(linked, linked, ["memory", "decode"], work);
  await run("wasm-opt", linked, "--all-features", "-Oz", "-o", linked);
  const bytes = readFileSync(linked);
  rmSync(work, { recursive: true });
  const text = `// Made by wasm/build.\nexport const decoder = [${bytes.join()}];\n`;
  writeFileSync(join(out, "decoder.js"), text);
}

async function writeJavaScriptOf(module, shape) {
  const { word, sources } = modules[module];
  const work = mkdtempSync(join(tmpdir(), "blake-simd-"));
  const wasm = join(work, "javascript.wasm");
  const inOrder = Object.fromEntries(Object.entries(sources).map(([file, own]) => [file, ordered(own)]));
  await build({ word, sources: inOrder }, shape, forJavaScript, wasm);
  await writeJavaScript(run, wasm, join(out, `${module}.javascript.js`));
  rmSync(work, { recursive: true });
}

async function writeModule(module) {
  const shape = shapeOf(module);
  const kernels = {};
  for (const [name, flags] of Object.entries(builds)) {
    kernels[name] = await build(modules[module], shape, flags, join(out, `${module}.${name}.wasm`));
  }
  const forBun = { ...kernels, simd128: await build(modules[module], shape, loops) };
  if (shape === hasher && !options.debug) await writeJavaScriptOf(module, shape);
  wrap(out, module, kernels);
  writeFileSync(join(out, `${module}.bun.js`), inline(forBun));
  const sizes = Object.entries(kernels).map(([name, bytes]) => `${name} ${bytes.length} bytes`);
  console.log(module, sizes.join(", "));
}

// As sha256sum writes and checks it.
function writeManifest() {
  const files = readdirSync(out).filter((name) => /\.(wasm|js)$/.test(name));
  const digest = (name) =>
    createHash("sha256")
      .update(readFileSync(join(out, name)))
      .digest("hex");
  writeFileSync(
    join(out, "SHA256SUMS"),
    files
      .sort()
      .map((name) => `${digest(name)}  ${name}\n`)
      .join(""),
  );
}

const unknown = positionals.find((name) => !Object.hasOwn(modules, name));
if (unknown !== undefined) {
  console.error(`build.mjs: MODULE must be one of ${Object.keys(modules).join(", ")}, got ${unknown}`);
  process.exit(2);
}
mkdirSync(out, { recursive: true });
const chosen = positionals.length > 0 ? positionals : Object.keys(modules);
const tasks = chosen.map((module) => () => writeModule(module));
if (positionals.length === 0 || !existsSync(join(out, "decoder.js"))) tasks.push(writeDecoder);
const workers = Array.from({ length: availableParallelism() }, async () => {
  for (let task = tasks.shift(); task; task = tasks.shift()) await task();
});
await Promise.all(workers);
writeManifest();
