// blakesum on folders: -r, --exclude, --files-from, and --folder against the specification in docs/blakesum.md.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { blake2b } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blakesum, good, hex, path, run, runs, write } from "../support/blakesum.ts";

const digestOf = (text: string) => hex(blake3(Buffer.from(text)));
const lines = (...names: string[]) => names.map((name) => `${digestOf(name)}  ${name}\n`).join("");

/** Files whose content is their own path. */
function plant(...names: string[]) {
  for (const name of names) {
    mkdirSync(path(name).replace(/\/[^/]*$/, ""), { recursive: true });
    write(name, name);
  }
}

plant("tree/b", "tree/a/z", "tree/a/y.tmp", "tree/a.txt", "tree/B", "tree/deep/er/x", "tree/é");
symlinkSync("b", path("tree/link"));
symlinkSync("a", path("tree/to-a"));
mkdirSync(path("tree/none"));
plant("loop/inner/file", "lost/file", "kept/a", "kept/b", "kept/in/a");
symlinkSync("..", path("loop/inner/up"));
symlinkSync("nowhere", path("lost/link"));

describe("--recursive", () => {
  const all = ["tree/B", "tree/a/y.tmp", "tree/a/z", "tree/a.txt", "tree/b", "tree/deep/er/x", "tree/é"];
  const skipped = "! 2 symbolic links were skipped; --follow follows them";
  const linked = `${digestOf("tree/a/y.tmp")}  tree/to-a/y.tmp\n${digestOf("tree/a/z")}  tree/to-a/z\n`;
  const link = `${digestOf("tree/b")}  tree/link\n`;

  runs([
    // In the order of their names' bytes, without links.
    ["-r tree", `${lines(...all)}${skipped}`, "", 0],
    ["-r tree/", `${lines(...all)}${skipped}`, "", 0],
    ["--recursive tree/a tree/b", lines("tree/a/y.tmp", "tree/a/z", "tree/b")],
    ["-r tree/to-a", linked],
    ["-rL tree", `${lines(...all.slice(0, 6))}${link}${linked}${lines("tree/é")}`],
    // It goes into no folder twice on its way.
    ["-r --follow loop", lines("loop/inner/file")],
    ["-rL lost", `${lines("lost/file")}! lost/link: no such file or directory`],
    ["-r missing tree/a", `${lines("tree/a/y.tmp", "tree/a/z")}! missing: no such file or directory`],
    ["tree", "! tree: is a directory; -r hashes its files"],
    ["-r - kept/b", `${digestOf("kept/b")}  -\n${lines("kept/b")}`, "kept/b"],
    ["-r --exclude ** kept", ""],
    ["-r --exclude in/** kept", lines("kept/a", "kept/b")],
    ["-r --exclude **/in/* kept", lines("kept/a", "kept/b")],
    ["-r --exclude [!a] kept", lines("kept/a", "kept/in/a")],
    [
      "-r --exclude in[!x]a kept",
      `${lines("kept/a", "kept/b", "kept/in/a")}! --exclude in[!x]a matched nothing`,
      "",
      0,
    ],
    // A path as it is printed, or in the folder.
    ["-r --exclude kept/in --exclude ./kept/a kept", lines("kept/b")],
    ["-r --exclude kept/in/ ./kept", `${digestOf("kept/a")}  ./kept/a\n${digestOf("kept/b")}  ./kept/b`],
    ["-r --exclude ept/in kept", `${lines("kept/a", "kept/b", "kept/in/a")}! --exclude ept/in matched nothing`, "", 0],
  ]);

  it.each([
    ["*.tmp", ["tree/B", "tree/a/z", "tree/a.txt", "tree/b", "tree/deep/er/x"]],
    ["a", ["tree/B", "tree/a.txt", "tree/b", "tree/deep/er/x"]],
    ["deep/er [!b] *.t*", ["tree/b"]],
    ["/a/z ?", ["tree/a.txt"]],
    ["**/er/* a*", ["tree/B", "tree/b"]],
  ])("--exclude %j", async (patterns, expected) => {
    const flags = `${patterns} é`.split(" ").flatMap((pattern) => ["--exclude", pattern]);
    expect(await blakesum(["-r", ...flags, "tree"])).toMatchObject({ status: 0, stdout: lines(...expected) });
  });

  const letters = ["café", "cafés", "cafe\u0301", "\u{1f4be}", "a", "-", "]"];
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
  ])("--exclude takes whole characters: %s", async (pattern, left) => {
    plant(...letters.map((name) => `letters/${name}`));
    const { stdout } = await blakesum(["-r", "--no-names", "--exclude", pattern, "letters"]);
    const kept = letters.filter((name) => stdout.includes(digestOf(`letters/${name}`)));
    expect(kept).toEqual(letters.filter((name) => left.includes(name)));
  });

  it("takes names that are not UTF-8, of which --exclude takes a byte for a character", async () => {
    for (const [folder, name] of [
      ["bytes", "\xe9\n\xff"],
      ["latin", "\xc3\xa9\xe9\xc3\xa9"],
      ["latin", "\xc3\xa9\xff\xc3\xa9"],
    ] as const) {
      mkdirSync(path(folder), { recursive: true });
      writeFileSync(Buffer.concat([Buffer.from(path(`${folder}/`)), Buffer.from(name, "latin1")]), "x");
    }
    expect(await blakesum("-rz bytes")).toEqual(good(`${digestOf("x")}  bytes/\xe9\n\xff\0`));
    await run([["-r", "--exclude", "é?é", "latin"], ""]);
    expect((await blakesum("-r --exclude ?? --exclude ????? latin")).stdout).toHaveLength(2 * 78);
  });

  it("prints what it checks", async () => {
    write("tree.sums", Buffer.from((await blakesum("-r tree")).stdout, "latin1"));
    await run(["-c --quiet tree.sums", ""]);
  });
});

