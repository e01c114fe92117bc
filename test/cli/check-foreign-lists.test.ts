// blakesum --check on lists of unknown make, in other encodings, and made to mislead.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, truncateSync } from "node:fs";
import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { describe, expect, it } from "vitest";
import {
  abc,
  abcBlake2b,
  abcBlake3,
  bad,
  bin,
  blakesum,
  call,
  directory,
  hex,
  large,
  onLinux,
  path,
  write,
} from "../support/blakesum.ts";

const list = (hash: (bytes: Uint8Array) => Uint8Array) => `${hex(hash(abc))}  abc\n${hex(hash(large))}  large\n`;
const key = large.subarray(7, 39);

describe("an algorithm that no line names", () => {
  it.each([
    ["blake3", (bytes: Uint8Array) => blake3(bytes)],
    ["blake2b", (bytes: Uint8Array) => blake2b(bytes)],
    ["blake2b of 32 bytes", (bytes: Uint8Array) => blake2b(bytes, { dkLen: 32 })],
    ["blake2b of 20 bytes", (bytes: Uint8Array) => blake2b(bytes, { dkLen: 20 })],
    ["blake2s", (bytes: Uint8Array) => blake2s(bytes)],
    ["blake2s of 16 bytes", (bytes: Uint8Array) => blake2s(bytes, { dkLen: 16 })],
    ["blake3 of 64 bytes", (bytes: Uint8Array) => blake3(bytes, { dkLen: 64 })],
    ["blake3 of 100 bytes", (bytes: Uint8Array) => blake3(bytes, { dkLen: 100 })],
  ])("is found: %s", async (_, hash) => {
    await call("-c", list(hash)).prints("abc: OK\nlarge: OK\n");
  });

  it("is found although the first file is damaged or missing", async () => {
    const damaged = `${abcBlake2b.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))}  abc\n`;
    const missing = `${abcBlake2b}  absent\n`;
    expect(await blakesum("-c", damaged + missing + list((bytes) => blake2b(bytes)))).toMatchObject({
      status: 1,
      stdout: "abc: FAILED\nabsent: FAILED open or read\nabc: OK\nlarge: OK\n",
    });
  });

  it("may be another for each length", async () => {
    const mixed = list((bytes) => blake3(bytes)) + list((bytes) => blake2b(bytes));
    await call("-c", mixed).prints("abc: OK\nlarge: OK\n".repeat(2));
  });

  it("gets one hint if nothing matches", async () => {
    const wrong = `${"00".repeat(64)}  abc\n`.repeat(6);
    const { status, stdout, stderr } = await blakesum("-c", wrong);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "abc: FAILED\n".repeat(6) });
    expect(stderr.match(/no file matches as/g)).toHaveLength(1);
    expect(stderr).toMatch(
      /no file matches as .*blake2b.*; if the files are good, the list is probably sha512sum's \(digests of 128 digits\), which/,
    );
    const named = await blakesum("-c -a blake3", `${abcBlake2b}  abc\n`);
    expect(named.stderr).toMatch(
      /as blake3; digests of 128 digits are usually b2sum's \(--algorithm blake2b\) or sha512sum's; without --algorithm it is detected$/m,
    );
    expect((await blakesum("-c --status", wrong)).stderr).toBe("");
    expect((await blakesum("-c", `BLAKE3 (abc) = ${"00".repeat(32)}\n`)).stderr).not.toMatch(/no file matches/);
  });

  it.each([
    ["md5sum", 16],
    ["sha1sum", 20],
    ["sha224sum", 28],
    ["sha256sum", 32],
    ["sha384sum", 48],
    ["sha512sum", 64],
  ])("gets a hint at %s", async (program, length) => {
    const digest = createHash(program.slice(0, -3)).update(abc).digest("hex");
    expect(digest).toHaveLength(2 * length);
    const { status, stderr } = await blakesum("-c", `${digest}  abc\n`);
    expect(status).toBe(1);
    expect(stderr).toContain(
      `the list is probably ${program}'s (digests of ${2 * length} digits), which blakesum does not check; or of keyed`,
    );
    const tag = program.slice(0, -3).toUpperCase();
    await call("-c", `${tag} (abc) = ${digest}\n`).fails(
      "",
      `standard input: no properly formatted checksum lines found; line 1 is of ${tag}, which blakesum does not check`,
    );
  });

  it("has comments, which are skipped", async () => {
    const comments = `; of sfv\r\n# of b3sum\n;${abcBlake3}  abc\n\n`;
    await call("-c -w", `${comments}${abcBlake3}  abc\n`).prints("abc: OK\n");
  });

  it("is found under a key, which is no other list's", async () => {
    const keyed = list((bytes) => blake2b(bytes, { key, dkLen: 40 }));
    await call(["-c", "--key", hex(key)], keyed).prints("abc: OK\nlarge: OK\n");
    write(
      "keyed.sums",
      list((bytes) => blake3(bytes, { key })),
    );
    await call("-c --keyed keyed.sums", key).prints("abc: OK\nlarge: OK\n");
    expect((await blakesum("-c keyed.sums")).status).toBe(1);
    const derived = list((bytes) => blake3(bytes, { context: Buffer.from("c") }));
    await call("-c --derive-key c", derived).prints("abc: OK\nlarge: OK\n");
    expect((await blakesum("-c --keyed", key)).status).toBe(2);
    const salted = list((bytes) => blake2b(bytes, { salt: new Uint8Array(16).fill(1) }));
    await call(["-c", "--salt", "01".repeat(16)], salted).prints("abc: OK\nlarge: OK\n");
  });
});

