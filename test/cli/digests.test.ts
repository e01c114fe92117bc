// What the command prints of files and standard input, held against @noble/hashes and node:crypto.
import { createHash } from "node:crypto";
import { chmodSync, readFileSync } from "node:fs";
import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { blake2xb } from "blake-simd";
import { describe, expect, it } from "vitest";
import {
  abc,
  abcBlake2b,
  abcBlake2s,
  abcBlake3,
  bin,
  blakesum,
  bytesOf,
  escapes,
  good,
  hex,
  large,
  path,
  type Run,
  run,
  runs,
  write,
} from "../support/blakesum.ts";

const empty = hex(blake3(new Uint8Array()));
const dash = hex(blake3(Buffer.from("dash")));
const largeBlake3 = hex(blake3(large));
const b3 = (length: number) => hex(blake3(abc, { dkLen: length }));
const openssl = (name: string) => createHash(name).update(large).digest("hex");
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

describe("digests", () => {
  it.each([
    ["blake2b", 64, blake2b],
    ["blake2s", 32, blake2s],
    ["blake3", 32, blake3],
  ] as const)("%s of files, of its own length, shorter and of one byte", async (name, length, oracle) => {
    const files = { abc, empty: new Uint8Array(), large };
    for (const dkLen of [length, 20, 1]) {
      const lines = Object.entries(files).map(([file, content]) => `${hex(oracle(content, { dkLen }))}  ${file}\n`);
      await run([["-a", name, "-l", `${dkLen}`, ...Object.keys(files)], lines.join("")]);
    }
  });

  const context = "blake-simd 2024-01-01 Schlüssel";
  const keyed = (
    name: string,
    length: number,
    oracle: (message: Uint8Array, options: { key: Uint8Array }) => Uint8Array,
  ): Run => {
    const key = bytesOf(length + 9).subarray(9);
    return [`-a ${name} --keyed large`, `${hex(oracle(large, { key }))}  large`, key];
  };
  runs([
    ["abc", `${abcBlake3}  abc`],
    ["--algorithm=blake2b large", `${openssl("blake2b512")}  large`],
    ["--algorithm blake2s large", `${openssl("blake2s256")}  large`],
    ["-a blake224", "7dc5313b1c04512a174bd6503b89607aecbee0903d40a8a569c94eed  -"],
    ["-a blake224 -l 28", "7dc5313b1c04512a174bd6503b89607aecbee0903d40a8a569c94eed  -"],
    ["--length=1000 abc", `${b3(1000)}  abc`],
    ["--length=500001 --tag abc", `BLAKE3 (abc) = ${b3(500_001)}`],
    ["--seek 100000 -l 200000 --no-names abc", b3(300_000).slice(200_000)],
    ["--threads 0 abc", `${abcBlake3}  abc`],
    keyed("blake3", 32, blake3),
    keyed("blake2b", 64, blake2b),
    keyed("blake2b", 1, blake2b),
    keyed("blake2s", 32, blake2s),
    [
      ["--derive-key", context, "-l", "80", "large"],
      `${hex(blake3(large, { context: Buffer.from(context), dkLen: 80 }))}  large`,
    ],
    ["--derive-key --tag abc", `${hex(blake3(abc, { context: Buffer.from("--tag") }))}  abc`],
  ]);

  runs([
    [[], `${largeBlake3}  -`, large],
    ["-", `${largeBlake3}  -`, large],
    ["/dev/stdin", `${largeBlake3}  /dev/stdin`, large],
    ["abc - empty", `${abcBlake3}  abc\n${empty}  -\n${empty}  empty`],
  ]);

  it("of BLAKE2X are of another hash if the length is stated, in lists too", async () => {
    for (const [args, options, tag, other] of [
      ["-a blake2xb", {}, "BLAKE2xb", "blake2xb-512"],
      ["-a blake2xb -l 64", { length: 64 }, "BLAKE2xb-512", "blake2xb"],
      ["-a blake2xb-512", { length: 64 }, "BLAKE2xb-512", "blake2xb"],
    ] as const) {
      const digest = blake2xb.hex("abc", options);
      const tagged = `${tag} (abc) = ${digest}\n`;
      await run([`${args} --tag abc`, tagged]);
      await run(["-c", "abc: OK", tagged]);
      await run(["-c -l 10", "abc: OK", tagged]);
      await run([`${args} abc`, `${digest}  abc`]);
      await run([`${args} -c`, "abc: OK", `${digest}  abc\n`]);
      await run([`${args} --json abc`, JSON.stringify({ name: "abc", algorithm: "blake2xb", ...options, digest })]);
      expect((await blakesum(`-c -a ${other}`, `${digest}  abc\n`)).stderr).toContain("another --algorithm, --length");
    }
  });
});

