// The command on systems that this one is not: code that runs before it makes the difference.
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  abc,
  abcBlake3,
  CLOSED,
  directory,
  large,
  on,
  patched,
  path,
  run,
  runs,
  type System,
  write,
} from "../support/blakesum.ts";

const abcLine = `${abcBlake3}  abc\n`;
const failing = (code: string, errno: number) =>
  `throw Object.assign(new Error("${code}"), { code: "${code}", errno: ${errno} });`;

write("list", abcLine);
write("wrong", `${"00".repeat(32)}  abc\n`);
write("abc.bao", "\x03\0\0\0\0\0\0\0abc");
write("values", [0, 1024].map((offset) => `${offset}+1024 ${"00".repeat(32)}\n`).join(""));

describe("Windows", () => {
  // A console or a pipe ends with an error there.
  const end = `const read = real(...args); if (read === 0) ${failing("EOF", -4095)} return read;`;
  runs(
    [
      [[], `${abcBlake3}  -`, abc],
      ["--check", "abc: OK", abcLine],
      ["bao hash", abcBlake3, abc],
    ],
    { before: patched("readSync", end) },
  );
  const unread = "! standard input: i/o error";
  runs(
    [
      [[], unread, abc],
      ["--check", unread, abc],
      ["bao hash", unread, abc],
    ],
    { before: patched("readSync", failing("EIO", -5)) },
  );
  // Lists write a backslash between folders as /.
  write("in\\abc", abc);
  const windows = { before: 'Object.defineProperty(process, "platform", { value: "win32" });' };
  runs([["in\\abc", `${abcBlake3}  in/abc`]], windows);
  // Shells there leave wildcards to programs.
  mkdirSync(path("wild/Inner"), { recursive: true });
  mkdirSync(path("wild/other"), { recursive: true });
  for (const name of ["a.md", "B.md", "c.txt", "[x].md", "é.md", "Inner/d.md", "other/d.md"])
    write(`wild/${name}`, abc);
  const lines = (...names: string[]) => names.map((name) => `${abcBlake3}  wild/${name}\n`).join("");
  runs(
    [
      [["wild/*.md"], lines("B.md", "[x].md", "a.md", "é.md")],
      [["wild\\*.MD"], lines("B.md", "[x].md", "a.md", "é.md")],
      [["wild/?.md"], lines("B.md", "a.md", "é.md")],
      [["wild/[a-b].md", "wild/c.txt"], lines("B.md", "a.md", "c.txt")],
      [["wild/[!a].md"], lines("B.md", "é.md")],
      [["wild/*/d.md"], lines("Inner/d.md", "other/d.md")],
      [["wild/i*/d.md"], lines("Inner/d.md")],
      // A file of that name is meant, and a name without a match is what it is.
      [["wild/[x].md"], lines("[x].md")],
      [["wild/*.none"], "! wild/*.none: no such file or directory"],
      [["wild/[b-a].md"], "! wild/[b-a].md: no such file or directory"],
      [["nowhere/*.md"], "! nowhere/*.md: no such file or directory"],
      // The values of options are not names.
      [["-r", "--exclude", "*.md", "wild"], lines("c.txt")],
    ],
    windows,
  );
  runs([[["wild/*.md"], "! wild/*.md: no such file or directory"]]);
});

