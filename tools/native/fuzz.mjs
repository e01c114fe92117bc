// Runs libFuzzer over the native kernels, against the plain implementations in reference-*.c.
//
//   npm run fuzz:kernels -- [--seconds NUMBER] [--seed NUMBER] [--keep] [MODULE ...]
//
// --seconds is for each kernel and build, 60 by default. A run begins with the inputs of tools/native/corpus and those that
// earlier runs left in build/fuzz; --keep writes those that reach different code back to tools/native/corpus.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compile, hashers } from "./build.mjs";
import { packCorpus, unpackCorpus } from "./corpus.mjs";

const { values: options, positionals } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    keep: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const chosen = positionals.length > 0 ? positionals : hashers;
// The plain implementation of a module's algorithms, and the bits of its word.
const referenceOf = (module) => {
  if (module === "blake3") return ["reference-blake3.c", 32];
  const bits = /^blake(2b|512)/.test(module) ? 64 : 32;
  return [/^blake2[bs]/.test(module) ? "reference-blake2.c" : "reference-blake1.c", bits];
};

const work = join(import.meta.dirname, "../../build/fuzz");

function compileFuzzer(module, build) {
  const [reference, bits] = referenceOf(module);
  const more = ["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"];
  return compile(module, build, "fuzzer", {
    driver: "fuzz.c",
    more: [...more, `-DBITS=${bits}`, join(import.meta.dirname, reference)],
  });
}

function runFuzzer(program, args, cwd) {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${program}:\n${stderr.slice(-3000)}`);
  return stderr;
}

// Both builds take the same inputs, so they share what they find.
for (const module of chosen) {
  const folder = join(work, module);
  const kept = join(work, `${module}.kept`);
  rmSync(kept, { recursive: true, force: true });
  for (const path of [folder, kept]) mkdirSync(path, { recursive: true });
  unpackCorpus(module, folder);
  for (const build of ["baseline", "simd128"]) {
    const program = compileFuzzer(module, build);
    const limits = [`-max_total_time=${options.seconds}`, "-max_len=2000", "-print_final_stats=1"];
    const log = runFuzzer(program, [...limits, `-seed=${options.seed}`, folder], work);
    console.log(`ok ${module} ${build}: ${log.match(/number_of_executed_units: *(\d+)/)?.[1]} inputs`);
    if (options.keep) runFuzzer(program, ["-merge=1", kept, folder], work);
  }
  if (options.keep) console.log(`kept ${packCorpus(module, kept)} inputs of ${module}`);
}
