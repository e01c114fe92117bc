// npm run arm64 [-- --write] [--kernels FOLDER]: how fast the kernels are on ARM64, without such a machine: Node for
// ARM64 prints V8's machine code under QEMU, and llvm-mca models how fast processors run the hot part of each kernel.
//
// It exits with status 1 if a kernel moves single lanes, or takes 5 % more cycles a byte than arm64.json has.
//
//   --write            writes arm64.json
//   --kernels FOLDER   of *.simd128.wasm; default: wasm/dist
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { arm64 } from "../test/runtimes/hosts/emulated.mjs";
import { assemblyOf, cyclesOf, functionsIn, hotCode, laneMoves, spills } from "./arm64/arm64-code.mjs";
import { align } from "./report/rows.mjs";
import { installEmulated, readJson, root, say } from "./survey/prepare.mjs";

const FIGURES = join(import.meta.dirname, "arm64.json");
const TOLERANCE = 1.05;
const processors = ["neoverse-n1", "neoverse-v1", "neoverse-v2", "cortex-a55", "apple-m1"];

/**
 * rotation: the instruction by which rounds are found: `tbl` or `shl` in vectors, `ror` in words; bytes: of messages in
 * one pass (of BLAKE3's lanes both branches, eight blocks and four); turns: of a loop of rounds within a pass; lanes:
 * how many single lanes each V8 may move, by default none.
 */
const kernels = {
  "BLAKE3, lanes": { module: "blake3", rotation: "tbl", bytes: 12 * 64 },
  "BLAKE3, scalars": { module: "blake3", rotation: "ror", bytes: 64 },
  "BLAKE3, subtrees": { module: "blake3-subtrees", rotation: "tbl", bytes: 12 * 64 },
  BLAKE2b: { module: "blake2b", rotation: "ror", bytes: 128 },
  BLAKE2s: { module: "blake2s", rotation: "ror", bytes: 64 },
  BLAKE2bp: { module: "blake2b-lanes", rotation: "tbl", bytes: 2 * 128 },
  BLAKE2sp: { module: "blake2s-lanes", rotation: "tbl", bytes: 4 * 64 },
  "BLAKE-256, rows": { module: "blake256", rotation: "shl", bytes: 64, turns: 7, lanes: { 12.4: 2, 14.6: 2 } },
  "BLAKE-512, rows": { module: "blake512", rotation: "shl", bytes: 128, turns: 8 },
};

const COMPILE = `const [, file] = process.argv; new WebAssembly.Module(require("node:fs").readFileSync(file));`;
// All functions by the optimising compiler, one after the other.
const FLAGS = ["--no-liftoff", "--no-wasm-lazy-compilation", "--single-threaded", "--print-wasm-code"];

function run([program, ...args], ...more) {
  return execFileSync(program, [...args, ...more], { encoding: "utf8", maxBuffer: 2 ** 28 });
}

/** The figures of one kernel in one Node. */
function measure(listing, kernel) {
  const { once, again } = hotCode(functionsIn(listing), kernel);
  const [outer, inner] = [once, again].map(assemblyOf);
  const code = [...outer, ...inner];
  const cycles = (processor) =>
    (cyclesOf(outer, processor) + (kernel.turns ?? 0) * cyclesOf(inner, processor)) / kernel.bytes;
  return {
    instructions: code.length,
    "lane moves": laneMoves(code),
    spills: spills(code),
    ...Object.fromEntries(processors.map((processor) => [processor, Number(cycles(processor).toFixed(3))])),
  };
}

/** The figures of all kernels in one Node. */
function survey(node, folder) {
  const listings = new Map();
  const listingOf = (module) => {
    const file = join(folder, `${module}.simd128.wasm`);
    if (!listings.has(module)) listings.set(module, run(node, ...FLAGS, "-e", COMPILE, file));
    return listings.get(module);
  };
  return Object.fromEntries(
    Object.entries(kernels).map(([name, kernel]) => [name, measure(listingOf(kernel.module), kernel)]),
  );
}

/** A line for each figure of a kernel that is worse than allowed. */
function failures(v8, name, found, written) {
  const title = `V8 ${v8}, ${name}`;
  const allowed = kernels[name].lanes?.[v8] ?? 0;
  const moves = found["lane moves"];
  const moved = moves > allowed ? [`${title}: ${moves} lane moves, where ${allowed} are allowed`] : [];
  if (!written) return [...moved, `${title}: arm64.json has no figures; npm run arm64 -- --write`];
  const slower = processors
    .filter((processor) => !(found[processor] <= written[processor] * TOLERANCE))
    .map((processor) => `${title}, ${processor}: ${found[processor]} cycles a byte, not ${written[processor]}`);
  return [...moved, ...slower];
}

function print(v8, figures) {
  const columns = Object.keys(Object.values(figures)[0]);
  const lines = Object.entries(figures).map(([name, found]) => [
    name,
    ...columns.map((column) => String(found[column])),
  ]);
  process.stdout.write(`\nV8 ${v8}; processors in cycles a byte\n${align([["", ...columns], ...lines])}`);
}

function main() {
  const { values } = parseArgs({
    options: { write: { type: "boolean" }, kernels: { type: "string", default: join(root, "wasm/dist") } },
  });
  installEmulated();
  const written = values.write ? {} : readJson(FIGURES);
  const failed = [];
  for (const node of arm64) {
    const v8 = run(node, "-p", "process.versions.v8").match(/^\d+\.\d+/)[0];
    const figures = survey(node, resolve(values.kernels));
    print(v8, figures);
    if (values.write) written[v8] = figures;
    failed.push(...Object.keys(kernels).flatMap((name) => failures(v8, name, figures[name], written[v8]?.[name])));
  }
  if (values.write) writeFileSync(FIGURES, `${JSON.stringify(written, undefined, 2)}\n`);
  for (const line of failed) say(line);
  if (failed.length > 0) process.exitCode = 1;
}

main();
