// Large files and several threads: the digests of @noble/hashes and OpenSSL, in order, with an error for each file
// without one.
import { createHash } from "node:crypto";
import { truncateSync } from "node:fs";
import { blake3 } from "@noble/hashes/blake3.js";
import { beforeAll, expect, it } from "vitest";
import { abcBlake2b, abcBlake3, hex, large, on, path, run, runs, write } from "../support/blakesum.ts";

const MIB = 2 ** 20;
/** From this size on, threads share a file. */
const size = 128 * MIB;
const key = large.subarray(0, 32);
// hex(blake3(content)) and hex(blake3(content, { key, dkLen: 50 })) of @noble/hashes, which takes seconds for each.
const digest = "16033dcbfbfeb707d3515760e7b486db09a7ddca7f961bb0e5a2d85a3ad1709f";
const keyed = "07ffe9951f39b55bc44de0d542dc66b41286790a2dd9fab658fbaa9cf499601763785e8e5a278fa3b48f6efc09e1bea6064d";

function writeZeros(name: string, length: number) {
  write(name, "");
  truncateSync(path(name), length);
}

beforeAll(() => {
  // The content: `large`, and then zeros.
  write("huge", large);
  truncateSync(path("huge"), size);
  write("sums", `${digest}  huge\n${abcBlake3}  abc\n${abcBlake3}  huge\n`);
});

const both = `${digest}  huge\n${abcBlake3}  abc`;
runs([
  ["huge abc", both],
  ["--threads 1 huge abc", both],
  ["--threads=5 huge abc", both],
  ["--threads 3 --keyed -l 50 huge", `${keyed}  huge`, key],
  ["--threads 3 --keyed --seek 20 -l 30 huge", `${keyed.slice(40)}  huge`, key],
  ["--threads 2 -c sums", "huge: OK\nabc: OK\nhuge: FAILED\n! sums: WARNING: 1 computed checksum did NOT match"],
]);

it.each(["-", "/dev/stdin"])("of standard input, %s", async (name) => {
  await run([`--threads 5 ${name}`, `${digest}  ${name}`], { files: { 0: [path("huge"), "r"] } });
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
  await run(["--threads 2 huge abc", `${abcBlake3}  abc\n! huge: the file changed while it was read`], { before });
});

it("a large file has its digest, whichever thread comes to it first", async () => {
  const length = 13 * MIB;
  const sparse = hex(blake3(new Uint8Array(length)));
  for (const i of [0, 1]) writeZeros(`sparse-${i}`, length);
  const ofWorkers = ["sparse-0", "huge", "abc", "sparse-1", "huge"];
  const digestOf = (name: string) => (name === "huge" ? digest : name === "abc" ? abcBlake3 : sparse);
  // The calling thread takes the first, while workers start.
  for (const names of [ofWorkers, ["huge", ...ofWorkers]])
    await run([["--threads", "2", ...names], names.map((name) => `${digestOf(name)}  ${name}\n`).join("")]);
});

it("many files are printed in order, and named if they are missing", async () => {
  const numbers = Array.from({ length: 40 }, (_, i) => i);
  for (const i of numbers) writeZeros(`many-${i}`, MIB + i);
  const openssl = (length: number) => createHash("blake2b512").update(new Uint8Array(length)).digest("hex");
  const lines = numbers.map((i) => `${openssl(MIB + i)}  many-${i}\n`);
  const names = numbers.flatMap((i) => (i === 20 ? ["-", `missing-${i}`, `many-${i}`] : [`many-${i}`]));
  write("many.sums", lines.join(""));
  await run(["-c --quiet --threads 3 many.sums", ""]);
  lines.splice(20, 0, `${abcBlake2b}  -\n`);
  const wanted = `${lines.join("")}! missing-20: no such file or directory`;
  await run([["-a", "blake2b", "--threads", "4", ...names], wanted, "abc"]);
  expect((await on({}, ["--threads", "4", ...names])).stdout).toContain(`${hex(blake3(new Uint8Array()))}  -\n`);
});
