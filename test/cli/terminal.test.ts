// blakesum at a terminal and in scripts: progress, colour, JSON, completions, the man page.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { blake2b } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { blake2xb } from "blake-simd";
import { beforeAll, describe, expect, it } from "vitest";
import { abc, abcBlake3, bin, blakesum, call, directory, hex, on, onLinux, path, write } from "../support/blakesum.ts";

describe("progress", () => {
  /** A clock whose every reading is later by so many milliseconds. */
  const clock = (each: number) => ({ before: `let now = 0; Date.now = () => (now += ${each});` });
  const args = ["--progress=always", "-a", "blake2s", "--threads", "1"];
  const HOUR = 3_600_000;

  beforeAll(() => write("slow", new Uint8Array(3_000_000)));

  it("shows bytes, rate, time left and files on one line, and clears it at the end", async () => {
    const { status, stderr, stdout } = await on(clock(2000), [...args, "slow", "abc"]);
    expect(status).toBe(0);
    expect(stdout.split("\n")).toHaveLength(3);
    expect(stderr.startsWith("\r256.0 KiB of 2.9 MiB, 64.0 KiB/s, 0:42 left, 0 of 2 files\x1b[K")).toBe(true);
    expect(stderr).not.toContain("\n");
    expect(stderr.endsWith("\r\x1b[K")).toBe(true);
  });

  it("shows hours that are left, and says nothing of a total that is not known", async () => {
    const { stderr } = await on(clock(HOUR), [...args, "slow"]);
    expect(stderr.startsWith("\r256.0 KiB of 2.9 MiB, 36 B/s, 20:53:18 left\x1b[K")).toBe(true);
    const piped = await on({ ...clock(HOUR), input: new Uint8Array(3_000_000) }, [...args, "-"]);
    expect(piped.stderr).toMatch(/^\r\d+\.\d KiB, \d+ B\/s, 0 files/);
    expect(piped.stderr).not.toMatch(/left| of /);
    const device = await on(clock(HOUR), [...args, "slow", "/dev/null"]);
    expect(device.stderr).toMatch(/^\r256\.0 KiB, 36 B\/s, 0 files/);
  });

  it("is silent for a second, when piped, and with --status", async () => {
    expect((await on(clock(10), [...args, "slow"])).stderr).toBe("");
    expect((await on(clock(HOUR), [...args.slice(1), "slow"])).stderr).toBe("");
    const list = `${"00".repeat(32)}  slow\n`;
    expect(await on({ ...clock(HOUR), input: list }, ["-c", "--status", ...args])).toMatchObject({
      status: 1,
      stderr: "",
    });
    expect((await on({}, ["--progress=soon", "abc"])).status).toBe(2);
  });
});

describe("colour", () => {
  const list = `${"00".repeat(32)}  abc\n${abcBlake3}  abc\n`;

  it("marks FAILED alone, when it is asked for", async () => {
    expect((await blakesum("-c --color=always", list)).stdout).toBe("abc: \x1b[31mFAILED\x1b[0m\nabc: OK\n");
    for (const flag of ["--color=auto", "--color=never"]) {
      expect((await blakesum(["-c", flag], list)).stdout).toBe("abc: FAILED\nabc: OK\n");
    }
  });

  it.runIf(onLinux)("is on at a terminal, and off there with NO_COLOR", () => {
    write("sums", list);
    const at = (environment: string) =>
      spawnSync("script", ["-qec", `${environment} TERM=xterm '${process.execPath}' '${bin}' -c sums`, "/dev/null"], {
        cwd: directory,
      }).stdout.toString();
    expect(at("NO_COLOR=")).toContain("abc: \x1b[31mFAILED\x1b[0m");
    expect(at("NO_COLOR=1")).toContain("abc: FAILED\r\n");
  });
});

