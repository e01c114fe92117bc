// blakesum on folders: -r, --exclude, --files-from, and --folder against the specification in docs/blakesum.md.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { blake2b } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bad, blakesum, call, good, hex, onLinux, path, write } from "../support/blakesum.ts";

const digestOf = (text: string | Uint8Array) => hex(blake3(typeof text === "string" ? Buffer.from(text) : text));
const lines = (...names: string[]) => names.map((name) => `${digestOf(name)}  ${name}\n`).join("");

/** A file whose content is its own path. */
function plant(name: string) {
  mkdirSync(path(name).replace(/\/[^/]*$/, ""), { recursive: true });
  write(name, name);
}

beforeAll(() => {
  for (const name of ["tree/b", "tree/a/z", "tree/a/y.tmp", "tree/a.txt", "tree/B", "tree/deep/er/x", "tree/é"])
    plant(name);
  symlinkSync("b", path("tree/link"));
  symlinkSync("a", path("tree/to-a"));
  mkdirSync(path("tree/none"));
});

const all = ["tree/B", "tree/a/y.tmp", "tree/a/z", "tree/a.txt", "tree/b", "tree/deep/er/x", "tree/é"];

describe("--recursive", () => {
  it("takes the files of folders in the order of their names' bytes, and no links", async () => {
    const expected = Buffer.from(lines(...all)).toString("latin1");
    const stderr = "blakesum: 2 symbolic links were skipped; --follow follows them\n";
    expect(await blakesum("-r tree")).toEqual({ ...good(expected), stderr });
    await call("--recursive tree/a tree/b").prints(lines("tree/a/y.tmp", "tree/a/z", "tree/b"));
    expect((await blakesum("-r tree/")).stdout).toBe(expected);
  });

  it("follows a link that is named, and with --follow those inside", async () => {
    const linked = `${digestOf("tree/a/y.tmp")}  tree/to-a/y.tmp\n${digestOf("tree/a/z")}  tree/to-a/z\n`;
    await call("-r tree/to-a").prints(linked);
    const { stdout } = await blakesum("-rL tree");
    expect(stdout).toContain(linked);
    expect(stdout).toContain(`${digestOf("tree/b")}  tree/link\n`);
  });

  it("goes into no folder twice on its way, and says which link leads nowhere", async () => {
    mkdirSync(path("loop/inner"), { recursive: true });
    write("loop/inner/file", "loop/inner/file");
    symlinkSync("..", path("loop/inner/up"));
    await call("-r --follow loop").prints(lines("loop/inner/file"));
    symlinkSync("nowhere", path("loop/lost"));
    await call("-rL loop").fails(lines("loop/inner/file"), "loop/lost: no such file or directory");
  });

  it.each([
    [["*.tmp"], ["tree/B", "tree/a/z", "tree/a.txt", "tree/b", "tree/deep/er/x"]],
    [["a"], ["tree/B", "tree/a.txt", "tree/b", "tree/deep/er/x"]],
    [["deep/er", "[!b]", "*.t*"], ["tree/b"]],
    [["/a/z", "?"], ["tree/deep/er/x"].filter(() => false).concat(["tree/a.txt"])],
    [
      ["**/er/*", "a*"],
      ["tree/B", "tree/b"],
    ],
  ])("--exclude %j", async (patterns, expected) => {
    const flags = [...patterns, "é"].flatMap((pattern) => ["--exclude", pattern]);
    expect(await blakesum(["-r", ...flags, "tree"])).toMatchObject({ status: 0, stdout: lines(...expected) });
  });

  it("names what cannot be read and does the rest", async () => {
    await call("-r missing tree/a").fails(lines("tree/a/y.tmp", "tree/a/z"), "missing: no such file or directory");
    expect((await blakesum("tree")).stderr).toBe("blakesum: tree: is a directory\n");
    expect((await blakesum("--exclude x abc")).status).toBe(2);
  });

  it("checks what it has printed", async () => {
    write("tree.sums", Buffer.from((await blakesum("-r tree")).stdout, "latin1"));
    await call("-c --quiet tree.sums").prints("");
  });

  it.runIf(onLinux)("keeps names that are not UTF-8", async () => {
    mkdirSync(path("bytes"));
    writeFileSync(Buffer.concat([Buffer.from(path("bytes/")), Buffer.from([0xe9, 0x0a, 0xff])]), "x");
    await call("-rz bytes").prints(`${digestOf("x")}  bytes/\xe9\n\xff\0`);
  });
});