describe("lines", () => {
  const names = Object.keys(escapes);
  const each = (line: (name: string, escaped: string) => string) =>
    Object.entries(escapes)
      .map(([name, escaped]) => line(name, escaped))
      .join("");
  const json = (name: string, algorithm: string, digest: string) => JSON.stringify({ name, algorithm, digest });
  const five = `${abcBlake3}  abc\n${empty}  -\n${empty}  empty\n${abcBlake3}  abc\n${dash}  -dash`;
  for (const name of ["größe 文", 'quo"te\né', "a\u009b31m\x7f\u2029\u202eé"]) write(name, abc);

  runs([
    [names, each((_, escaped) => `\\${abcBlake3}  ${escaped}\n`)],
    [["--tag", ...names], each((_, escaped) => `\\BLAKE3 (${escaped}) = ${abcBlake3}\n`)],
    [["-z", ...names], each((name) => `${abcBlake3}  ${name}\0`)],
    ["--tag abc", `BLAKE3 (abc) = ${abcBlake3}`],
    ["--tag -a blake2b abc", `BLAKE2b (abc) = ${abcBlake2b}`],
    ["--tag -a blake2b -l16 abc", `BLAKE2b-128 (abc) = ${hex(blake2b(abc, { dkLen: 16 }))}`],
    ["--tag -bza blake2s abc", `BLAKE2s (abc) = ${abcBlake2s}\0`],
    ["--binary abc", `${abcBlake3} *abc`],
    ["-t abc", `${abcBlake3}  abc`],
    ["--no-names abc empty", `${abcBlake3}\n${empty}`],
    ["--no-names --zero abc", `${abcBlake3}\0`],
    // Of options that exclude each other, and of values, the last counts.
    ["-bt -l 16 -l4 abc", `${b3(4)}  abc`],
    ["abc -t --length=32 -ba blake2b --algorithm blake3", `${abcBlake3} *abc`],
    ["abc - --threads 1 empty -- abc -dash", five],
    ["--threads=1 -- abc - empty abc -dash", five],
    ["-- -dash", `${dash}  -dash`],
    ["./-dash", `${dash}  ./-dash`],
    ["-c", "-dash: OK", `${dash}  -dash\n`],
    [["größe 文"], `${abcBlake3}  größe 文`],
    ["-c", "größe 文: OK", `${abcBlake3}  größe 文\n`],
    ["--version", `blakesum ${version}`],
    ["-V missing", `blakesum ${version}`],
    [
      ["--json", "-a", "blake2b", "abc", 'quo"te\né'],
      `${json("abc", "blake2b", abcBlake2b)}\n${json('quo"te\né', "blake2b", abcBlake2b)}`,
    ],
    // Parsers read back what would control a terminal.
    [
      ["--json", "a\u009b31m\x7f\u2029\u202eé"],
      String.raw`{"name":"a\u009b31m\u007f\u2029\u202eé","algorithm":"blake3","digest":"${abcBlake3}"}`,
    ],
    ["-l 256 abc", `${b3(256)}  abc\n! --length is in bytes: these are 256 bytes; 256 bits are --length 32`, "", 0],
    ["-l 32 abc", `${abcBlake3}  abc`],
    ["-l 100 abc", `${b3(100)}  abc`],
    ["-a blake3-256 abc", `${abcBlake3}  abc`],
  ]);

  it("--raw prints the bytes alone", async () => {
    const bytes = (length: number) => good(Buffer.from(b3(length), "hex").toString("latin1"));
    expect(await blakesum("--raw abc")).toEqual(bytes(32));
    expect(await blakesum("--raw --tag -z -l 300", abc)).toEqual(bytes(300));
  });
});