describe.runIf(onLinux)("names at a terminal", () => {
  const name = "good.iso: OK\r\x1b[8m\x7f\u009b31m\u2028\u202e\u2066é";
  const escaped = String.raw`good.iso: OK\x0d\x1b[8m\x7f\xc2\x9b31m\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6é`;
  /** With what the standard output of the shell's command is connected to. */
  const at = (command: string, output: "terminal" | "pipe") => {
    const shell = `'${process.execPath}' '${bin}' ${command}`;
    const [program, ...args] =
      output === "pipe" ? ["sh", "-c", shell] : ["script", "-qec", `stty -opost; TERM=dumb ${shell}`, "/dev/null"];
    return spawnSync(program as string, args, { cwd: directory }).stdout.toString();
  };

  it("obey no name: control characters are escaped there, and nowhere else", () => {
    write(name, abc);
    write("names", name);
    write("good.sums", `${abcBlake3}  ${name}\n`);
    write("bad.sums", `${"00".repeat(32)}  ${name}\n`);
    mkdirSync(path("painted"));
    write(`painted/${name}`, abc);
    // The list ends names with NUL, so that a return is one of the name.
    write("names", `${name}\0`);
    const line = (text: string) => `${abcBlake3}  ${text}\n`;
    const outputs: [string, (text: string) => string][] = [
      ["-c good.sums", (text) => `${text}: OK\n`],
      ["-c bad.sums 2>&-", (text) => `${text}: FAILED\n`],
      ["--tag --files-from names -z", (text) => `BLAKE3 (${text}) = ${abcBlake3}\0`],
      ["-z -r painted", (text) => line(`painted/${text}`).replace("\n", "\0")],
      ["--files-from names", (text) => `\\${line(text.replace("\r", "\\r").replace("\\x0d", "\\r"))}`],
    ];
    for (const [command, printed] of outputs) {
      expect(at(command, "pipe"), command).toBe(printed(name));
      if (!command.startsWith("--files-from")) expect(at(command, "terminal"), command).toBe(printed(escaped));
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they steer the terminal
    const steering = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\u2066]/;
    for (const command of ["--files-from names", "bao hash abc good.iso*", "--json good.iso*", "--folder painted"]) {
      expect(at(command, "terminal"), command).not.toMatch(steering);
    }
    expect(at("bao hash abc good.iso*", "pipe")).toContain(line(name));
  });
});

describe("--json", () => {
  const objects = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(Buffer.from(line, "latin1").toString()));

  it("prints an object for each file", async () => {
    write('quo"te\né', "q");
    const { stdout } = await blakesum(["--json", "-a", "blake2b", "-l", "20", "abc", 'quo"te\né']);
    const digest = (text: string) => hex(blake2b(Buffer.from(text), { dkLen: 20 }));
    expect(objects(stdout)).toEqual([
      { name: "abc", algorithm: "blake2b", digest: digest("abc") },
      { name: 'quo"te\né', algorithm: "blake2b", digest: digest("q") },
    ]);
  });

  it("escapes what would control a terminal, which parsers read back", async () => {
    const name = "a\u009b31m\x7f\u2029é";
    write(name, abc);
    const { stdout } = await blakesum(["--json", name]);
    expect(stdout).toContain(String.raw`"a\u009b31m\u007f\u2029`);
    expect(objects(stdout)).toEqual([{ name, algorithm: "blake3", digest: abcBlake3 }]);
  });

  it("prints an object for each file that is checked", async () => {
    const { status, stdout } = await blakesum(
      "-c --json",
      `${abcBlake3}  abc\n${"00".repeat(32)}  abc\n${abcBlake3}  absent\n`,
    );
    expect(status).toBe(1);
    expect(objects(stdout)).toEqual([
      { name: "abc", status: "ok" },
      { name: "abc", status: "failed" },
      { name: "absent", status: "unreadable" },
    ]);
  });
});

describe("what is made from the table of options", () => {
  it("completions, which shells accept and which know every option", async () => {
    const help = (await blakesum("--help")).stdout;
    const options = [...help.matchAll(/ --([a-z-]+)/g)].map(([, name]) => name);
    for (const shell of ["bash", "zsh", "fish"]) {
      const { stdout } = await blakesum(["--completions", shell]);
      for (const name of options) expect(stdout).toMatch(new RegExp(`(?:--|-l )${name}\\b`));
    }
    expect((await blakesum("--completions tcsh")).status).toBe(2);
    write("completions.bash", (await blakesum("--completions bash")).stdout);
    const ask =
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell reads it
      'source completions.bash; COMP_WORDS=(blakesum --algorithm blake2x); COMP_CWORD=2; _blakesum; echo "${COMPREPLY[@]}"';
    expect(spawnSync("bash", ["-c", ask], { cwd: directory }).stdout.toString()).toBe("blake2xb blake2xs\n");
  });

  it("the man page, with every option", async () => {
    const { stdout } = await blakesum("--man");
    const shipped = readFileSync(bin.replace(/\.cjs$/, ".1"), "latin1");
    expect(stdout).toBe(shipped);
    const help = (await blakesum("--help")).stdout;
    for (const [, name = ""] of help.matchAll(/^ {2}(?:-., | {4})--([a-z-]+)/gm)) {
      expect(stdout).toContain(`\\-\\-${name.replaceAll("-", "\\-")}\\fR`);
    }
    expect(stdout).not.toMatch(/^\.(?!TH|SH|SS|TP|B|BR|PP)/m);
  });
});