describe("--files-from", () => {
  it("takes a name from each line, or NUL, of a file or standard input", async () => {
    write("names", "tree/b\r\ntree/a/z\n");
    await call("--files-from names").prints(lines("tree/b", "tree/a/z"));
    await call("--files-from -", "tree/b\n\ntree/a/z").prints(lines("tree/b", "tree/a/z"));
    write("new\nname", "n");
    await call("-z --files-from=-", "new\nname\0tree/b\0").prints(
      `${digestOf("n")}  new\nname\0${lines("tree/b").replace("\n", "\0")}`,
    );
    await call("--files-from -", "").prints("");
    const { status, stderr } = await blakesum("--files-from names --files-from absent");
    expect({ status, stderr }).toEqual({ status: 1, stderr: "blakesum: absent: no such file or directory\n" });
    expect((await blakesum("--files-from names abc")).status).toBe(2);
  });

  it("names no standard input that was read for the names or the key", async () => {
    write("dash", "tree/b\n-\n");
    for (const [args, input] of [
      [["--files-from", "-"], "tree/b\n/dev/stdin\n"],
      [["--keyed", "--files-from", "dash"], "k".repeat(32)],
    ] as const) {
      const { status, stdout, stderr } = await blakesum(args, input);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^blakesum: --keyed and --files-from - read standard input/);
    }
    await call("--files-from dash", "x").prints(`${lines("tree/b")}${digestOf("x")}  -\n`);
  });
});