describe("files in trouble", () => {
  // Nothing is locked for root, but nobody can read at address 0.
  const [locked, reason] = process.getuid?.() === 0 ? ["/proc/self/mem", "i/o error"] : ["locked", "permission denied"];
  write("locked", abc);
  chmodSync(path("locked"), 0);

  runs([
    [
      ["missing", "abc", "folder", "empty", ""],
      `${abcBlake3}  abc\n${empty}  empty
! missing: no such file or directory\n! folder: is a directory; -r hashes its files\n! '': no such file or directory`,
    ],
    ["-l 70000 none abc", `${b3(70_000)}  abc\n! none: no such file or directory`],
    // Messages keep to one line and to printable characters.
    [["new\nline \x1b[31m"], String.raw`! new\x0aline \x1b[31m: no such file or directory`],
    [
      ["größe\u009b31m\u0085\x7f\u2028"],
      String.raw`! größe\xc2\x9b31m\xc2\x85\x7f\xe2\x80\xa8: no such file or directory`,
    ],
    [["-c", "--warn", "none\u009b"], String.raw`! none\xc2\x9b: no such file or directory`],
    [["--\u009bx"], "! there is no option --\\xc2\\x9bx\n! Try 'blakesum --help' for more information.", "", 2],
    [`${locked} abc`, `${abcBlake3}  abc\n! ${locked}: ${reason}`],
    // It claims to be empty.
    ["/proc/version", `${hex(blake3(readFileSync("/proc/version")))}  /proc/version`],
  ]);
});

describe("what is made from the table of options", () => {
  it("--help, with every option, every algorithm and the exit status; -h is short", async () => {
    const { status, stdout, stderr } = await blakesum("--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const names =
      "algorithm length keyed derive-key tag zero raw no-names binary text check ignore-missing quiet status";
    for (const name of `${names} strict warn help version`.split(" ")) expect(stdout).toContain(`--${name} `);
    for (const name of ["blake2b", "blake2s", "blake3"]) expect(stdout).toMatch(new RegExp(`^ +${name} `, "m"));
    expect(stdout).toMatch(/Exit status: 0 .*; 1 .*;\s2 /s);
    for (const args of ["-h", "-bh abc"]) {
      const short = await blakesum(args);
      expect(short.stdout.split("\n").length).toBeLessThan(24);
      expect(short.stdout).toMatch(/^Usage: blakesum .*Try 'blakesum --help' for all options\.\n$/s);
    }
    expect((await blakesum("-h --help")).stdout).toBe(stdout);
  });

  it("completions, which know every option, and the man page", async () => {
    const help = (await blakesum("--help")).stdout;
    const options = [...help.matchAll(/^ {2}(?:-., | {4})--([a-z-]+)/gm)].map(([, name = ""]) => name);
    expect(options.length).toBeGreaterThan(30);
    for (const shell of ["bash", "zsh", "fish"]) {
      const { stdout } = await blakesum(`--completions ${shell}`);
      for (const name of options) expect(stdout).toMatch(new RegExp(`(?:--|-l )${name}\\b`));
    }
    const { stdout } = await blakesum("--man");
    expect(stdout).toBe(readFileSync(bin.replace(/\.cjs$/, ".1"), "latin1"));
    for (const name of options) expect(stdout).toContain(`\\-\\-${name.replaceAll("-", "\\-")}\\fR`);
    expect(stdout).not.toMatch(/^\.(?!TH|SH|SS|TP|B|BR|PP)/m);
  });
});
