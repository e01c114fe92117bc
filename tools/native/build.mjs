// Compiles the kernels for the host with clang and a sanitizer: tools/native/driver.c says how they run.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const clang = process.env.CLANG ?? "clang-14";

const shapes = (word) => [`blake2/blake2${word}-scalars.c`, `blake2/blake2${word}-rows.c`];
/** Each module: its main file, the others, and what the driver has to know of its exports. */
const kernels = {
  blake256: ["blake1/blake256.c", ["blake1/blake256-compress.c"], []],
  blake512: ["blake1/blake512.c", ["blake1/blake512-compress.c"], []],
  blake2b: ["blake2/blake2b.c", shapes("b"), []],
  blake2s: ["blake2/blake2s.c", shapes("s"), []],
  "blake2b-lanes": ["blake2/blake2b-lanes.c", shapes("b"), ["LENGTHS", "XOF", "NO_XOF=(PARALLEL|0)"]],
  "blake2s-lanes": ["blake2/blake2s-lanes.c", shapes("s"), ["LENGTHS", "XOF", "NO_XOF=(PARALLEL|0)"]],
  blake3: ["blake3/blake3.c", ["blake3/blake3-compress.c"], ["LENGTHS", "XOF", "NO_XOF=0", "TREE"]],
};
export const modules = [...Object.keys(kernels), "blake3-subtrees"];

/** Which many() a build has: the numbers are those of driver.c. */
const many = { "blake2s-lanes": "MANY=2", blake3: "MANY=3" };

export const builds = { baseline: [], simd128: ["-DSIMD", "-msse4.1"], loops: ["-DSIMD", "-DLOOPS", "-msse4.1"] };
export const sanitizers = {
  address: ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
  memory: ["-fsanitize=memory"],
};

const flags = ["-std=gnu11", "-g", "-O1", "-w", "-fno-strict-aliasing", "-I", import.meta.dirname];

/** Compiles one kernel. Returns the program. */
export function compile(
  module,
  build,
  sanitizer,
  { defines = [], more = [], driver, name = `${module}.${build}.${sanitizer}` } = {},
) {
  const folder = join(root, "build/native");
  mkdirSync(folder, { recursive: true });
  const program = join(folder, name);
  const [main, others, exports] = kernels[module] ?? [undefined, [], []];
  const known = [...exports, ...defines];
  if (build !== "baseline" && many[module]) known.push(many[module]);
  if (main) known.push(`KERNEL="../../wasm/${main}"`);
  const source = driver ?? (main ? "driver.c" : "subtrees.c");
  const common = [
    ...flags,
    ...builds[build],
    ...(sanitizers[sanitizer] ?? []),
    ...more,
    "-include",
    join(import.meta.dirname, "areas.h"),
  ];
  const files = [join(import.meta.dirname, source), ...others.map((file) => join(root, "wasm", file))];
  execFileSync(clang, [...common, ...known.map((name) => `-D${name}`), ...files, "-o", program], { stdio: "inherit" });
  return program;
}
