// The command on systems that this one is not: a module that Node.js loads first makes the difference.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { blake256 } from "@noble/hashes/blake1.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { describe, expect, it } from "vitest";
import {
  abc,
  abcBlake2b,
  abcBlake2s,
  abcBlake3,
  bad,
  bin,
  CLOSED,
  directory,
  good,
  hex,
  large,
  moduleOf,
  on,
  onLinux,
  path,
  type System,
  write,
} from "../support/blakesum.ts";

const WINDOWS = 'Object.defineProperty(process, "platform", { value: "win32" });';

describe("Windows", () => {
  // A console or a pipe ends with an error there.
  const END = `
    const fs = require("node:fs");
    const { readSync } = fs;
    fs.readSync = (...args) => {
      const read = readSync(...args);
      if (read === 0) throw Object.assign(new Error("EOF: end of file, read"), { code: "EOF", errno: -4095, syscall: "read" });
      return read;
    };`;

  it("reports the end of a pipe as an error, which is its end", async () => {
    const line = `${abcBlake3}  -\n`;
    expect(await on({ before: END, input: abc }, [])).toEqual(good(line));
    const list = `${abcBlake3}  abc\n`;
    expect(await on({ before: END, input: list }, ["--check"])).toEqual(good("abc: OK\n"));
    expect((await on({ before: END, input: abc }, ["bao", "hash"])).stdout).toBe(`${abcBlake3}\n`);
  });

  it("reports other errors of a read as such", async () => {
    const before = `
      const fs = require("node:fs");
      fs.readSync = () => { throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO", errno: -5, syscall: "read" }); };`;
    for (const args of [[], ["bao", "hash"], ["--check"]]) {
      const { status, stdout, stderr } = await on({ before, input: abc }, args);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/i\/o error/i);
    }
  });

  it("has folders separated by a backslash, which lists write as /", async () => {
    mkdirSync(path("in"), { recursive: true });
    write("in\\abc", abc);
    expect((await on({ before: WINDOWS }, ["in\\abc"])).stdout).toBe(`${abcBlake3}  in/abc\n`);
  });
});

describe.runIf(process.platform !== "win32")("files and folders that a user may not read", () => {
  // Root may read all of them, so another user does: not the command's own kernels, which may be in a folder of root's.
  const before = `
    const fs = require("node:fs");
    for (const name of process.geteuid() === 0 ? ["openSync", "readdirSync"] : []) {
      const call = fs[name];
      fs[name] = (...args) => {
        if (String(args[0]).endsWith(".wasm")) return call(...args);
        process.seteuid(65534);
        try {
          return call(...args);
        } finally {
          process.seteuid(0);
        }
      };
    }`;

  it("are named, and all others are hashed", async () => {
    mkdirSync(path("closed/inner"), { recursive: true });
    mkdirSync(path("closed/open"));
    mkdirSync(path("closed/shut"));
    write("closed/open/abc", abc);
    write("closed/shut/abc", abc);
    chmodSync(directory, 0o755);
    chmodSync(path("closed/inner"), 0o311);
    chmodSync(path("closed/shut/abc"), 0);
    const denied = (name: string) => `blakesum: closed/${name}: permission denied\n`;
    const [stderr, shut] = [denied("inner"), denied("shut/abc")];
    const line = `${abcBlake3}  closed/open/abc\n`;
    expect(await on({ before }, ["-r", "closed"])).toEqual(bad(line, stderr + shut));
    expect(await on({ before }, ["--folder", "closed/shut"])).toEqual(bad("", shut));
    expect(await on({ before }, ["-r", "--length", "1048576", "closed/inner"])).toEqual(bad("", stderr));
    expect(await on({ before }, ["--folder", "closed"])).toEqual(bad("", stderr));
    chmodSync(path("closed/inner"), 0o755);
    chmodSync(path("closed/shut/abc"), 0o644);
    expect(await on({ before }, ["-r", "closed"])).toMatchObject({ status: 0, stderr: "" });
  });
});

