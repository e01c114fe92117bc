// Runs libFuzzer over the native kernels, against the plain implementations in reference-*.c.
//
//   npm run fuzz:kernels -- [--seconds NUMBER] [MODULE ...]
//
// --seconds is for each kernel and build, 60 by default. The corpus is in build/fuzz, and continues from run to run.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compile, hashers } from "./build.mjs";

const { values: options, positionals } = parseArgs({
  options: { seconds: { type: "string", default: "60" } },
  allowPositionals: true,
});
const chosen = positionals.length > 0 ? positionals : hashers;
// The plain implementation of a module's algorithms, and the bits of its word.
const referenceOf = (module) => {
  if (module === "blake3") return ["reference-blake3.c", 32];
  const bits = /^blake(2b|512)/.test(module) ? 64 : 32;
  return [/^blake2[bs]/.test(module) ? "reference-blake2.c" : "reference-blake1.c", bits];
};

for (const module of chosen) {
  for (const build of ["baseline", "simd128"]) {
    const [reference, bits] = referenceOf(module);
    const more = ["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"];
    const program = compile(module, build, "fuzzer", {
      driver: "fuzz.c",
      more: [...more, `-DBITS=${bits}`, join(import.meta.dirname, reference)],
    });
    const corpus = join(import.meta.dirname, "../../build/fuzz", `${module}.${build}`);
    mkdirSync(corpus, { recursive: true });
    const args = [`-max_total_time=${options.seconds}`, "-max_len=2000", "-print_final_stats=1", "-seed=1", corpus];
    const { status, stderr } = spawnSync(program, args, { cwd: corpus, encoding: "utf8", maxBuffer: 1 << 28 });
    if (status !== 0) throw new Error(`${module} ${build}:\n${stderr.slice(-3000)}`);
    console.log(`ok ${module} ${build}: ${stderr.match(/number_of_executed_units: *(\d+)/)?.[1]} inputs`);
  }
}