describe("--files-from", () => {
  plant("new\nname");
  write("names", "tree/b\r\ntree/a/z\n");
  write("dash", "tree/b\n-\n");
  runs([
    ["--files-from names", lines("tree/b", "tree/a/z")],
    ["--files-from -", lines("tree/b", "tree/a/z"), "tree/b\n\ntree/a/z"],
    ["-z --files-from=-", lines("new\nname", "tree/b").replace(/\n(?!name)/g, "\0"), "new\nname\0tree/b\0"],
    ["--files-from -", ""],
    ["--files-from names --files-from absent", "! absent: no such file or directory"],
    ["--files-from dash", `${lines("tree/b")}${digestOf("x")}  -`, "x"],
  ]);
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
  const empty = `${hex(folderDigest([], blake3))}  tree/none`;
  const short = (bytes: Uint8Array) => blake2b(bytes, { dkLen: 20 });
  const tagged = (name: string, inside: Entry[]) => `BLAKE2b-160 (${name}) = ${hex(folderDigest(inside, short))}`;
  const without = entries.filter(([, name]) => name !== "deep");
  const list = `${hex(folderDigest(without, blake3))}  tree\n`;

  runs([
    ["--folder tree", `${hex(folderDigest(entries, blake3))}  tree`],
    ["--folder -a blake2b -l 20 --tag tree tree/none", `${tagged("tree", entries)}\n${tagged("tree/none", [])}`],
    ["--folder --exclude deep tree", list],
    ["-c --folder --exclude deep", "tree: OK", list],
    // Without a hint at an algorithm.
    ["-c --folder", "tree: FAILED\n! standard input: WARNING: 1 computed checksum did NOT match", list],
    ["--folder absent tree/none", `${empty}\n! absent: no such file or directory`],
    ["--folder tree/b", "! tree/b: not a directory"],
    ["--folder --follow lost", "! lost/link: no such file or directory"],
    ["--folder --follow loop", "! loop/inner/up: leads back to a folder around it"],
  ]);

  it.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ["-l 65536", (bytes) => blake3(bytes, { dkLen: 65_536 })],
    ["-l 65537", (bytes) => blake3(bytes, { dkLen: 65_537 })],
    ["--seek 65504", (bytes) => blake3(bytes, { dkLen: 65_536 }).subarray(65_504)],
    ["--seek 65505", (bytes) => blake3(bytes, { dkLen: 65_537 }).subarray(65_505)],
    ["--seek 100000 -l 70000", (bytes) => blake3(bytes, { dkLen: 170_000 }).subarray(100_000)],
    ["--derive-key c -l 70000", (bytes) => blake3(bytes, { context: Buffer.from("c"), dkLen: 70_000 })],
  ])("is as specified of any part of the output: %s", async (args, hash) => {
    const errors = ["tree/b", "standard input"].map((name) => `! ${name}: not a directory\n`).join("");
    await run([`--folder ${args} tree/b tree -`, `${hex(folderDigest(entries, hash))}  tree\n${errors}`]);
  });

  it("changes with a name, a mode bit, a kind and a byte, and with nothing else", async () => {
    plant("small/one", "small/two");
    const seen = new Set<string>();
    const look = async () => {
      const { status, stdout } = await blakesum("--folder small");
      expect(status).toBe(0);
      seen.add(stdout);
      return seen.size;
    };
    const steps: (() => void)[] = [
      () => {},
      () => renameSync(path("small/one"), path("small/three")),
      () => write("small/two", "2"),
      () => chmodSync(path("small/two"), 0o755),
      () => mkdirSync(path("small/four")),
    ];
    for (const [i, step] of steps.entries()) {
      step();
      expect(await look()).toBe(i + 1);
    }
    chmodSync(path("small/two"), 0o711);
    renameSync(path("small"), path("moved"));
    expect((await blakesum("--folder moved")).stdout).toBe([...seen].at(-1)?.replace("small", "moved"));
  });

  it("names what is neither a file nor a folder nor a link, which -r counts", async () => {
    plant("odd/inner/file");
    execFileSync("mkfifo", [path("odd/inner/pipe")]);
    await run(["--folder odd", "! odd/inner/pipe: is neither a file nor a folder nor a link"]);
    await run(["-r odd", `${lines("odd/inner/file")}! 1 pipe, socket or device was skipped`, "", 0]);
    rmSync(path("odd/inner/pipe"));
  });
});

describe("paths of more than the 4096 bytes that Linux allows", () => {
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

  const tooLong = (...names: string[]) => names.map((each) => `! ${last}/${each}: name too long\n`).join("");
  const inside = (length: number) =>
    ["e", "g"].map((each) => `${hex(blake3(Buffer.from(each), { dkLen: length }))}  ${last}/${each}\n`).join("");
  runs([
    ["-r far tree/b", inside(32) + lines("tree/b") + tooLong(name, file)],
    [`-r --length ${2 ** 17} far`, inside(2 ** 17) + tooLong(name, file)],
    ["--folder far tree/none", `${hex(folderDigest([], blake3))}  tree/none\n${tooLong(name)}`],
    [`--folder --exclude ${name} ${last}`, tooLong(file)],
  ]);
});
