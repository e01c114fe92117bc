// blakesum at a terminal: progress, color, and names that would control it.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { abc, abcBlake3, bin, blakesum, directory, on, path, runs, write } from "../support/blakesum.ts";

const wrong = "00".repeat(32);

describe("progress", () => {
  /** A clock whose every reading is later by so many milliseconds. */
  const clock = (each: number) => ({ before: `let now = 0; Date.now = () => (now += ${each});` });
  const args = ["--progress=always", "-a", "blake2s", "--threads", "1"];
  const HOUR = 3_600_000;
  const content = new Uint8Array(3_000_000);

  beforeAll(() => {
    write("slow", content);
    mkdirSync(path("slow-folder"));
    write("slow-folder/slow", content);
  });

  it("shows bytes, rate, time left and files on one line, and clears it at the end", async () => {
    const { status, stderr, stdout } = await on(clock(2000), [...args, "slow", "abc"]);
    expect(status).toBe(0);
    expect(stdout.split("\n")).toHaveLength(3);
    expect(stderr.startsWith("\r256.0 KiB of 2.9 MiB, 64.0 KiB/s, 0:42 left, 0 of 2 files\x1b[K")).toBe(true);
    expect(stderr).not.toContain("\n");
    // Before each line, and at the end.
    expect(stderr.split("\r\x1b[K")).toHaveLength(3);
    expect(stderr.endsWith("\r\x1b[K")).toBe(true);
  });

  it.each([
    ["slow", "\r256.0 KiB of 2.9 MiB, 36 B/s, 20:53:18 left\x1b[K"],
    // Of a total that is not known, nothing is said.
    ["-", "\r256.0 KiB, 24 B/s, 0 files\x1b[K"],
    ["slow /dev/null", "\r256.0 KiB, 36 B/s, 0 files\x1b[K"],
    ["--folder slow-folder", "\r256.0 KiB, 36 B/s, 0 files\x1b[K"],
  ])("of %s begins with %j", async (names, begin) => {
    const { stderr } = await on({ ...clock(HOUR), input: content }, [...args, ...names.split(" ")]);
    expect(stderr.slice(0, begin.length)).toBe(begin);
  });

  it.each([
    [10, [...args, "slow"]],
    [HOUR, [...args.slice(1), "slow"]],
    [HOUR, ["-c", "--status", ...args]],
  ])("is silent for a second, when piped, and with --status: clock %i, %j", async (each, silent) => {
    expect((await on({ ...clock(each), input: `${wrong}  slow\n` }, silent)).stderr).toBe("");
  });
});

describe("color marks FAILED alone", () => {
  const list = `${wrong}  abc\n${abcBlake3}  abc\n`;
  runs([
    [
      "-c --color=always",
      "abc: \x1b[31mFAILED\x1b[0m\nabc: OK\n! standard input: WARNING: 1 computed checksum did NOT match",
      list,
    ],
    ["-c --color=auto", "abc: FAILED\nabc: OK\n! standard input: WARNING: 1 computed checksum did NOT match", list],
    ["-c --color=never", "abc: FAILED\nabc: OK\n! standard input: WARNING: 1 computed checksum did NOT match", list],
  ]);

  it("at a terminal, unless NO_COLOR is set", () => {
    write("sums", list);
    const at = (environment: string) =>
      spawnSync("script", ["-qec", `${environment} TERM=xterm '${process.execPath}' '${bin}' -c sums`, "/dev/null"], {
        cwd: directory,
      }).stdout.toString();
    expect(at("NO_COLOR=")).toContain("abc: \x1b[31mFAILED\x1b[0m");
    expect(at("NO_COLOR=1")).toContain("abc: FAILED\r\n");
  });
});

describe("names with control characters, escaped at a terminal alone", () => {
  const name = "good.iso: OK\r\x1b[8m\x7f\u009b31m\u2028\u202e\u2066é";
  const escaped = String.raw`good.iso: OK\x0d\x1b[8m\x7f\xc2\x9b31m\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6é`;
  const line = (text: string) => `${abcBlake3}  ${text}\n`;
  const marked = (text: string) => `\\${line(text.replace("\r", "\\r").replace("\\x0d", "\\r"))}`;

  beforeAll(() => {
    write(name, abc);
    write("good.sums", `${abcBlake3}  ${name}\n`);
    write("bad.sums", `${wrong}  ${name}\n`);
    mkdirSync(path("painted"));
    write(`painted/${name}`, abc);
    // The list ends names with NUL, so that a return is one of the name.
    write("names", `${name}\0`);
  });

  it.each<[command: string, printed: (text: string) => string]>([
    ["-c good.sums", (text) => `${text}: OK\n`],
    ["-c bad.sums", (text) => `${text}: FAILED\n`],
    ["--tag --files-from names -z", (text) => `BLAKE3 (${text}) = ${abcBlake3}\0`],
    ["-z -r painted", (text) => line(`painted/${text}`).replace("\n", "\0")],
    ["--files-from names", marked],
    ["bao hash abc NAME", (text) => `${line("abc")}${line(text)}`],
  ])("%s", async (command, printed) => {
    const args = command.split(" ").map((arg) => (arg === "NAME" ? name : arg));
    expect(Buffer.from((await blakesum(args)).stdout, "latin1").toString()).toBe(printed(name));
    const quoted = [process.execPath, bin, ...args].map((arg) => `'${arg}'`).join(" ");
    const shell = ["-qec", `stty -opost; TERM=dumb ${quoted} 2>&-`, "/dev/null"];
    expect(spawnSync("script", shell, { cwd: directory }).stdout.toString()).toBe(printed(escaped));
  });
});
