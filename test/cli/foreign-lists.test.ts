// blakesum --check on lists of unknown make, in other encodings, and made to mislead.
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { describe, expect, it } from "vitest";
import {
  abc,
  abcBlake2b,
  abcBlake3,
  blakesum,
  directory,
  hex,
  large,
  path,
  run,
  runs,
  write,
} from "../support/blakesum.ts";

type Hash = (bytes: Uint8Array) => Uint8Array;
const list = (hash: Hash) => `${hex(hash(abc))}  abc\n${hex(hash(large))}  large\n`;
const key = large.subarray(7, 39);
const both = "abc: OK\nlarge: OK\n";

describe("an algorithm that no line names", () => {
  it.each<[string, Hash]>([
    ["blake3", (bytes) => blake3(bytes)],
    ["blake2b", (bytes) => blake2b(bytes)],
    ["blake2b of 32 bytes", (bytes) => blake2b(bytes, { dkLen: 32 })],
    ["blake2b of 20 bytes", (bytes) => blake2b(bytes, { dkLen: 20 })],
    ["blake2s", (bytes) => blake2s(bytes)],
    ["blake2s of 16 bytes", (bytes) => blake2s(bytes, { dkLen: 16 })],
    ["blake3 of 64 bytes", (bytes) => blake3(bytes, { dkLen: 64 })],
    ["blake3 of 100 bytes", (bytes) => blake3(bytes, { dkLen: 100 })],
  ])("is found: %s", async (_, hash) => run(["-c", both, list(hash)]));

  const ofBlake3 = list((bytes) => blake3(bytes));
  const ofBlake2b = list((bytes) => blake2b(bytes));
  const keyed = list((bytes) => blake3(bytes, { key }));
  write("keyed.sums", keyed);

  runs([
    // It may be another for each length.
    ["-c", both.repeat(2), ofBlake3 + ofBlake2b],
    [["-c", "--key", hex(key)], both, list((bytes) => blake2b(bytes, { key, dkLen: 40 }))],
    ["-c --keyed keyed.sums", both, key],
    ["-c --derive-key c", both, list((bytes) => blake3(bytes, { context: Buffer.from("c") }))],
    [`-c --salt ${"01".repeat(16)}`, both, list((bytes) => blake2b(bytes, { salt: new Uint8Array(16).fill(1) }))],
  ]);

  it("is found although the first files are damaged or missing, even if it is not the likeliest", async () => {
    const hash: Hash = (bytes) => blake3(bytes, { dkLen: 64 });
    const lines = `${`${"00".repeat(64)}  abc\n`.repeat(3)}${hex(hash(abc))}  absent\n${list(hash)}`;
    expect(await blakesum("-c", lines)).toMatchObject({
      status: 1,
      stdout: `${"abc: FAILED\n".repeat(3)}absent: FAILED open or read\n${both}`,
    });
  });

  it("is not found without the key", async () => {
    expect((await blakesum("-c keyed.sums")).status).toBe(1);
  });

  it("gets one hint, if anything is to be said", async () => {
    const wrong = `${"00".repeat(64)}  abc\n`.repeat(6);
    write("wrong", wrong);
    const { status, stdout, stderr } = await blakesum("-c wrong -", wrong);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "abc: FAILED\n".repeat(12) });
    expect(stderr.match(/no file matches as/g)).toHaveLength(1);
    expect((await blakesum("-c --status", wrong)).stderr).toBe("");
    expect((await blakesum("-c", `BLAKE3 (abc) = ${"00".repeat(32)}\n`)).stderr).not.toMatch(/no file matches/);
  });

  it.each([
    ["md5", 16],
    ["sha1", 20],
    ["sha224", 28],
    ["sha256", 32],
    ["sha384", 48],
    ["sha512", 64],
  ])("is no list of %ssum", async (name, _length) => {
    const digest = createHash(name).update(abc).digest("hex");
    const { status, stderr } = await blakesum("-c", `${digest}  abc\n`);
    expect(status).toBe(1);
    expect(stderr).toContain(`, or of ${name}sum, which blakesum does not check`);
    const reason = `line 1 is of ${name.toUpperCase()}, which blakesum does not check`;
    const tagged = `${name.toUpperCase()} (abc) = ${digest}\n`;
    await run(["-c", `! standard input: no properly formatted checksum lines found; ${reason}`, tagged]);
  });

  const others = "if the files are good, the list is of another --algorithm, --length or key";
  const likely = (program: string) => `${others}, or of ${program}, which blakesum does not check`;

  it.each<[digits: number, flags: string, tried: string, hint: string]>([
    [128, "-c", "blake2b, blake2bp, blake512, blake3", likely("sha512sum")],
    [96, "-c", "blake384, blake3, blake2b, blake2bp", likely("sha384sum")],
    [40, "-c", "blake3, blake2b, blake2s, blake2bp, blake2sp", likely("sha1sum")],
    [42, "-c", "blake3, blake2b, blake2s, blake2bp, blake2sp", others],
    [64, "-c -a blake3", "blake3", likely("sha256sum")],
    [128, "-c -a blake3", "blake3", likely("sha512sum")],
  ])("of which nothing matches, of %i digits: %s", async (digits, flags, tried, hint) => {
    const { status, stderr } = await blakesum(flags, `${"a".repeat(digits)}  abc\n`);
    expect(status).toBe(1);
    expect(stderr).toContain(`no file matches as ${tried}; ${hint}\n`);
  });
});