/** The digest of a folder as docs/blakesum.md specifies it, of [type, name, content or entries]. */
type Entry = readonly ["f" | "x" | "l", string, string] | readonly ["d", string, readonly Entry[]];
function folderDigest(entries: readonly Entry[], hash: (bytes: Uint8Array) => Uint8Array): Uint8Array {
  const sorted = [...entries].sort(([, a], [, b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const parts = sorted.map(([type, name, content]) => {
    const digest = typeof content === "string" ? hash(Buffer.from(content)) : folderDigest(content, hash);
    return `${type} ${hex(digest)} ${name}\0`;
  });
  return hash(Buffer.from(`blakesum folder 1\0${parts.join("")}`));
}

describe("--folder", () => {
  const file = (name: string): Entry => ["f", name.replace(/.*\//, ""), name];
  const entries: Entry[] = [
    file("tree/b"),
    ["d", "a", [file("tree/a/z"), file("tree/a/y.tmp")]],
    file("tree/a.txt"),
    file("tree/B"),
    ["d", "deep", [["d", "er", [file("tree/deep/er/x")]]]],
    file("tree/é"),
    ["l", "link", "b"],
    ["l", "to-a", "a"],
    ["d", "none", []],
  ];

  it("is as specified, in every algorithm", async () => {
    await call("--folder tree").prints(`${hex(folderDigest(entries, blake3))}  tree\n`);
    const short = (bytes: Uint8Array) => blake2b(bytes, { dkLen: 20 });
    await call("--folder -a blake2b -l 20 --tag tree tree/none").prints(
      `BLAKE2b-160 (tree) = ${hex(folderDigest(entries, short))}\nBLAKE2b-160 (tree/none) = ${hex(folderDigest([], short))}\n`,
    );
  });

  it.each<[string[], (bytes: Uint8Array) => Uint8Array]>([
    [["-l", "65536"], (bytes) => blake3(bytes, { dkLen: 65_536 })],
    [["-l", "65537"], (bytes) => blake3(bytes, { dkLen: 65_537 })],
    [["--seek", "65504"], (bytes) => blake3(bytes, { dkLen: 65_536 }).subarray(65_504)],
    [["--seek", "65505"], (bytes) => blake3(bytes, { dkLen: 65_537 }).subarray(65_505)],
    [["--seek", "100000", "-l", "70000"], (bytes) => blake3(bytes, { dkLen: 170_000 }).subarray(100_000)],
    [["--derive-key", "c", "-l", "70000"], (bytes) => blake3(bytes, { context: Buffer.from("c"), dkLen: 70_000 })],
  ])("is as specified of any part of the output: %j", async (args, hash) => {
    const files = ["tree/b", "tree/none", "-"].map(
      (name) => `blakesum: ${name === "-" ? "standard input" : name}: not a directory\n`,
    );
    expect(await blakesum(["--folder", ...args, "tree/b", "tree", "-"])).toEqual(
      bad(`${hex(folderDigest(entries, hash))}  tree\n`, `${files[0]}${files[2]}`),
    );
  });

  it("is checked, and leaves out what is excluded", async () => {
    const without = entries.filter(([, name]) => name !== "deep");
    const list = `${hex(folderDigest(without, blake3))}  tree\n`;
    await call("--folder --exclude deep tree").prints(list);
    await call("-c --folder --exclude deep", list).prints("tree: OK\n");
    const { stdout, stderr } = await blakesum("-c --folder", list);
    expect(stdout).toBe("tree: FAILED\n");
    expect(stderr).not.toContain("no file matches");
  });

  it("changes with a name, a mode bit, a kind and a byte, and with nothing else", async () => {
    plant("small/one");
    plant("small/two");
    const seen = new Set<string>();
    const look = async () => {
      const { status, stdout } = await blakesum("--folder small");
      expect(status).toBe(0);
      seen.add(stdout);
      return seen.size;
    };
    expect(await look()).toBe(1);
    renameSync(path("small/one"), path("small/three"));
    expect(await look()).toBe(2);
    write("small/two", "2");
    expect(await look()).toBe(3);
    if (process.platform !== "win32") {
      chmodSync(path("small/two"), 0o755);
      expect(await look()).toBe(4);
      chmodSync(path("small/two"), 0o711);
      expect(await look()).toBe(4);
    }
    mkdirSync(path("small/four"));
    const count = await look();
    renameSync(path("small"), path("moved"));
    expect((await blakesum("--folder moved")).stdout).toBe([...seen].at(-1)?.replace("small", "moved"));
    renameSync(path("moved"), path("small"));
    expect(await look()).toBe(count);
  });

  it("names what keeps it from a digest", async () => {
    await call("--folder absent tree/none").fails(
      `${hex(folderDigest([], blake3))}  tree/none\n`,
      "absent: no such file or directory",
    );
    expect((await blakesum("--folder tree/b")).stderr).toBe("blakesum: tree/b: not a directory\n");
    symlinkSync("nowhere", path("tree/none/lost"));
    expect((await blakesum("--folder --follow tree/none")).stderr).toBe(
      "blakesum: tree/none/lost: no such file or directory\n",
    );
  });
});

describe.runIf(onLinux)("what no digest of a folder can have", () => {
  const failed = (stderr: string) => ({ status: 1, stdout: "", stderr });

  it("names a pipe, a link that leads back and one that leads nowhere", async () => {
    plant("odd/inner/file");
    execFileSync("mkfifo", [path("odd/inner/pipe")]);
    expect(await blakesum("--folder odd")).toEqual(
      failed("blakesum: odd/inner/pipe: is neither a file nor a folder nor a link\n"),
    );
    const stderr = "blakesum: 1 pipe, socket or device was skipped\n";
    expect(await blakesum("-r odd")).toEqual({ ...good(lines("odd/inner/file")), stderr });
    rmSync(path("odd/inner/pipe"));
    symlinkSync("..", path("odd/inner/up"));
    expect(await blakesum("--folder --follow odd")).toEqual(
      failed("blakesum: odd/inner/up: leads back to a folder around it\n"),
    );
    rmSync(path("odd/inner/up"));
    symlinkSync("nowhere", path("odd/inner/lost"));
    expect(await blakesum("--folder --follow odd")).toEqual(
      failed("blakesum: odd/inner/lost: no such file or directory\n"),
    );
  });
});

describe.runIf(onLinux)("paths of more than the 4096 bytes that Linux allows", () => {
  const name = "d".repeat(200);
  const last = ["far", ...Array(20).fill(name)].join("/");
  const file = "f".repeat(200);

  beforeAll(() => {
    mkdirSync(path("far"));
    // Each of these names is short.
    const code = `
      process.chdir("far");
      for (let i = 0; i < 20; i++) {
        fs.mkdirSync("${name}");
        process.chdir("${name}");
      }
      fs.mkdirSync("${name}");
      for (const name of ["e", "${file}", "g"]) fs.writeFileSync(name, name);
    `;
    execFileSync(process.execPath, ["-e", code], { cwd: path(".") });
  });
  // Node cannot remove them.
  afterAll(() => {
    execFileSync("rm", ["-r", path("far")]);
  });

  const named = (...names: string[]) => names.map((each) => `blakesum: ${last}/${each}: name too long\n`).join("");

  it("are named by -r, which hashes all other files", async () => {
    const lines = (length: number) =>
      ["e", "g"].map((each) => `${hex(blake3(Buffer.from(each), { dkLen: length }))}  ${last}/${each}\n`).join("");
    const list = `${lines(32)}${digestOf("tree/b")}  tree/b\n`;
    expect(await blakesum("-r far tree/b")).toEqual(bad(list, named(name, file)));
    const long = 2 ** 17;
    expect(await blakesum(["-r", "--length", String(long), "far"])).toEqual(bad(lines(long), named(name, file)));
  });

  it("keep --folder from a digest", async () => {
    expect(await blakesum("--folder far tree/none")).toMatchObject({ status: 1, stderr: named(name) });
    expect(await blakesum(["--folder", "--exclude", name, last])).toEqual(bad("", named(file)));
  });
});

describe("--exclude", () => {
  it("takes ** for any path, and [!...] for any other character", async () => {
    plant("kept/a");
    plant("kept/b");
    plant("kept/in/a");
    await call("-r --exclude ** kept").prints("");
    await call("-r --exclude in/** kept").prints(lines("kept/a", "kept/b"));
    await call("-r --exclude [!a] kept").prints(lines("kept/a", "kept/in/a"));
  });

  it.each([
    ["caf?", ["cafés", "cafe\u0301", "\u{1f4be}", "a", "-", "]"]],
    ["caf[é]", ["cafés", "cafe\u0301", "\u{1f4be}", "a", "-", "]"]],
    ["caf[à-ê]", ["cafés", "cafe\u0301", "\u{1f4be}", "a", "-", "]"]],
    ["?", ["café", "cafés", "cafe\u0301"]],
    ["[!a-z]", ["café", "cafés", "cafe\u0301", "a"]],
    ["[^\u{1f4bd}-\u{1f4bf}]", ["café", "cafés", "cafe\u0301", "\u{1f4be}"]],
    ["[]a-]", ["café", "cafés", "cafe\u0301", "\u{1f4be}"]],
    ["[\\]\\-]", ["café", "cafés", "cafe\u0301", "\u{1f4be}", "a"]],
    ["????", ["cafés", "cafe\u0301", "\u{1f4be}", "a", "-", "]"]],
    ["*é*", ["cafe\u0301", "\u{1f4be}", "a", "-", "]"]],
  ])("takes whole characters: %s", async (pattern, left) => {
    const names = ["café", "cafés", "cafe\u0301", "\u{1f4be}", "a", "-", "]"];
    for (const name of names) plant(`letters/${name}`);
    const { stdout } = await blakesum(["-r", "--no-names", "--exclude", pattern, "letters"]);
    const kept = names.filter((name) => stdout.includes(digestOf(`letters/${name}`)));
    expect(kept).toEqual(names.filter((name) => left.includes(name)));
  });

  it.runIf(onLinux)("takes a byte that is not UTF-8 for a character of its own", async () => {
    mkdirSync(path("latin"));
    for (const byte of [0xe9, 0xff]) {
      const name = Buffer.from([0xc3, 0xa9, byte, 0xc3, 0xa9]);
      writeFileSync(Buffer.concat([Buffer.from(path("latin/")), name]), `${byte}`);
    }
    expect((await blakesum(["-r", "--exclude", "é?é", "latin"])).stdout).toBe("");
    expect((await blakesum("-r --exclude ?? --exclude ????? latin")).stdout).toHaveLength(2 * 78);
  });

  it("leaves standard input alone, which is no folder", async () => {
    await call("-r - kept/b", "kept/b").prints(`${digestOf("kept/b")}  -\n${lines("kept/b")}`);
  });
});