describe.runIf(onLinux)("names that are not UTF-8", () => {
  const name = Buffer.concat([Buffer.from("caf"), Buffer.from([0xe9])]);

  it("are what /proc has of them, if it is to be read and has these arguments", () => {
    const shell = (before: string) => {
      const module = moduleOf(before);
      const script = `printf abc > "$(printf 'caf\\351')"; exec "$0" --require "$1" "$2" "$(printf 'caf\\351')"`;
      const { status, stdout, stderr } = spawnSync("sh", ["-c", script, process.execPath, module, bin], {
        cwd: directory,
      });
      return { status, stdout: stdout.toString("latin1"), stderr: stderr.toString("latin1") };
    };
    expect(shell("")).toEqual(good(`${abcBlake3}  ${name.toString("latin1")}\n`));
    const closed = `
      const fs = require("node:fs");
      const { readFileSync } = fs;
      fs.readFileSync = (file, ...rest) => {
        if (file === "/proc/self/cmdline") throw new Error("no /proc");
        return readFileSync(file, ...rest);
      };`;
    // Node.js has replaced the byte, and there is no such file.
    expect(shell(closed)).toMatchObject({ status: 1, stdout: "" });
    expect(shell('process.argv[2] = "abc\\ufffd";')).toMatchObject({ status: 1, stdout: "" });
  });

  it("come with their bytes in JSON", () => {
    const script = `printf abc > "$(printf 'caf\\351')"; exec "$0" "$1" --json "$(printf 'caf\\351')"`;
    const { stdout } = spawnSync("sh", ["-c", script, process.execPath, bin], { cwd: directory });
    expect(JSON.parse(stdout.toString())).toEqual({
      name: "caf\ufffd",
      nameBytes: name.toString("hex"),
      algorithm: "blake3",
      digest: abcBlake3,
    });
  });
});