describe("output beyond what is kept", () => {
  it("of any length, from anywhere, as fast as it is read", async () => {
    const whole = blake3(abc, { dkLen: 300_000 });
    await call("--seek 100000 -l 200000 --no-names abc").prints(`${hex(whole.subarray(100_000))}\n`);
    const child = spawn(process.execPath, [bin, "--raw", "-l", "9007199254740991", "abc"], { cwd: directory });
    const [first] = (await new Promise<Buffer[]>((resolve) =>
      child.stdout.once("data", (data) => resolve([data])),
    )) as [Buffer];
    child.stdout.destroy();
    expect(hex(first.subarray(0, 1000))).toBe(hex(whole.subarray(0, 1000)));
  });

  it("is what it says, with a word if it looks like bits", async () => {
    const { status, stdout, stderr } = await blakesum("-l 256 abc");
    expect({ status, digits: stdout.indexOf(" ") }).toEqual({ status: 0, digits: 512 });
    expect(stderr).toBe("blakesum: --length is in bytes: these are 256 bytes; 256 bits are --length 32\n");
    for (const args of [
      ["-l", "32"],
      ["-l", "100"],
      ["-a", "blake2xb", "-l", "64"],
      ["-a", "blake3-256"],
    ])
      expect((await blakesum([...args, "abc"])).stderr).toBe("");
  });

  it("is a part of what BLAKE2X hashes if it is stated, in lists too", async () => {
    for (const [args, options, tag, other, hint] of [
      [["-a", "blake2xb"], {}, "BLAKE2xb", "blake2xb-512", "without it"],
      [["-a", "blake2xb", "-l", "64"], { length: 64 }, "BLAKE2xb-512", "blake2xb", "with --length 64"],
      [["-a", "blake2xb-512"], { length: 64 }, "BLAKE2xb-512", "blake2xb", "with --length 64"],
    ] as const) {
      const { stdout } = await blakesum([...args, "--tag", "abc"]);
      expect(stdout).toBe(`${tag} (abc) = ${blake2xb.hex("abc", options)}\n`);
      expect((await blakesum("-c", stdout)).stdout).toBe("abc: OK\n");
      expect((await blakesum("-c -l 10", stdout)).stdout).toBe("abc: OK\n");
      const list = (await blakesum([...args, "abc"])).stdout;
      expect((await blakesum([...args, "-c"], list)).stdout).toBe("abc: OK\n");
      const json = JSON.parse((await blakesum([...args, "--json", "abc"])).stdout);
      expect(json).toEqual({ name: "abc", algorithm: "blake2xb", ...options, digest: list.split(" ")[0] });
      expect((await blakesum(["-c", "-a", other], list)).stderr).toContain(`it is another hash ${hint}`);
    }
  });

  it("has its bounds named", async () => {
    const { stderr } = await blakesum("-a blake2b -l 512 abc");
    expect(stderr).toMatch(/--length is in bytes, for blake2b 1 to 64, was 512; 512 bits are 64 bytes: --length 64/);
    expect((await blakesum("--seek 18446744073709551615 abc")).status).toBe(2);
    expect((await blakesum("-a blake2b --seek 1 abc")).stderr).toMatch(/--seek cannot be used with blake2b/);
    expect((await blakesum("-a blake2bp --salt 00 abc")).stderr).toMatch(/--salt cannot be used with blake2bp/);
    expect((await blakesum("-a blake2xb --json -l 70000 abc")).status).toBe(2);
    expect((await blakesum("-a blake2b --key secret abc")).stderr).toMatch(/--key must be hexadecimal digits/);
    expect((await blakesum("-a blake2b256 -l 16 abc")).stderr).toMatch(/--length must be 32 or left out/);
    expect((await blakesum("-a blake2b --fanout 256 abc")).stderr).toMatch(
      /blake2b: --fanout must be an integer from 0 to 255, got 256/,
    );
  });
});