describe("encodings", () => {
  const text = `${abcBlake3}  abc\r\n${abcBlake3}  größe.txt\r\n`;
  it.each([
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${text}`)],
    ["UTF-16LE", Buffer.from(`\ufeff${text}`, "utf16le")],
    ["UTF-16BE", Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
  ])("%s", async (_, bytes) => {
    write("größe.txt", abc);
    await call("-c", bytes).prints(Buffer.from("abc: OK\ngröße.txt: OK\n").toString("latin1"));
  });
});

describe("names", () => {
  it("of Windows find the file below the folder", async () => {
    mkdirSync(path("sub"));
    write("sub/file", abc);
    await call("-c", `${abcBlake3}  sub\\file\n${abcBlake3}  .\\abc\n`).prints("sub\\file: OK\n.\\abc: OK\n");
    const escaped = await blakesum("-c", `\\${abcBlake3}  sub\\\\file\n`);
    expect(escaped.stdout).toBe("sub\\file: FAILED open or read\n");
  });

  it("that lead out are warned of under --strict-names", async () => {
    const lines = `${abcBlake3}  ../${directory.replace(/.*\//, "")}/abc\n${abcBlake3}  ${path("abc")}\n${abcBlake3}  ./abc\n`;
    expect((await blakesum("-c", lines)).stderr).toBe("");
    const { status, stderr } = await blakesum("-c --strict-names", lines);
    expect(status).toBe(0);
    expect(stderr.match(/WARNING: .*abc: the name leads out of the folder/g)).toHaveLength(2);
  });
});

describe("what resists", () => {
  it("a list of a million lines", async () => {
    write(
      "million",
      `${`${abcBlake3}  abc\n`.repeat(10) + `# ${"x".repeat(62)}\n`.repeat(1_000_000)}${abcBlake3}  abc\n`,
    );
    await call("-c million").prints("abc: OK\n".repeat(11));
  });

  it("many files, by several threads, in their order", async () => {
    const names = Array.from({ length: 40 }, (_, i) => `many${i}`);
    for (const [i, name] of names.entries()) {
      write(name, "");
      truncateSync(path(name), 1_000_000 + i);
    }
    const digest = (i: number) => hex(blake2b(new Uint8Array(1_000_000 + i)));
    const expected = names.map((name, i) => `${digest(i)}  ${name}\n`);
    expected.splice(20, 0, `${abcBlake2b}  -\n`);
    const args = [...names.slice(0, 20), "-", "absent", ...names.slice(20)];
    const result = await blakesum(["-a", "blake2b", "--threads", "4", ...args], "abc");
    expect(result).toEqual(bad(expected.join(""), "blakesum: absent: no such file or directory\n"));
    write("many.sums", expected.filter((line) => !line.endsWith("-\n")).join(""));
    await call("-c --quiet --threads 3 many.sums").prints("");
  });

  it.runIf(onLinux)("a FIFO and a device in a list", async () => {
    const shell = `mkfifo pipe && (sh -c 'cat abc > pipe' &) && "$0" "$1" -c`;
    const input = `${abcBlake3}  pipe\n${hex(blake3(new Uint8Array()))}  /dev/null\n`;
    const { stdout } = spawnSync("sh", ["-c", shell, process.execPath, bin], { cwd: directory, input });
    expect(stdout.toString()).toBe("pipe: OK\n/dev/null: OK\n");
  });

  it("results of one line while the next is still to come", async () => {
    const child = spawn(process.execPath, [bin, "-c"], { cwd: directory });
    const first = new Promise((resolve) => child.stdout.once("data", resolve));
    child.stdin.write(`${abcBlake3}  abc\n`);
    expect(`${await first}`).toBe("abc: OK\n");
    child.stdin.end();
  });
});

describe("a list of which nothing matches", () => {
  const listOf = (digits: number, name = "abc") => `${"a".repeat(digits)}  ${name}\n`;

  const keyed = "of keyed digests (--key, --keyed, --derive-key) or another --algorithm";
  const or = "which blakesum does not check; or";
  const likely = (program: string, digits: number) =>
    `if the files are good, the list is probably ${program}'s (digests of ${digits} digits), ${or} ${keyed}`;

  it.each<[number, string[], string, string]>([
    [96, [], "blake384, blake3, blake2b, blake2bp", likely("sha384sum", 96)],
    [40, [], "blake3, blake2b, blake2s, blake2bp, blake2sp", likely("sha1sum", 40)],
    [42, [], "blake3, blake2b, blake2s, blake2bp, blake2sp", `if the files are good, the list is ${keyed}`],
    [64, ["-a", "blake3"], "blake3", likely("sha256sum", 64)],
    [
      40,
      ["-a", "blake2b"],
      "blake2b",
      "digests of 40 digits are usually shortened ones of b2sum or b3sum or sha1sum's; without --algorithm it is detected",
    ],
  ])("of %i digits says what it may be, %j", async (digits, args, tried, hint) => {
    const { status, stderr } = await blakesum(["--check", ...args], listOf(digits));
    expect(status).toBe(1);
    expect(stderr).toContain(`no file matches as ${tried}; ${hint}\n`);
  });

  it("names a missing file as the list does, backslash and all", async () => {
    expect(await blakesum("--check -a blake3", listOf(64, "none\\such"))).toMatchObject({
      status: 1,
      stdout: "none\\such: FAILED open or read\n",
    });
  });
});
