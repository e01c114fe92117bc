// Large files and several threads: the same digests, errors and order as with one. The digests are the package's own.
import { spawnSync } from "node:child_process";
import { closeSync, openSync, truncateSync } from "node:fs";
import { blake2s, blake3 } from "blake-simd";
import { beforeAll, expect, it } from "vitest";
import { abcBlake3, bad, bin, blakesum, call, good, large, on, path, write } from "../support/blakesum.ts";

const MIB = 2 ** 20;
/** From this size on, threads share a file. */
const size = 128 * MIB;
const key = large.subarray(0, 32);
let digest: string;
let keyed: string;

function writeZeros(name: string, length: number) {
  write(name, "");
  truncateSync(path(name), length);
}

beforeAll(() => {
  write("huge", large);
  truncateSync(path("huge"), size);
  const content = new Uint8Array(size);
  content.set(large);
  digest = blake3.hex(content);
  keyed = blake3.hex(content, { key, length: 50 });
});

it.each([[[]], [["--threads", "1"]], [["--threads=5"]]])("%j: the same digest", async (args) => {
  await call([...args, "huge", "abc"]).prints(`${digest}  huge\n${abcBlake3}  abc\n`);
  for (const name of ["-", "/dev/stdin"]) {
    const input = openSync(path("huge"), "r");
    const { stdout, stderr } = spawnSync(process.execPath, [bin, ...args, name], { stdio: [input, "pipe", "pipe"] });
    closeSync(input);
    expect(`${stdout}${stderr}`).toBe(`${digest}  ${name}\n`);
  }
});

it("with a key and a length", async () => {
  await call("--threads 3 --keyed -l 50 huge", key).prints(`${keyed}  huge\n`);
});

it("checks", async () => {
  write("sums", `${digest}  huge\n${abcBlake3}  abc\n${abcBlake3}  huge\n`);
  expect(await blakesum("--threads 2 -c sums")).toMatchObject({
    status: 1,
    stdout: "huge: OK\nabc: OK\nhuge: FAILED\n",
  });
});

it("a file that changes in the meantime has no digest", async () => {
  // Each status is a millisecond younger.
  const before = `
    const fs = require("node:fs");
    let now = 0;
    for (const name of ["statSync", "fstatSync"]) {
      const call = fs[name];
      fs[name] = (...args) => {
        const status = call(...args);
        if (status.size >= ${size}) status.mtimeMs += now++;
        return status;
      };
    }`;
  expect(await on({ before }, ["--threads", "2", "huge", "abc"])).toEqual(
    bad(`${abcBlake3}  abc\n`, "blakesum: huge: has changed while it was read\n"),
  );
});

it("a large file has its digest, whichever thread comes to it first", async () => {
  const length = 10 * MIB;
  const sparse = blake3.hex(new Uint8Array(length));
  for (const i of [0, 1, 2, 3]) writeZeros(`sparse-${i}`, length);
  const ofWorkers = ["sparse-0", "huge", "sparse-1", "huge", "abc", "sparse-2", "huge", "huge", "sparse-3"];
  // The calling thread takes the first, while workers start.
  for (const names of [ofWorkers, ["huge", ...ofWorkers]]) {
    const digestOf = (name: string) => (name === "huge" ? digest : name === "abc" ? abcBlake3 : sparse);
    const stdout = names.map((name) => `${digestOf(name)}  ${name}\n`).join("");
    expect(await on({}, ["--threads", "2", ...names])).toEqual(good(stdout));
  }
});

it("files are hashed at the same time, printed in order, and named if they are missing", async () => {
  const numbers = Array.from({ length: 12 }, (_, i) => i);
  for (const i of numbers) writeZeros(`zeros-${i}`, 12 * MIB);
  const zeros = blake2s.hex(new Uint8Array(12 * MIB));
  const names = numbers.flatMap((i) => [`missing-${i}`, `zeros-${i}`]);
  expect(await on({}, ["-a", "blake2s", "--threads", "2", ...names])).toEqual(
    bad(
      numbers.map((i) => `${zeros}  zeros-${i}\n`).join(""),
      numbers.map((i) => `blakesum: missing-${i}: no such file or directory\n`).join(""),
    ),
  );
});
