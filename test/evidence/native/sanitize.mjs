// Runs the kernels as programs of the host under clang's sanitizers, and compares each digest with the package's.
//
//   npm run sanitize -- [--full] [MODULE ...]
//
//   --full  every length to 4 KiB and samples to 1 MiB in all builds, instead of some lengths in three builds
//
// AddressSanitizer and UBSan see reads beyond an area, and what the C leaves undefined: the proofs, of what a compiler
// has made of it, do not. Needs clang 14 and SIMDe: apt-get install clang-14 libclang-rt-14-dev libsimde-dev. MODULE is
// one of wasm/build/build.mjs.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { algorithms } from "blake-simd";
import { chainingValue } from "blake-simd/hazmat";
import { algorithmsOf, builds, compile, has, hasMany, modules } from "./build.mjs";
import { bytes, modesOf, request } from "./cases.mjs";

const { values: options, positionals } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const message = bytes(1 << 20);
let digests = 0;

const range = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const around = (...sizes) => sizes.flatMap((size) => [size - 1, size, size + 1]);
const some = [...range(0, 260), ...around(512, 1024, 2048, 3072, 4096, 65536, 66560), 5000, 20000, 131072, 200001];
const long = [...around(8192, 16384, 65536, 65536 + 1024, 131072, 262144, 524288), 100_003, 300_007, 777_777, 1 << 20];
const lengths = options.full ? [...range(0, 4097), ...long] : some;

/** The program's output for an input; throws what it wrote to its standard error otherwise. */
function run(program, input) {
  const { status, stdout, stderr } = spawnSync(program, [], { input, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${program} ended with ${status}:\n${stderr.toString().slice(0, 3000)}`);
  return stdout;
}

function expectSame(where, actual, wanted) {
  digests += wanted.length;
  const all = Buffer.concat(wanted);
  if (Buffer.compare(actual, all) === 0) return;
  const at = wanted.findIndex((digest, i) =>
    Buffer.compare(actual.subarray(i * digest.length).subarray(0, digest.length), digest),
  );
  throw new Error(`${where}: digest ${at} of ${wanted.length} differs from the package's`);
}

function checkKernel(module, build) {
  const program = compile(module, build);
  for (const name of algorithmsOf(module)) {
    for (const mode of modesOf(name)) {
      const wanted = lengths.map((length) => algorithms[name](message.subarray(0, length), mode));
      expectSame(`${name} ${build}`, run(program, request(0, name, mode, lengths)), wanted);
    }
  }
  if (hasMany(build, module)) checkMany(program, module);
}

function checkMany(program, module) {
  const name = module === "blake3" ? "blake3" : "blake2s";
  for (const mode of [{}, { key: bytes(32) }]) {
    for (let first = 0; first < 1100; first += options.full ? 1 : 100) {
      // An empty message of BLAKE2 has no lane.
      const sizes = range(0, 40).map((i) => (first + 331 * i) % 1025 || 1);
      const wanted = sizes.map((length) => algorithms[name](message.subarray(0, length), mode));
      expectSame(`${name} many`, run(program, request(1, name, mode, sizes)), wanted);
    }
  }
}

const KEYED_HASH = 16;

function checkSubtrees(build) {
  const program = compile("blake3-subtrees", build);
  const key = bytes(32);
  const sizes = lengths.filter((length) => length > 0 && length <= 1 << 18);
  const requests = sizes.flatMap((length, i) => {
    const chunk = [0, 2 ** 32, 2 ** 40][i % 3];
    return [
      length,
      chunk % 2 ** 32,
      Math.floor(chunk / 2 ** 32),
      2 ** (i % 5),
      ...new Uint32Array(key.buffer),
      KEYED_HASH,
    ];
  });
  const wanted = sizes.map((length, i) =>
    chainingValue(message.subarray(0, length), { key, offset: [0n, 2n ** 42n, 2n ** 50n][i % 3] }),
  );
  expectSame(`subtrees ${build}`, run(program, Buffer.from(Uint32Array.from(requests).buffer)), wanted);
}

/** The text of every kernel becomes the bytes of its file. */
async function checkDecoder() {
  const program = compile("decoder", "baseline");
  const dist = new URL("../../../wasm/dist/", import.meta.url);
  for (const module of modules.filter((name) => name !== "decoder")) {
    const texts = await import(new URL(`${module}.js`, dist));
    for (const build of ["baseline", "simd128"]) {
      const bytes = readFileSync(new URL(`${module}.${build}.wasm`, dist));
      if (Buffer.compare(run(program, texts[build]), bytes) !== 0)
        throw new Error(`decoder: ${module} ${build} differs`);
    }
  }
}

async function check(module, build) {
  if (module === "decoder") return checkDecoder();
  if (module === "blake3-subtrees") return checkSubtrees(build);
  return checkKernel(module, build);
}

const chosen = positionals.length > 0 ? positionals : modules;
for (const build of options.full ? Object.keys(builds) : ["baseline", "simd128", "rows"]) {
  for (const module of chosen.filter((name) => has(build, name))) await check(module, build);
  console.log(`ok ${build}: ${digests} digests so far`);
}