describe.runIf(onLinux)("descriptors", () => {
  const shell = (command: string) => spawnSync("sh", ["-c", command, process.execPath, bin], { cwd: directory });

  it("that are closed are no terminal, whatever the system says of them", async () => {
    const before = `
      const fs = require("node:fs");
      const { fstatSync } = fs;
      fs.fstatSync = (descriptor, ...rest) => {
        if (descriptor === 2) throw Object.assign(new Error("EBADF"), { code: "EBADF", errno: -9, syscall: "fstat" });
        return fstatSync(descriptor, ...rest);
      };`;
    expect(await on({ before }, ["abc"])).toEqual(good(abcLine));
  });

  const abcLine = `${abcBlake3}  abc\n`;
  const noOutput = "blakesum: standard output: is closed\n";
  const noSpace = "blakesum: standard output: no space left on device\n";

  it.each<[string, number, string, string]>([
    ["abc 2>&-", 0, abcLine, ""],
    ["- abc <&-", 1, abcLine, "blakesum: standard input: is closed\n"],
    ["abc >&-", 1, "", noOutput],
    ["abc >&- 2>&-", 1, "", ""],
    ["abc >/dev/null", 0, "", ""],
    ["abc >/dev/full", 1, "", noSpace],
  ])("by a shell: %s", (command, status, stdout, stderr) => {
    const result = shell(`exec "$0" "$1" ${command}`);
    expect([result.status, `${result.stdout}`, `${result.stderr}`]).toEqual([status, stdout, stderr]);
  });

  const run = (command: string, files: System["files"] = {}) => on({ files }, command.split(" "));

  it.each<[string, number, string]>([
    ["-", 1, ""],
    ["/dev/stdin abc", 1, abcLine],
    ["--length 70000 --raw -", 1, ""],
    ["--threads 4 - abc", 1, abcLine],
    ["--keyed abc", 1, ""],
    ["--files-from -", 1, ""],
    ["-c -", 1, ""],
    ["-r - abc", 1, abcLine],
    ["--subtree 0", 1, ""],
    ["--merge 4096 1024", 1, ""],
    ["bao hash", 1, ""],
    ["bao hash abc -", 1, abcLine],
    ["bao encode - -", 1, ""],
    [`bao decode ${abcBlake3}`, 1, ""],
    ["abc", 0, abcLine],
    ["bao hash abc", 0, `${abcBlake3}\n`],
  ])("that are closed are no empty input: %s", async (command, status, stdout) => {
    const name = command.startsWith("/dev/stdin") ? "/dev/stdin" : "standard input";
    const stderr = status === 0 ? "" : `blakesum: ${name}: is closed\n`;
    expect(await run(command, { 0: CLOSED })).toEqual({ status, stdout, stderr });
  });

  it("that are closed are no output of a command that has no other result", async () => {
    await run("bao encode abc abc.bao");
    const parts = "--merge 2048 1024 values";
    write("values", [0, 1024].map((offset) => `${offset}+1024 ${"00".repeat(32)}\n`).join(""));
    const baos = ["hash abc", "encode abc -", "outboard abc", "slice 0 3 abc.bao"].map((bao) => `bao ${bao}`);
    for (const command of ["abc", "--json abc", "-z -r abc", "--folder .", "--subtree 0 abc", parts, ...baos]) {
      expect(await run(command, { 1: CLOSED }), command).toEqual(bad("", noOutput));
      expect(await run(command, { 1: ["/dev/null", "w"] }), command).toEqual(good(""));
    }
  });

  it("that programs discard, which look as if they were closed, leave the verdict of a check", async () => {
    write("list", abcLine);
    write("wrong", `${"00".repeat(32)}  abc\n`);
    await run("bao encode abc abc.bao");
    const files = { 0: CLOSED, 1: CLOSED, 2: CLOSED };
    for (const command of ["-c list", "--version", "--help", "bao encode abc x", `bao decode ${abcBlake3} abc.bao`]) {
      expect((await run(command, files)).status, command).toBe(0);
    }
    expect((await run("-c wrong", files)).status).toBe(1);
  });

  it("that are full end the command with an error, whatever it was about to print", async () => {
    await run("bao encode abc abc.bao");
    write("list", abcLine);
    const commands = ["abc", "--subtree 0 abc", "-a blake2b abc", "-c list", "bao --help"];
    const baos = ["hash abc", "hash abc abc", "encode abc -", "outboard abc", `decode ${abcBlake3} abc.bao`];
    for (const command of [...commands, ...baos.map((bao) => `bao ${bao}`)]) {
      const result = await run(command, { 1: ["/dev/full", "w"] });
      expect(result, command).toEqual(bad("", noSpace));
    }
  });

  it("that are full are named if they are not standard output", async () => {
    await run("bao encode abc abc.bao");
    for (const bao of ["encode abc", "outboard abc", `decode ${abcBlake3} abc.bao`, "slice 0 3 abc.bao"]) {
      const result = await run(`bao ${bao} /dev/full`);
      expect(result, bao).toMatchObject({ status: 1, stderr: "blakesum: /dev/full: no space left on device\n" });
    }
  });

  it("that nobody reads end the command quietly, not with 0", () => {
    write("large", large);
    const { stderr } = shell('("$0" "$1" bao encode large -; echo "status $?" >&2) | head -c 1 > /dev/null');
    expect(stderr.toString()).toBe("status 1\n");
  });

  describe("of pipes give a list a byte at a time", () => {
    const before = `
      const fs = require("node:fs");
      const { readSync } = fs;
      fs.readSync = (descriptor, target, at, length, position) =>
        readSync(descriptor, target, at, descriptor === 0 ? Math.min(1, length) : length, position);`;
    const text = `\ufeff${abcBlake2b}  abc\r\n${abcBlake3}  \u{1f4be}é\n`;
    const little = Buffer.from(text, "utf16le");
    const encodings = { "UTF-8": Buffer.from(text), "UTF-16LE": little, "UTF-16BE": Buffer.from(little).swap16() };

    it.each(Object.entries(encodings))("in %s, its mark too", async (_, input) => {
      write("\u{1f4be}é", abc);
      const verdicts = Buffer.from("abc: OK\n\u{1f4be}é: OK\n").toString("latin1");
      expect(await on({ before, input }, ["--check"])).toEqual(good(verdicts));
      expect(await on({ input }, ["--check"])).toEqual(good(verdicts));
      const names = Buffer.from(text.replace(/^(\ufeff?)\w+ {2}/gm, "$1"), "utf16le");
      const { stdout } = await on({ before, input: names }, ["--files-from", "-"]);
      expect(stdout.split("\n").slice(1)).toEqual([
        `${abcBlake3}  ${Buffer.from("\u{1f4be}é").toString("latin1")}`,
        "",
      ]);
    });

    it.each(["\u{1f4be}".charAt(0), "a"])(
      "that has half of a character is not read as the name of another file",
      async (end) => {
        write("abc\ufffd", abc);
        for (const rest of ["", "\n"]) {
          const list = Buffer.from(`\ufeff${abcBlake3}  abc${end}${rest}`, "utf16le");
          const input = end === "a" ? list.subarray(0, -1) : list;
          const stderr = "blakesum: standard input: the list is in UTF-16, but has half of a character\n";
          expect(await on({ input }, ["--check"])).toEqual(bad("", stderr));
          const names = Buffer.from(`\ufeffabc${end}${rest}`, "utf16le").subarray(0, end === "a" ? -1 : undefined);
          expect(await on({ input: names }, ["--files-from", "-"])).toMatchObject({ status: 1, stdout: "" });
        }
      },
    );

    it.each(["", "\xff", "\xfe", "\xef", "\xef\xbb", "\xff\xfe", "\xef\xbb\xbf"])(
      "and a mark, or a part of one, alone: %j",
      async (mark) => {
        expect(await on({ before, input: Buffer.from(mark, "latin1") }, ["--check"])).toEqual(
          bad("", "blakesum: standard input: no properly formatted checksum lines found\n"),
        );
      },
    );
  });
});

