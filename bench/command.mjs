// The command beside b2sum and b3sum: all start in turn, round after round, and the best time of each counts.
//
// node bench/command.mjs FOLDER, where FOLDER has b3sum; b2sum is that of GNU coreutils, on the path.
import { spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const tools = resolve(process.argv[2] ?? "build/ci/tools/bin");
const command = fileURLToPath(new URL("../dist/cli/blakesum.cjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "blakesum-speed-"));
const large = join(folder, "large");
const GIB = 2 ** 30;
const SIZE = Number(process.env.LARGE_GIB ?? 4) * GIB;
const ROUNDS = Number(process.env.ROUNDS ?? 7);

const names = Array.from({ length: 10_000 }, (_, i) => `f${i}`);
for (const [i, name] of names.entries()) {
  writeFileSync(
    join(folder, name),
    Uint8Array.from({ length: 4096 }, (_, j) => (i * 31 + j * 7) % 256),
  );
}
// Sparse: its pages of zeros come from the page cache once they have been read.
writeFileSync(large, "");
truncateSync(large, SIZE);
for (let fd = openSync(large), room = Buffer.alloc(1 << 20); readSync(fd, room) > 0; );

function run(program, args) {
  const start = performance.now();
  const { status, stdout } = spawnSync(program, args, {
    cwd: folder,
    maxBuffer: 1 << 28,
    // Node would read these certificates at each start, whatever it runs.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const time = performance.now() - start;
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
  return { time, output: stdout.toString() };
}

/** @param subjects program and arguments by name; those of one group must print the same */
function race(rounds, subjects) {
  const best = {};
  const outputs = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, [program, ...args]] of Object.entries(subjects)) {
      const { time, output } = run(program, args);
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, time);
      outputs[name] = output;
    }
  }
  return { best, outputs };
}

const ours = [process.execPath, command];
const b3sum = join(tools, "b3sum");
const list = join(folder, "sums");
writeFileSync(list, run(b3sum, names).output);

const many = race(ROUNDS, {
  b3sum: [b3sum, ...names],
  blakesum: [...ours, ...names],
  "b3sum -c": [b3sum, "-c", list],
  "blakesum -c": [...ours, "-c", list],
  "node -e 0": [process.execPath, "-e", "0"],
  "blakesum --version": [...ours, "--version"],
});
const one = race(Math.min(ROUNDS, 3), {
  "b3sum, one thread, no map": [b3sum, "--num-threads", "1", "--no-mmap", "large"],
  "blakesum --threads 1": [...ours, "--threads", "1", "large"],
  "blakesum --threads 2": [...ours, "--threads", "2", "large"],
  b2sum: ["b2sum", "large"],
  "blakesum -a blake2b": [...ours, "-a", "blake2b", "large"],
});
for (const { best } of [many, one])
  for (const [name, time] of Object.entries(best)) console.log(name, `${Math.round(time)} ms`);

const same = (a, b) => {
  if (a !== b) throw new Error("the programs print different digests");
};
same(many.outputs.b3sum, many.outputs.blakesum);
same(many.outputs["b3sum -c"], many.outputs["blakesum -c"]);
same(one.outputs["b3sum, one thread, no map"], one.outputs["blakesum --threads 1"]);
same(one.outputs["blakesum --threads 2"], one.outputs["blakesum --threads 1"]);
same(one.outputs.b2sum, one.outputs["blakesum -a blake2b"]);
rmSync(folder, { recursive: true });

const ratios = [
  ["10,000 files of 4 KiB, over b3sum", many.best.blakesum / many.best.b3sum, 2.5],
  ["a check of them, over b3sum -c", many.best["blakesum -c"] / many.best["b3sum -c"], 3],
  ["--version, over node -e 0", many.best["blakesum --version"] / many.best["node -e 0"], 1.6],
  ["blake2b, over b2sum", one.best["blakesum -a blake2b"] / one.best.b2sum, 1],
  ["two threads, over one", one.best["blakesum --threads 2"] / one.best["blakesum --threads 1"], 1 / 1.6],
];
console.log(
  `blake3, one thread, over b3sum with all that its processor has: ${(one.best["blakesum --threads 1"] / one.best["b3sum, one thread, no map"]).toFixed(2)}`,
);
let slow = 0;
for (const [what, ratio, limit] of ratios) {
  if (ratio > limit) slow++;
  console.log(`${ratio > limit ? "SLOW" : "ok  "} ${what}: ${ratio.toFixed(2)} (at most ${limit.toFixed(2)})`);
}
process.exitCode = slow === 0 || process.env.CI ? 0 : 1;
