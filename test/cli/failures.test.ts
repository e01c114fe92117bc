// What goes wrong with one file is said of that file, and the next has its turn.
import { mkdirSync, truncateSync } from "node:fs";
import { blake3 } from "@noble/hashes/blake3.js";
import { beforeEach, describe, expect, it } from "vitest";
import { abc, blakesum, bytesOf, hex, large, on, path, run, runs, write } from "../support/blakesum.ts";

const lineOf = (name: string, content: Uint8Array | string, length = 32) =>
  `${hex(blake3(typeof content === "string" ? Buffer.from(content) : content, { dkLen: length }))}  ${name}\n`;
const abcLine = lineOf("abc", abc);
const unread = "! standard input: WARNING: 1 listed file could not be read\n";

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
  const before = during();
  const changed = (name: string) => `! ${name}: the file changed while it was read\n`;

  mkdirSync(path("changing"));
  beforeEach(() => {
    write("victim", bytesOf(300_000));
    write("changing/victim", "short");
  });

  it.each([262_144, 262_145, 1_000_000])("of %i bytes, has no digest", async (length) => {
    write("victim", bytesOf(length));
    await run(["victim large abc", `${lineOf("large", large)}${abcLine}${changed("victim")}`], { before });
  });

  const commands = ["--threads 1", "--tag", "-a blake2b", "-a blake2xb -l 70000", "-l 70000", "--seek 70000"];
  const parts = ["--subtree 0", "--subtree 0+300000", "bao hash", "bao outboard"];
  runs(
    [...commands, ...parts, "bao encode"].map((command) => [
      `${command} victim${command === "bao encode" ? " encoded" : ""}`,
      changed("victim"),
    ]),
    { before },
  );

  it("has no slice", async () => {
    write("victim", "\x05\0\0\0\0\0\0\0short");
    expect((await on({ before }, ["bao", "slice", "0", "5", "victim"])).stderr).toBe(
      "blakesum: victim: the file changed while it was read\n",
    );
  });

  it.each([300_000])("is neither matched nor mismatched, and no list is guessed by it: %i", async (length) => {
    write("victim", bytesOf(length));
    const list = `${lineOf("victim", bytesOf(length))}${abcLine}`;
    await run(["-c", `victim: FAILED open or read\nabc: OK\n${changed("victim")}${unread}`, list], { before });
  });

  it("is one in a folder, too", async () => {
    const inFolder = WRITE.replace("victim", "changing/victim");
    for (const flags of ["-r", "--folder", "--folder -l 70000", "--folder -a blake2s"]) {
      write("changing/victim", bytesOf(300_000));
      await run([`${flags} changing`, changed("changing/victim")], { before: during("changing/victim", inFolder) });
    }
  });

  it("is standard input, if that is a file, and a list", async () => {
    await run([[], changed("standard input")], { before: during("-"), files: { 0: [path("victim"), "r"] } });
    const values = [0, 1024].map((offset) => `${offset}+1024 ${"00".repeat(32)}\n`).join("");
    for (const [args, list] of [
      ["-c victim", abcLine],
      ["--files-from victim", "abc\n"],
      ["--merge 2048 1024 victim", values],
    ] as const) {
      write("victim", list);
      await run([args, changed("victim")], { before });
    }
  });

  it("is none without a size, as in /proc, whose times mean nothing", async () => {
    const { status, stderr } = await blakesum("/proc/self/status /proc/uptime /proc/self/maps");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

describe("an error of any kind, with one file", async () => {
  for (const name of ["a", "b", "c"]) write(name, name);
  for (const [name, inner] of [
    ["one", "b"],
    ["two", "c"],
  ] as const) {
    mkdirSync(path(name));
    write(`${name}/${inner}`, name);
  }
  const reason = "Array buffer allocation failed";
  const range = `new RangeError("${reason}")`;
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

  const lines = lineOf("a", "a") + lineOf("c", "c");
  const long = lineOf("a", "a", 70_000) + lineOf("c", "c", 70_000);
  const json = '{"name":"b","status":"unreadable"}\n{"name":"a","status":"ok"}\n{"name":"c","status":"ok"}\n';
  const [two, longTwo] = [await blakesum("--folder two"), await blakesum("--folder -l 70000 two")];

  describe.each([
    ["openSync", range],
    ["readSync", range],
  ])("of %s: %s", (call, error) => {
    const failed = `! b: ${reason}\n`;
    runs(
      [
        ["a b c", lines + failed],
        ["--threads 1 a b c", lines + failed],
        ["-r a b c", lines + failed],
        ["-l 70000 a b c", long + failed],
        ["bao hash a b c", lines + failed],
        ["-c --json", `${json}${failed}${unread}`, lineOf("b", "b") + lines],
        ["--folder one two", `${two.stdout}! one/b: ${reason}`],
        ["--folder -l 70000 one two", `${longTwo.stdout}! one/b: ${reason}`],
      ],
      { before: failing(call, error) },
    );
  });

  it("does not end a list whose file cannot be read to its end", async () => {
    write("b", lineOf("a", "a"));
    write("list", lineOf("c", "c"));
    await run(["-c b list", `c: OK\n! b: ${reason}`], { before: failing("readSync", range) });
    write("b", "b");
  });

  it("of a pool is that of its file, which has not changed", async () => {
    write("huge", "");
    truncateSync(path("huge"), 2 ** 27);
    const before = `WebAssembly.Memory = function () { throw new RangeError("could not allocate memory"); };`;
    const { stdout, stderr } = await on({ before }, ["--threads", "2", "a", "huge", "c"]);
    expect(stdout.startsWith(lineOf("a", "a"))).toBe(true);
    expect(stdout.endsWith(lineOf("c", "c"))).toBe(true);
    expect(stderr).not.toContain("changed");
  });
});
