// Proves that the shipped kernels compute the specification, for every content of a message, a key, a salt and a state:
// runs the modules on unknown bytes and compares what comes out as terms.
//
//   npm run prove -- [--full] [--kernels FOLDER] [--build NAME ...] [--every NUMBER] [--seed NUMBER] [WHAT ...]
//
//   --full            all that docs/evidence.md says, instead of a fixed choice
//   --kernels FOLDER  the modules of this folder instead of those of wasm/dist
//   --build NAME      baseline, simd128 or bun; by default all
//   --every NUMBER    only the first of every so many cases: a look, not a proof
//   --seed NUMBER     of the cases that are chosen at random
//   WHAT              words; a proof runs if its line has one of them
//
// What is trusted, to be read first: specification.mjs, which has the hashes as the papers define them;
// machine/terms.mjs, by whose rules terms are simplified; machine/machine.mjs, which runs a module on them. The
// specification and the machine share terms.mjs, so a wrong rule could change both in the same way. prove.test.mjs
// therefore compares the rules with arithmetic, the machine with WebAssembly itself and the specification with official
// vectors, on random bytes: so one that is wrong for many values is found.
//
// proofs/table.mjs has what memory must be after a call of each export; faults.mjs and leaks.mjs have modules that must
// be refused.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { BUILDS, DIST } from "./kernel.mjs";
import { proveAll } from "./run.mjs";

const { values: options, positionals } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    kernels: { type: "string", default: DIST },
    seed: { type: "string", default: "1" },
    every: { type: "string", default: "1" },
    build: { type: "string", multiple: true, default: BUILDS },
  },
  allowPositionals: true,
});

const unknown = options.build.find((build) => !BUILDS.includes(build));
if (unknown !== undefined) throw new Error(`--build must be ${BUILDS.join(", ")}, got ${unknown}`);
const { failed, cases, seconds } = await proveAll({
  isFull: options.full,
  folder: resolve(options.kernels),
  builds: options.build,
  every: Number(options.every),
  seed: Number(options.seed),
  words: positionals,
  report: (line) => console.log(line),
});
const verdict = failed ? `${failed} proofs failed` : cases === 0 ? "nothing was proved" : "no difference";
console.log(`${verdict}: ${cases} cases, ${seconds.toFixed(0)} s of processor time`);
process.exitCode = failed || cases === 0 ? 1 : 0;
