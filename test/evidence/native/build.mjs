// Compiles the kernels for the host with clang, instrumented: test/evidence/native/driver.c says how they run.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../../..");
const clang = process.env.CLANG ?? "clang-14";

const xof = ["LENGTHS", "XOF", "NO_XOF=PARALLEL"];
const xof3 = ["LENGTHS", "XOF", "NO_XOF=0"];
const blake1 = ["blake1/mode.c", "blake1/compress.c"];
const blake2 = ["blake2/message.c", "blake2/compress-scalars.c"];
const lanes = ["blake2/lanes.c", "blake2/compress-scalars.c"];
const blake3 = ["blake3/blake3.c", "blake3/compress-scalars.c", "blake3/blake3-lanes.c"];
/** Each module: its bits in a word, its files, what the driver has to know of its exports, and what it hashes. */
const kernels = {
  blake256: [32, blake1, [], ["blake224", "blake256"]],
  blake512: [64, blake1, [], ["blake384", "blake512"]],
  blake2b: [64, blake2, [], ["blake2b"]],
  blake2s: [32, blake2, [], ["blake2s"]],
  "blake2b-lanes": [64, lanes, xof, ["blake2bp", "blake2xb"]],
  "blake2s-lanes": [32, lanes, xof, ["blake2sp", "blake2xs"]],
  blake3: [32, blake3, xof3, ["blake3"]],
};
export const algorithmsOf = (module) => kernels[module][3];
const hashers = Object.keys(kernels);
/** Those that have drivers of their own, which include the main file, and the others. */
const drivers = { "blake3-subtrees": ["subtrees.c", ["blake3/compress-scalars.c"]], decoder: ["decoder.c", []] };
export const modules = [...hashers, ...Object.keys(drivers)];

export const builds = {
  baseline: [],
  simd128: ["-DSIMD", "-DROWS", "-msse4.1"],
  rows: ["-DSIMD", "-DROWS", "-DLATENCY=1", "-msse4.1"],
  loops: ["-DSIMD", "-DROWS", "-DLOOPS", "-msse4.1"],
  loopsAndRows: ["-DSIMD", "-DROWS", "-DLOOPS", "-DLATENCY=1", "-msse4.1"],
  javascript: ["-DJAVASCRIPT"],
};
const hasLanes = (build) => builds[build].includes("-DSIMD");
/** Whether a build hashes many messages of a module side by side. */
export const hasMany = (build, module) => (module === "blake3" || module === "blake2s-lanes") && hasLanes(build);

/**
 * Whether a build has a module: engines without WebAssembly have no subtrees, and the decoder is the same in all
 * builds.
 */
export function has(build, module) {
  if (module === "decoder") return build === "baseline";
  return module !== "blake3-subtrees" || build !== "javascript";
}

const sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
const flags = ["-std=gnu11", "-g", "-O1", "-w", "-fno-strict-aliasing", "-I", import.meta.dirname, ...sanitizers];

/** Compiles one kernel. Returns the program. */
export function compile(module, build) {
  const program = join(root, "build/native", `${module}.${build}`);
  mkdirSync(dirname(program), { recursive: true });
  const [driver, ownOthers] = drivers[module] ?? ["driver.c"];
  const [word, [main, ...others], exports] = kernels[module] ?? [32, [undefined, ...ownOthers], []];
  const known = [`WORD=${word}`, ...exports];
  if (hasMany(build, module)) known.push("MANY");
  if (main) known.push(`KERNEL="../../../wasm/${main}"`);
  const areas = ["-include", join(import.meta.dirname, "areas.h")];
  const files = [join(import.meta.dirname, driver), ...others.map((file) => join(root, "wasm", file))];
  const defines = known.map((name) => `-D${name}`);
  const args = [...flags, ...builds[build], ...areas, ...defines, ...files, "-o", program];
  execFileSync(clang, args, { stdio: "inherit" });
  return program;
}
