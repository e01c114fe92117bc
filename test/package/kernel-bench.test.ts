// bench/kernel.mjs, which times two builds of a kernel, and bench/timing/kernel-rounds.mjs.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareKernels } from "../../bench/timing/kernel-rounds.mjs";
import { ROOT } from "../support/child.ts";

const fileOf = (name: string) => join(ROOT, `wasm/dist/${name}.wasm`);
const [blake3, baseline, blake2s] = ["blake3.simd128", "blake3.baseline", "blake2s.simd128"].map(fileOf) as [
  string,
  string,
  string,
];
const run = (...args: string[]) =>
  execFileSync(process.execPath, [join(ROOT, "bench/kernel.mjs"), ...args], { encoding: "utf8", stdio: "pipe" });

describe("bench/kernel.mjs", () => {
  it("prints a ratio for each export and size", () => {
    const [heading, ...lines] = run(baseline, blake3, "--sizes", "3,1KiB,100KiB", "--rounds", "2")
      .trimEnd()
      .split("\n");
    expect(heading).toMatch(/^export +bytes +A +B +B over A$/);
    const rows = lines.map((line) => line.trim().split(/\s+/));
    expect(rows.map(([way, size]) => `${way} ${size}`)).toEqual([
      "hash 3",
      "update 3",
      "squeeze 3",
      "hash 1024",
      "update 1024",
      "squeeze 1024",
      "update 102400",
      "squeeze 102400",
    ]);
    for (const row of rows) expect(Number(row.at(-1))).toBeGreaterThan(0);
  });

  it("refuses to compare kernels with different digests, and prints its usage without two", () => {
    expect(() => run(blake3, blake2s, "--sizes", "3")).toThrow(/the digests must be equal/);
    expect(() => run(blake3)).toThrow(/usage: node bench\/kernel.mjs/);
  });

  it("hashes under parameters", () => {
    const build = { bytes: readFileSync(blake2s), latency: 2 };
    // BLAKE2sp: the flags follow 32 bytes of parameter block and 32 of key.
    const parameters = new Uint8Array(68).fill(2, 64, 65);
    const options = { sizes: [5000], ways: ["update"], rounds: 1 };
    const [row] = compareKernels([build, build], { ...options, parameters });
    expect(row).toMatchObject({ way: "update", size: 5000 });
  });
});