describe("names", () => {
  mkdirSync(path("sub"));
  write("sub/file", abc);
  const unread = (name: string) => `${name}: FAILED open or read
! ${name}: no such file or directory\n! standard input: WARNING: 1 listed file could not be read`;
  runs([
    ["-c", "sub\\file: OK\n.\\abc: OK", `${abcBlake3}  sub\\file\n${abcBlake3}  .\\abc\n`],
    ["-c", unread("sub\\file"), `\\${abcBlake3}  sub\\\\file\n`],
    ["-c -a blake3", unread("none\\such"), `${"a".repeat(64)}  none\\such\n`],
  ]);

  it("that lead out are warned of under --strict-names", async () => {
    const out = [`../${directory.replace(/.*\//, "")}/abc`, path("abc")];
    const lines = [...out, "./abc"].map((name) => `${abcBlake3}  ${name}\n`).join("");
    const oks = [...out, "./abc"].map((name) => `${name}: OK\n`).join("");
    const warnings = out.map((name) => `! WARNING: ${name}: the name leads out of the folder\n`).join("");
    await run(["-c", oks, lines]);
    await run(["-c --strict-names", `${oks}${warnings}`, lines, 0]);
  });
});

it("a list of a million lines is checked", async () => {
  const comments = `# ${"x".repeat(62)}\n`.repeat(1_000_000);
  write("million", `${`${abcBlake3}  abc\n`.repeat(10)}${comments}${abcBlake3}  abc\n`);
  await run(["-c million", "abc: OK\n".repeat(11)]);
});

describe("encodings", () => {
  /** A pipe that gives a byte at a time. */
  const before = `
    const fs = require("node:fs");
    const { readSync } = fs;
    fs.readSync = (descriptor, target, at, length, position) =>
      readSync(descriptor, target, at, descriptor === 0 ? Math.min(1, length) : length, position);`;
  const text = `\ufeff${abcBlake2b}  abc\r\n${abcBlake3}  \u{1f4be}é\n`;
  const little = Buffer.from(text, "utf16le");

  it.each([
    ["UTF-8", Buffer.from(text)],
    ["UTF-16LE", little],
    ["UTF-16BE", Buffer.from(little).swap16()],
  ])("%s, with its mark, at once and by bytes", async (_, input) => {
    write("\u{1f4be}é", abc);
    await run(["-c", "abc: OK\n\u{1f4be}é: OK", input]);
    await run(["-c", "abc: OK\n\u{1f4be}é: OK", input], { before });
    const names = Buffer.from(text.replace(/^(\ufeff?)\w+ {2}/gm, "$1"), "utf16le");
    await run(["--files-from -", `${abcBlake3}  abc\n${abcBlake3}  \u{1f4be}é`, names], { before });
  });

  it.each(["\u{1f4be}".charAt(0), "a"])("with half of a character are not read as another name: %j", async (end) => {
    write("abc\ufffd", abc);
    for (const rest of ["", "\n"]) {
      const cut = (bytes: Buffer) => (end === "a" ? bytes.subarray(0, -1) : bytes);
      const sums = cut(Buffer.from(`\ufeff${abcBlake3}  abc${end}${rest}`, "utf16le"));
      const half = "! standard input: the list is in UTF-16, but has half of a character";
      await run(["--check", half, sums]);
      await run(["--files-from -", half, cut(Buffer.from(`\ufeffabc${end}${rest}`, "utf16le"))]);
    }
  });

  const noLines = "! standard input: no properly formatted checksum lines found";
  const marks = ["", "\xff", "\xfe", "\xef", "\xef\xbb", "\xff\xfe", "\xef\xbb\xbf"];
  runs(
    marks.map((mark) => ["--check", noLines, Buffer.from(mark, "latin1")]),
    { before },
  );
});
