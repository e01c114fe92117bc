// What goes wrong with one file is said of that file, and the next has its turn.
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  abc,
  abcBlake3,
  alone,
  bad,
  bin,
  bytesOf,
  directory,
  good,
  hex,
  moduleOf,
  on,
  onLinux,
  path,
  write,
} from "../support/blakesum.ts";

const lineOf = (name: string, content: Uint8Array | string, length = 32) =>
  `${hex(blake3(typeof content === "string" ? Buffer.from(content) : content, { dkLen: length }))}  ${name}\n`;

describe("a file that changes while it is read", () => {
  /** Writes a byte of the victim, whose time is then another. */
  const WRITE = `
    done = true;
    const file = openSync("victim", "r+");
    fs.writeSync(file, "!", 0);
    fs.futimesSync(file, 1, 1);
    fs.closeSync(file);`;

  /** Makes a change after the first read of a file, or after each if it does not say that it is done. */
  const during = (name = "victim", change = WRITE) => `
    const fs = require("node:fs");
    const { openSync, readSync } = fs;
    const opened = new Set();
    let done = false;
    fs.openSync = (file, ...rest) => {
      const descriptor = openSync(file, ...rest);
      if (String(file) === "${name}") opened.add(descriptor);
      return descriptor;
    };
    fs.readSync = (descriptor, target, ...rest) => {
      const length = readSync(descriptor, target, ...rest);
      if (done || !(opened.has(descriptor) || (descriptor === 0 && "${name}" === "-"))) return length;
      ${change}
      return length;
    };`;
  const changed = (name: string) => `blakesum: ${name}: has changed while it was read\n`;

  beforeAll(() => {
    mkdirSync(path("changing"));
  });
  beforeEach(() => {
    write("victim", bytesOf(300_000));
    write("changing/victim", "short");
  });

  it.each([0, 1, 100, 262_143, 262_144, 262_145, 1_000_000])("of %i bytes, has no digest", async (length) => {
    write("victim", bytesOf(length));
    expect(await on({ before: during() }, ["victim", "abc"])).toEqual(bad(`${abcBlake3}  abc\n`, changed("victim")));
  });

  it.each([
    ["--threads", "1"],
    ["--tag"],
    ["-a", "blake2b"],
    ["-a", "blake2xb", "-l", "70000"],
    ["-l", "70000"],
    ["--seek", "70000"],
    ["--subtree", "0"],
    ["--subtree", "0+300000"],
    ["bao", "hash"],
    ["bao", "outboard"],
    ["bao", "slice", "0", "5"],
  ])("%j", async (...args) => {
    // An encoding, too, begins with its length.
    if (args[1] === "slice")
      write("victim", Buffer.concat([Buffer.from([5, 0, 0, 0, 0, 0, 0, 0]), Buffer.from("short")]));
    expect(await on({ before: during() }, [...args, "victim"])).toMatchObject({ status: 1, stderr: changed("victim") });
  });

  it("is not encoded", async () => {
    expect(await on({ before: during() }, ["bao", "encode", "victim", "encoded"])).toMatchObject({
      status: 1,
      stderr: changed("victim"),
    });
  });

  it.each([100, 300_000])(
    "is neither matched nor mismatched, and no list is guessed by it: %i bytes",
    async (length) => {
      write("victim", bytesOf(length));
      const list = `${lineOf("victim", bytesOf(length))}${lineOf("abc", abc)}`;
      expect(await on({ before: during(), input: list }, ["-c"])).toMatchObject({
        status: 1,
        stdout: "victim: FAILED open or read\nabc: OK\n",
      });
    },
  );

  it("is one in a folder, too, and the folder that a file comes into", async () => {
    expect(await on({ before: during("changing/victim") }, ["-r", "changing"])).toMatchObject({
      status: 0,
      stdout: lineOf("changing/victim", "short"),
    });
    const come = 'done = true; fs.writeFileSync("changing/another", ""); fs.utimesSync("changing", 1, 1);';
    const coming = during("changing/victim", come);
    for (const args of [["--folder"], ["--folder", "-l", "70000"], ["--folder", "-a", "blake2s"]]) {
      expect(await on({ before: coming }, [...args, "changing"])).toEqual(bad("", changed("changing")));
      rmSync(path("changing/another"));
    }
  });

  it("is standard input, if that is a file, and a list", async () => {
    const input = openSync(path("victim"), "r");
    const module = moduleOf(during("-"));
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--require", module, bin], {
      cwd: directory,
      stdio: [input, "pipe", "pipe"],
    });
    closeSync(input);
    expect([status, `${stdout}`, `${stderr}`]).toEqual([1, "", changed("standard input")]);
    const values = [0, 1024].map((offset) => `${offset}+1024 ${"00".repeat(32)}\n`).join("");
    for (const [args, list] of [
      [["-c", "victim"], `${abcBlake3}  abc\n`],
      [["--files-from", "victim"], "abc\n"],
      [["--merge", "2048", "1024", "victim"], values],
    ] as const) {
      write("victim", list);
      expect(await on({ before: during() }, args), `${args}`).toMatchObject({ status: 1, stderr: changed("victim") });
    }
  });

  it("that grows as fast as it is read is not read forever", async () => {
    const before = during("victim", 'if (fs.statSync("victim").size < 1e8) fs.appendFileSync("victim", target);');
    const size = 600_000;
    for (const args of [[], ["-c"], ["-l", "70000"], ["--subtree", "0"], ["bao", "hash"], ["bao", "outboard"]]) {
      write("victim", new Uint8Array(size));
      const list = args[0] === "-c" ? `BLAKE3 (victim) = ${"00".repeat(32)}\n` : "";
      const result = await on({ before, input: list }, list ? args : [...args, "victim"]);
      expect(result, `${args}`).toMatchObject({ status: 1 });
      expect(result.stderr).toContain(changed("victim"));
      expect(statSync(path("victim")).size).toBeLessThan(size + 5 * 2 ** 18);
    }
  });

  it("before the first byte is read, has the digest of what is there then", async () => {
    const before = `
      const fs = require("node:fs");
      const { fstatSync } = fs;
      let done = false;
      fs.fstatSync = (descriptor, options) => {
        if (!done && descriptor > 2) {
          done = true;
          const file = fs.openSync("victim", "r+");
          fs.writeSync(file, "!", 0);
          fs.closeSync(file);
        }
        return fstatSync(descriptor, options);
      };`;
    const { stdout } = await on({ before }, ["victim"]);
    expect(stdout).toBe(lineOf("victim", readFileSync(path("victim"))));
    expect(readFileSync(path("victim"), "latin1")[0]).toBe("!");
  });

  it.runIf(onLinux)("is none without a size, as in /proc, whose times mean nothing", async () => {
    expect(await on({}, ["/proc/self/status", "/proc/uptime", "/proc/self/maps"])).toMatchObject({
      status: 0,
      stderr: "",
    });
  });
});

