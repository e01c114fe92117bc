// Large files and several threads: the same digests, errors and order as with one.
import { spawnSync } from "node:child_process";
import { closeSync, openSync, truncateSync } from "node:fs";
import { blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { beforeAll, describe, expect, it } from "vitest";
import { abcBlake2b, abcBlake3, bin, blakesum, good, hex, large, on, path, write } from "../support/blakesum.ts";

describe.concurrent("--threads", () => {
  const size = 130 * 1024 * 1024 + 1;
  let digest: string;
  let keyed: string;

  beforeAll(() => {
    write("huge", large);
    truncateSync(path("huge"), size);
    const content = new Uint8Array(size);
    content.set(large);
    digest = hex(blake3(content));
    keyed = hex(blake3(content, { key: large.subarray(0, 32), dkLen: 50 }));
  });

  it.each([[], ["--threads", "1"], ["--threads=5"]])("%j: the same digest", async (...args) => {
    expect(await blakesum([...args, "huge", "abc"])).toEqual(good(`${digest}  huge\n${abcBlake3}  abc\n`));
  });

  it.each([[], ["--threads", "2"]])("%j: the same digest of standard input that is a file", (...args) => {
    for (const name of ["-", "/dev/stdin"]) {
      const input = openSync(path("huge"), "r");
      const { stdout, stderr } = spawnSync(process.execPath, [bin, ...args, name], { stdio: [input, "pipe", "pipe"] });
      closeSync(input);
      expect(`${stdout}${stderr}`).toBe(`${digest}  ${name}\n`);
    }
  });

  it("with a key and a length", async () => {
    const args = ["--threads", "3", "--keyed", "-l", "50", "huge"];
    expect(await blakesum(args, large.subarray(0, 32))).toEqual(good(`${keyed}  huge\n`));
  });

  it("checks", async () => {
    write("huge-sums", `${digest}  huge\n${abcBlake3}  abc\n${abcBlake3}  huge\n`);
    const { status, stdout } = await blakesum(["--threads", "2", "-c", "huge-sums"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "huge: OK\nabc: OK\nhuge: FAILED\n" });
  });

  it("leaves other algorithms as they are", async () => {
    expect(await blakesum(["--threads", "4", "-a", "blake2b", "abc"])).toEqual(good(`${abcBlake2b}  abc\n`));
  });
});

describe("a file of 128 MiB and more", () => {
  const size = 2 ** 27;
  let digest: string;

  beforeAll(() => {
    write("even", "");
    truncateSync(path("even"), size);
    digest = hex(blake3(new Uint8Array(size)));
  });

  it("that changes in the meantime has no digest", async () => {
    // Each status is one nanosecond younger.
    const before = `
      const fs = require("node:fs");
      const { statSync } = fs;
      let now = 0n;
      fs.statSync = (path, options) => {
        const status = statSync(path, options);
        if (options?.bigint) status.mtimeNs += now++;
        return status;
      };`;
    expect(await on({ before }, ["--threads", "2", "even", "abc"])).toEqual({
      status: 1,
      stdout: `${abcBlake3}  abc\n`,
      stderr: "blakesum: even: has changed while it was read\n",
    });
  });

  it("has its digest, whichever thread comes to it first", async () => {
    const length = 40 * 2 ** 20;
    const sparse = hex(blake3(new Uint8Array(length)));
    for (const i of [0, 1, 2, 3]) {
      write(`sparse-${i}`, "");
      truncateSync(path(`sparse-${i}`), length);
    }
    const ofWorkers = ["sparse-0", "even", "sparse-1", "even", "abc", "sparse-2", "even", "even", "sparse-3"];
    // The calling thread takes the first, while workers start.
    for (const names of [ofWorkers, ["even", ...ofWorkers]]) {
      const digestOf = (name: string) => (name === "even" ? digest : name === "abc" ? abcBlake3 : sparse);
      const stdout = names.map((name) => `${digestOf(name)}  ${name}\n`).join("");
      expect(await on({}, ["--threads", "2", ...names])).toEqual({ status: 0, stdout, stderr: "" });
    }
  });
});

describe("several threads", () => {
  it("hash files at the same time, print them in order, and name those that are missing", async () => {
    const size = 40 * 2 ** 20;
    const digest = hex(blake2s(new Uint8Array(size)));
    const numbers = Array.from({ length: 12 }, (_, i) => i);
    for (const i of numbers) {
      write(`sparse-${i}`, "");
      truncateSync(path(`sparse-${i}`), size);
    }
    const names = numbers.flatMap((i) => [`missing-${i}`, `sparse-${i}`]);
    expect(await on({}, ["-a", "blake2s", "--threads", "2", ...names])).toEqual({
      status: 1,
      stdout: numbers.map((i) => `${digest}  sparse-${i}\n`).join(""),
      stderr: numbers.map((i) => `blakesum: missing-${i}: no such file or directory\n`).join(""),
    });
  });
});