it("files and folders that a user may not read are named, and all others are hashed", async () => {
  // Root may read all of them, so another user does: not the command's own kernels, which may be in a folder of root's.
  const asAnother = `
    if (String(args[0]).endsWith(".wasm")) return real(...args);
    process.seteuid(65534);
    try { return real(...args); } finally { process.seteuid(0); }`;
  const before =
    process.geteuid?.() === 0 ? ["openSync", "readdirSync"].map((name) => patched(name, asAnother)).join("") : "";
  for (const name of ["inner", "open", "shut"]) mkdirSync(path(`closed/${name}`), { recursive: true });
  write("closed/open/abc", abc);
  write("closed/shut/abc", abc);
  chmodSync(directory, 0o755);
  chmodSync(path("closed/inner"), 0o311);
  chmodSync(path("closed/shut/abc"), 0);
  const [inner, shut] = ["inner", "shut/abc"].map((name) => `! closed/${name}: permission denied\n`) as [
    string,
    string,
  ];
  const line = `${abcBlake3}  closed/open/abc\n`;
  await run(["-r closed", line + inner + shut], { before });
  await run(["--folder closed/shut", shut], { before });
  await run(["-r --length 1048576 closed/inner", inner], { before });
  await run(["--folder closed", inner], { before });
  chmodSync(path("closed/inner"), 0o755);
  chmodSync(path("closed/shut/abc"), 0o644);
  await run(["-r closed", `${line}${abcBlake3}  closed/shut/abc`], { before });
});

describe("descriptors", () => {
  const noSpace = "no space left on device";
  const decode = `bao decode ${abcBlake3}`;
  const all = (commands: readonly string[], printed: string, files: System["files"] = {}) =>
    runs(
      commands.map((command) => [command, printed]),
      { files },
    );

  // Those that are closed are no terminal, whatever the system says of them.
  runs([["abc", abcLine]], {
    before: patched("fstatSync", `if (args[0] === 2) ${failing("EBADF", -9)} return real(...args);`),
  });

  it("that programs discard are as good as others", async () => {
    const files = { 0: CLOSED, 1: CLOSED, 2: CLOSED };
    for (const args of ["abc", "-c list", "--version", "bao encode abc x", `${decode} abc.bao`])
      await run([args, ""], { files });
    await run(["-c wrong", "", "", 1], { files });
  });

  describe("that are full", () => {
    const baos = ["hash abc", "hash abc abc", "encode abc -", "outboard abc", `decode ${abcBlake3} abc.bao`];
    const commands = ["abc", "--subtree 0 abc", "-a blake2b abc", "-c list", ...baos.map((bao) => `bao ${bao}`)];
    all([...commands, "bao --help"], `! standard output: ${noSpace}`, { 1: ["/dev/full", "w"] });
    const named = ["bao encode abc", "bao outboard abc", `${decode} abc.bao`, "bao slice 0 3 abc.bao"];
    all(
      named.map((command) => `${command} /dev/full`),
      `! /dev/full: ${noSpace}`,
    );
  });
});

it.each(["abc abc", "-c list list", "bao hash abc abc"])("without WebAssembly, one error ends it: %s", async (args) => {
  const before = "WebAssembly.Module = function () { throw new Error('no code'); };";
  await run([args, "! WebAssembly is missing or forbidden, as in node --jitless"], { before });
});

it("a kernel's file that is missing is not a listed one that is", async () => {
  const gone = "if (/blake2s.*wasm$/.test(args[0])) args[0] += '.gone'; return real(...args);";
  const input = `BLAKE3 (abc) = ${abcBlake3}\nBLAKE2s (abc) = ${"00".repeat(32)}\n`;
  const result = await on({ before: patched("readFileSync", gone), input }, ["-c", "--ignore-missing"]);
  expect(result).toMatchObject({ status: 1, stdout: "abc: OK\nabc: FAILED open or read\n" });
  expect(result.stderr).toContain("abc: blakesum cannot read its own file: ENOENT");
});

it("what a pipe is copied to is gone after success and failure, and is in a folder that is named if it is not there", async () => {
  const TMPDIR = path("temporary");
  mkdirSync(TMPDIR);
  const encode = (output: string) => ["bao", "encode", "-", output];
  await run([encode("encoded"), "", large], { env: { TMPDIR } });
  await run([encode("none/encoded"), "! none/encoded: no such file or directory", large], { env: { TMPDIR } });
  expect(readdirSync(TMPDIR)).toEqual([]);
  const env = { TMPDIR: path("nowhere") };
  await run([encode("encoded"), `! ${env.TMPDIR}: no such file or directory`, abc], { env });
});