describe("an error of any kind, with one file", () => {
  beforeAll(() => {
    for (const name of ["a", "b", "c"]) write(name, name);
    for (const name of ["one", "two"]) {
      mkdirSync(path(name));
      write(`${name}/${name === "one" ? "b" : "c"}`, name);
    }
  });

  const thrown = {
    "without a number": 'new RangeError("Array buffer allocation failed")',
    "that is no error": '"Array buffer allocation failed"',
  };
  /** A file called b has an error at the given call. */
  const failing = (call: string, error: string) => `
    const fs = require("node:fs");
    const { openSync } = fs;
    const real = fs.${call};
    let bad;
    fs.openSync = (file, ...rest) => {
      const descriptor = openSync(file, ...rest);
      if (/(?:^|\\/)b$/.test(String(file))) bad = descriptor;
      else if (bad === descriptor) bad = undefined;
      if (bad === descriptor && "${call}" === "openSync") throw ${error};
      return descriptor;
    };
    if ("${call}" !== "openSync") fs.${call} = (descriptor, ...rest) => {
      if (descriptor === bad) throw ${error};
      return real(descriptor, ...rest);
    };`;

  describe.each([
    ["openSync", thrown],
    ["readSync", { "that is no error": thrown["that is no error"] }],
    ["fstatSync", { "without a number": thrown["without a number"] }],
  ] as const)("of %s", (call, errors) => {
    it.each(Object.entries(errors))("%s", async (_, error) => {
      const before = failing(call, error);
      const reason = "Array buffer allocation failed";
      const rest = { status: 1, stderr: `blakesum: b: ${reason}\n` };
      const lines = lineOf("a", "a") + lineOf("c", "c");
      for (const args of [[], ["--threads", "1"], ["-r"]]) {
        expect(await on({ before }, [...args, "a", "b", "c"]), `${args}`).toEqual({ ...rest, stdout: lines });
      }
      const long = lineOf("a", "a", 70_000) + lineOf("c", "c", 70_000);
      expect(await on({ before }, ["-l", "70000", "a", "b", "c"])).toEqual({ ...rest, stdout: long });
      expect(await on({ before }, ["bao", "hash", "a", "b", "c"])).toEqual({ ...rest, stdout: lines });
      const list = lineOf("b", "b") + lines;
      expect(await on({ before, input: list }, ["-c", "--json"])).toMatchObject({
        status: 1,
        stdout: '{"name":"b","status":"unreadable"}\n{"name":"a","status":"ok"}\n{"name":"c","status":"ok"}\n',
      });
      const { stdout } = await on({}, ["--folder", "two"]);
      const inside = { status: 1, stderr: `blakesum: one/b: ${reason}\n`, stdout };
      expect(await on({ before }, ["--folder", "one", "two"])).toEqual(inside);
      const longOutput = (await on({}, ["--folder", "-l", "70000", "two"])).stdout;
      expect(await on({ before }, ["--folder", "-l", "70000", "one", "two"])).toEqual({
        ...inside,
        stdout: longOutput,
      });
    });
  });

  it("does not end a list whose file cannot be read to its end", async () => {
    write("b", lineOf("a", "a"));
    write("list", lineOf("c", "c"));
    expect(await on({ before: failing("readSync", thrown["without a number"]) }, ["-c", "b", "list"])).toEqual(
      bad("c: OK\n", "blakesum: b: Array buffer allocation failed\n"),
    );
    write("b", "b");
  });

  it("of a pool is that of its file, which has not changed", async () => {
    write("huge", "");
    truncateSync(path("huge"), 2 ** 27);
    const before = `
      const { Memory } = WebAssembly;
      WebAssembly.Memory = function (...args) {
        throw new RangeError("WebAssembly.Memory(): could not allocate memory");
      };`;
    const { stdout, stderr } = await on({ before }, ["--threads", "2", "a", "huge", "c"]);
    expect(stdout.startsWith(lineOf("a", "a"))).toBe(true);
    expect(stdout.endsWith(lineOf("c", "c"))).toBe(true);
    expect(stderr).not.toContain("changed");
  });

  it("of digests too long for text does not keep a digest from being printed", () => {
    const length = 300_000_000;
    const child = spawnSync(
      "sh",
      ["-c", `"$0" "$1" -a blake2xb -l ${length} --no-names a | wc -lc`, process.execPath, bin],
      { cwd: directory },
    );
    expect(`${child.stdout}${child.stderr}`.trim().split(/\s+/).map(Number)).toEqual([1, 2 * length + 1]);
  });
});