describe("a system without memory for another kernel", () => {
  const withRoomFor = (kernels: number) => `
    const { Instance } = WebAssembly;
    let made = 0;
    WebAssembly.Instance = function (module) {
      if (made++ < ${kernels}) return new Instance(module);
      throw new RangeError("WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance");
    };`;
  const error = "blake-simd: WebAssembly is out of memory: V8 reserves 10 GB of addresses for each kernel";

  it.each<[args: string, stdout?: string]>([
    ["abc"],
    ["--threads 4 abc abc"],
    ["--check list", "abc: FAILED open or read\n"],
    ["--subtree 0 abc"],
    ["--merge 2048 1024 list"],
    ["bao hash abc"],
    ["bao encode abc -"],
    [`bao decode ${abcBlake3} abc.bao`],
  ])("%s says so, and is no misuse", async (args, stdout = "") => {
    write("list", `${abcBlake3}  abc\n`);
    write("abc.bao", "\x03\0\0\0\0\0\0\0abc");
    const result = await on({ before: withRoomFor(0) }, args.split(" "));
    expect(result).toMatchObject({ status: 1, stdout });
    expect(result.stderr).toMatch(/^blakesum: .*\n/);
    expect(result.stderr).toContain(error);
  });

  const key = "0f".repeat(32);
  const digests = {
    blake3: abcBlake3,
    blake2s: abcBlake2s,
    blake256: hex(blake256(abc)),
    keyed: hex(blake3(abc, { key: Buffer.from(key, "hex") })),
  };

  it.each<[list: keyof typeof digests, kernels: number, ...args: string[]]>([
    ["blake3", 1],
    ["blake2s", 2],
    ["blake256", 1, "-a", "blake256"],
    ["keyed", 1, "--key", key],
  ])("checks a list of %s with room for %i", async (list, kernels, ...args) => {
    const input = `${digests[list]}  abc\n`.repeat(3);
    const wanted = { status: 0, stdout: "abc: OK\n".repeat(3), stderr: "" };
    expect(await on({ before: withRoomFor(kernels), input }, ["-c", ...args])).toEqual(wanted);
  });

  it("names the algorithms that it had no room for, and goes on", async () => {
    const input = `${digests.blake256}  abc\nBLAKE3 (abc) = ${abcBlake3}\nBLAKE2b (abc) = ${abcBlake2b}\n`;
    const { status, stdout, stderr } = await on({ before: withRoomFor(2), input }, ["-c"]);
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: "abc: FAILED open or read\nabc: OK\nabc: FAILED open or read\n",
    });
    expect(stderr).toContain(
      `blakesum: abc: cannot be tried with blake2sp, blake256, blake2b, blake2bp (--algorithm loads one alone): ${error}`,
    );
  });
});

describe("what a pipe is copied to", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const)("is gone after %s", async (signal) => {
    const TMPDIR = path(`temporary-${signal}`);
    mkdirSync(TMPDIR);
    const env = { ...process.env, TMPDIR };
    const child = spawn(process.execPath, [bin, "bao", "encode", "-", "encoded"], { cwd: directory, env });
    const ended = once(child, "exit");
    // More than pipes hold, so that some of it has been copied once all is written.
    await new Promise((resolve) => child.stdin.on("error", () => {}).write(new Uint8Array(2 ** 23), resolve));
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it("is gone after success and after failure", async () => {
    const TMPDIR = path("temporary");
    mkdirSync(TMPDIR);
    const env = { TMPDIR };
    expect((await on({ env, input: large }, ["bao", "encode", "-", "encoded"])).status).toBe(0);
    expect((await on({ env, input: large }, ["bao", "encode", "-", "none/encoded"])).status).toBe(1);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it("is in a folder that is named if it is not there, as a pipe has to be copied to it", async () => {
    const TMPDIR = path("nowhere");
    expect(await on({ env: { TMPDIR }, input: abc }, ["bao", "encode", "-", "encoded"])).toEqual(
      bad("", `blakesum: ${TMPDIR}: no such file or directory\n`),
    );
  });
});

describe("a key that cannot be read", () => {
  it.runIf(onLinux)("ends a check", () => {
    write("list", `BLAKE2b (abc) = ${abcBlake2b}\n`);
    const { status, stdout, stderr } = spawnSync("sh", ["-c", '"$0" "$1" --keyed -c list < .', process.execPath, bin], {
      cwd: directory,
    });
    expect({ status, stdout: stdout.toString(), stderr: stderr.toString() }).toEqual(
      bad("", "blakesum: standard input: is a directory\n"),
    );
  });
});

describe("an engine that forbids WebAssembly", () => {
  it("is an error that says so", async () => {
    const before = "WebAssembly.Module = function () { throw new Error('no code'); };";
    for (const args of [["abc"], ["bao", "hash", "abc"]]) {
      const { status, stdout, stderr } = await on({ before }, args);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^blakesum: .*WebAssembly is forbidden/);
    }
  });
});

describe("a program that requires the command", () => {
  it("runs it, with no name to be called by", () => {
    const { status, stdout } = spawnSync(process.execPath, ["-e", `require(${JSON.stringify(bin)})`], { input: "abc" });
    expect({ status, stdout: stdout.toString() }).toEqual({ status: 0, stdout: `${abcBlake3}  -\n` });
  });
});