describe("a worker that ends", () => {
  const size = 16 * 2 ** 20;
  const digest = hex(blake2s(new Uint8Array(size)));

  it.each(["process.exit()", "throw new RangeError('no memory')", "throw undefined"])(
    "by %s leaves no file out",
    async (end) => {
      const names = Array.from({ length: 6 }, (_, i) => `part-${i}`);
      for (const name of names) {
        write(name, "");
        truncateSync(path(name), size);
      }
      const before = `
      const { isMainThread } = require("node:worker_threads");
      const fs = require("node:fs");
      const { openSync } = fs;
      if (!isMainThread) fs.openSync = () => { ${end}; };`;
      expect(alone({ before }, ["-a", "blake2s", "--threads", "3", ...names])).toEqual(
        good(names.map((name) => `${digest}  ${name}\n`).join("")),
      );
      expect(readdirSync(directory)).toContain("part-5");
    },
  );
});

it("a kernel's file that is missing is not a listed one that is", async () => {
  const before = `
    const fs = require("node:fs");
    const { readFileSync } = fs;
    fs.readFileSync = (name, ...rest) => readFileSync(/blake2s.*wasm$/.test(name) ? name + ".gone" : name, ...rest);`;
  write("list", `BLAKE3 (abc) = ${abcBlake3}\nBLAKE2s (abc) = ${"00".repeat(32)}\n`);
  const { status, stdout, stderr } = await on({ before }, ["-c", "--ignore-missing", "list"]);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "abc: OK\nabc: FAILED open or read\n" });
  expect(stderr).toContain("abc: blakesum cannot read its own file: ENOENT");
});
