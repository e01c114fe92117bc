// `blakesum bao` and parts of a file by themselves; test/interop/bao-crates.mjs holds the first against the bao crate.
import { existsSync, linkSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { blake3 } from "@noble/hashes/blake3.js";
import { toHex } from "blake-simd";
import { outboard } from "blake-simd/bao";
import { describe, expect, it } from "vitest";
import {
  abc,
  abcBlake3,
  blakesum,
  directory,
  hex,
  large,
  on,
  path,
  run,
  runs,
  type System,
  write,
} from "../support/blakesum.ts";

const hash = hex(blake3(large));
write("large", large);
const latin1 = (from: number, to?: number) => Buffer.from(large.subarray(from, to)).toString("latin1");
const bytesOf = async (args: string, input?: Uint8Array) => Buffer.from((await blakesum(args, input)).stdout, "latin1");

const encoded = await bytesOf("bao encode large -");
write("whole", encoded);
write("own", outboard(large, { group: 1024 }).toBytes("bao"));
write("cut", encoded.subarray(0, 500));
for (const length of [5, 40, 900_000]) write(`cut-${length}`, encoded.subarray(0, length));

/** The command writes these bytes, and nothing else. */
async function expectBytes(args: string, wanted: string, input?: Uint8Array) {
  const { status, stdout, stderr } = await blakesum(args, input);
  expect({ status, stderr, same: stdout === wanted }).toEqual({ status: 0, stderr: "", same: true });
}

describe("blakesum bao", () => {
  write("bao", abc);
  const needs = "! standard input: a range needs a file that can be read anywhere in it";
  const groups = "hash mismatch at byte 0 of the content, or its groups are not of 1024 bytes";
  runs([
    // One hash alone, several with their names, as the bao program prints them.
    ["bao hash abc", abcBlake3],
    ["bao hash", abcBlake3, abc],
    ["bao hash abc large", `${abcBlake3}  abc\n${hash}  large`],
    ["bao hash abc none", `${abcBlake3}  abc\n! none: no such file or directory`],
    ["bao encode large --outboard=nodes", ""],
    ["bao outboard large nodes", ""],
    ["bao encode large none/encoded", "! none/encoded: no such file or directory"],
    [`bao decode ${hash} large --outboard=none`, "! none: no such file or directory"],
    [`bao decode ${hash} --start=5`, needs, encoded],
    ["bao slice 0 5", needs, encoded],
    ["bao encode large sixteen --group=16384", ""],
    [`bao decode ${hash} sixteen`, `! sixteen: ${groups}`],
    ["bao encode /dev/null /dev/null", ""],
    ["./bao", `${abcBlake3}  ./bao`],
  ]);

  it("--help says how it is called", async () => {
    const { status, stdout } = await blakesum("bao --help");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: blakesum bao hash/);
  });

  it("encodes files and pipes, and writes the nodes alone", async () => {
    for (const [args, input] of [["encode large -"], ["encode - -", large]] as const)
      expect((await bytesOf(`bao ${args}`, input)).equals(encoded), args).toBe(true);
    expect(readFileSync(path("own")).equals(await bytesOf("bao outboard large"))).toBe(true);
    await run(["bao encode large --outboard=nodes", ""]);
    expect(readFileSync(path("own")).equals(readFileSync(path("nodes")))).toBe(true);
  });

  it.each([
    [5, 0],
    [40, 0],
    [900_000, 917_504],
  ])("has no slice of an encoding that is cut after %i bytes", async (length, at) => {
    const { status, stderr } = await blakesum(`bao slice 999000 10 cut-${length}`);
    const error = `cut-${length}: slice: input ended early, at byte ${at} of the content`;
    expect({ status, stderr }).toEqual({ status: 1, stderr: `blakesum: ${error}\n` });
  });

  it("writes what is right before what is wrong", async () => {
    const wrong = Buffer.from(encoded);
    wrong[wrong.length >> 1]! ^= 1;
    write("wrong", wrong);
    const { status, stdout, stderr } = await blakesum(`bao decode ${hash} wrong`);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^blakesum: wrong: hash mismatch at byte \d+ of the content\n$/);
    expect(stdout.length).toBeGreaterThan(400_000);
    expect(latin1(0).startsWith(stdout)).toBe(true);
  });

  const most = "18446744073709551615";
  const ranges: [range: string, wanted: string][] = [
    ["", latin1(0)],
    [" --start=300000 --count=5000", latin1(300_000, 305_000)],
    [" --start=999999", latin1(999_999)],
    [" --start=2000000 --count=5", ""],
  ];
  const counts = ["700003", "9007199254740991", "9007199254740992", "9223372036854775808", most];
  it.each([
    ...ranges,
    [" --count=3", latin1(0, 3)],
    [" --start=1000003", ""],
    [" --start=9007199254740992", ""],
    [` --start=${most}`, ""],
    ...counts.map((count): [string, string] => [` --start=300000 --count=${count}`, latin1(300_000)]),
  ])("decodes an encoding:%s", (range, wanted) => expectBytes(`bao decode ${hash} whole${range}`, wanted));

  it.each(ranges)(
    "decodes larger groups, and content with its outboard, from a file and a pipe:%s",
    async (range, wanted) => {
      await expectBytes(`bao decode ${hash} sixteen --group 16384${range}`, wanted);
      await expectBytes(`bao decode ${hash} large --outboard=own${range}`, wanted);
      await expectBytes(`bao decode ${hash} --outboard=own${range}`, wanted, large);
    },
  );

  it("decodes nothing wrong with an outboard", async () => {
    const wrong = large.slice();
    wrong[301_000]! ^= 1;
    const args = `bao decode ${hash} --outboard=own --start=300000 --count=5000`;
    const { status, stdout, stderr } = await blakesum(args, wrong);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^blakesum: standard input: hash mismatch/);
    expect(latin1(300_000, 305_000).startsWith(stdout)).toBe(true);
  });

  it.each([
    ["cut", /^blakesum: cut: Outboard.from: .*\n$/],
    ["alien", /^blakesum: large: hash mismatch at byte 0 of the content\n$/],
  ])("refuses an outboard that is %s", async (name, error) => {
    write("alien", outboard(abc).toBytes("bao"));
    const { status, stdout, stderr } = await blakesum(`bao decode ${hash} large --outboard=${name}`);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(error);
  });

  it.each([
    ["300000 5000", latin1(300_000, 305_000)],
    ["300000 700003", latin1(300_000)],
    [`300000 ${most}`, latin1(300_000)],
    ["300000 9007199254740992", latin1(300_000)],
    ["1000003 0", ""],
    [`9007199254740992 ${most}`, ""],
    [`${most} ${most}`, ""],
  ])(
    "slices an encoding, and content with its outboard, alike, and decodes it from a pipe: %s",
    async (range, wanted) => {
      const slice = await bytesOf(`bao slice ${range} whole`);
      // That of no bytes after the content shows where this ends.
      const same = range.startsWith("300000 ") ? range.replace(/ \d{6,}/, " 700003") : "1000003 0";
      for (const args of [`${range} large --outboard=own`, `${same} whole`])
        expect(slice.equals(await bytesOf(`bao slice ${args}`)), args).toBe(true);
      await expectBytes(`bao decode-slice ${hash} ${range}`, wanted, slice);
      slice[slice.length - 100]! ^= 1;
      const { status, stderr } = await blakesum(`bao decode-slice ${hash} ${range}`, slice);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^blakesum: standard input: hash mismatch /);
    },
  );
});

describe("an output that is an input, too", () => {
  const content = Buffer.from(large.subarray(0, 5000));
  const nodes = outboard(content, { group: 1024 });
  const root = toHex(nodes.root);

  async function expectLeft(command: string, shown: string, files: System["files"] = {}) {
    for (const name of ["same", "hard", "soft"]) rmSync(path(name), { force: true });
    const ofContent = await bytesOf("bao encode - -", content);
    const bytes = /content/.test(command) ? nodes.toBytes("bao") : /^decode|^slice/.test(command) ? ofContent : content;
    write("same", bytes);
    linkSync(path("same"), path("hard"));
    symlinkSync("same", path("soft"));
    write("content", content);
    await run([`bao ${command}`, `! ${shown}: input and output are the same file`], { files });
    expect(readFileSync(path("same")).equals(bytes), command).toBe(true);
  }

  const input = { 0: [path("same"), "r"] } as const;
  it.each<[string, string, System["files"]?]>([
    ["encode same same", "same"],
    ["encode same --outboard=same", "same"],
    ["outboard same same", "same"],
    [`decode ${root} same same`, "same"],
    [`decode ${root} same same --start=5 --count=5`, "same"],
    [`decode ${root} content same --outboard=same`, "same"],
    ["slice 0 5 same same", "same"],
    ["slice 0 5 content same --outboard=same", "same"],
    [`decode-slice ${root} 0 5000 same same`, "same"],
    // Under every name.
    ...["./same", `../${directory.replace(/.*\//, "")}/same`, path("same"), "hard", "soft"].flatMap(
      (name): [string, string][] => [
        [`encode same ${name}`, "same"],
        [`encode ${name} same`, name],
      ],
    ),
    ["encode - same", "standard input", input],
    ["encode /dev/stdin hard", "/dev/stdin", input],
    ["encode same -", "same", { 1: [path("soft"), "a"] }],
    [`decode ${root}`, "standard input", { ...input, 1: [path("hard"), "r+"] }],
    ["outboard same", "same", { 1: [path("same"), "r+"] }],
  ])("is refused: %s", expectLeft);
});

describe("an output that exists", () => {
  write("damaged", "\x03\0\0\0\0\0\0\0abd");
  write("made.bao", "\x03\0\0\0\0\0\0\0abc");
  write("empty.bao", new Uint8Array(8));

  it.each([
    "encode none OUT",
    `decode ${abcBlake3} damaged OUT`,
    `decode ${abcBlake3} abc OUT --outboard=none`,
    `decode-slice ${abcBlake3} 0 3 damaged OUT`,
    "slice 0 3 abc OUT",
  ])("stays if the command fails before there is anything to write, and none is made: %s", async (command) => {
    write("other", "another's");
    for (const output of ["other", "unmade"])
      expect((await on({}, ["bao", ...command.replace("OUT", output).split(" ")])).status).toBe(1);
    expect(readFileSync(path("other"), "utf8")).toBe("another's");
    expect(existsSync(path("unmade"))).toBe(false);
  });

  it.each([
    [`${hex(blake3(new Uint8Array()))} empty.bao other`, ""],
    [`${hex(blake3(new Uint8Array()))} empty.bao made`, ""],
    [`${abcBlake3} made.bao other`, "abc"],
  ])("is emptied first, and made for no bytes: decode %s", async (args, wanted) => {
    write("other", "another's");
    await run([`bao decode ${args}`, ""]);
    expect(readFileSync(path(args.split(" ")[2] as string), "utf8")).toBe(wanted);
  });
});

describe("--subtree and --merge", async () => {
  const PART = 2 ** 17;
  const offsets = Array.from({ length: Math.ceil(large.length / PART) }, (_, i) => i * PART);
  const partsUnder = (mode = "") =>
    Promise.all(offsets.map(async (at) => (await blakesum(`--subtree ${at}+${PART} large${mode}`)).stdout));
  const parts = await partsUnder();
  const merge = `--merge ${large.length} ${PART}`;
  const part = large.subarray(PART, 2 * PART);
  write("values", parts.join("").replaceAll("\n", "\r\n").toUpperCase());

  it("a line has a part's offset, its length and its value", () => {
    for (const [i, at] of offsets.entries())
      expect(parts[i]).toMatch(new RegExp(`^${at}\\+${Math.min(PART, large.length - at)} [0-9a-f]{64}\\n$`));
  });

  runs([
    // Whatever the order, and however often a line comes.
    [merge, hash, parts.join("")],
    [merge, hash, [...parts].reverse().join("")],
    [merge, hash, [...parts, parts[3]].join("")],
    [`${merge} values`, hash],
    // A part's own bytes from standard input, and to the end without a length.
    [`--subtree ${PART}+${PART}`, parts[1]!, part],
    [`--subtree ${PART} -`, parts[1]!, part],
    [`--subtree=${offsets.at(-1)} large`, parts.at(-1)!],
    ["--subtree 1048576 large", "! large: has no byte at offset 1048576"],
    ["--subtree 0 absent", "! absent: no such file or directory"],
    ["--subtree 1024+5", "! standard input: has more than 5 bytes", "abcdef"],
  ]);

  it("a subtree has no more bytes than its place has room for", async () => {
    expect((await blakesum("--subtree 1024 large")).stderr).toMatch(/^blakesum: large: .*at most 1024 bytes/);
  });

  it.each([
    [` --key ${"00".repeat(31)}01`, { key: new Uint8Array(32).map((_, i) => (i === 31 ? 1 : 0)) }],
    [" --derive-key context", { context: Buffer.from("context") }],
  ])("are one digest under%s", async (mode, options) => {
    await run([`${merge}${mode}`, hex(blake3(large, options)), (await partsUnder(mode)).join("")]);
  });

  const missing = `all 8 parts must be set, got 2 missing, the first at offset ${2 * PART}`;
  it.each<[string, string[], string]>([
    ["a missing part", parts.toSpliced(2, 2), missing],
    ["another value", [...parts, parts[1]!.replace(/ ./, " 0").replace(/.{3}\n$/, "abc\n")], "line 9: value must be"],
    ["an offset of no part", [...parts, parts[1]!.replace(/^\d+/, "1024")], "line 9: "],
    ["a short part", [parts[0]!.replace(/\+\d+/, "+5"), ...parts], `line 1: the part at 0 has ${PART} bytes, not 5`],
    ["no value", ["0+131072 abc\n", ...parts], "line 1: must be OFFSET+LENGTH and a chaining value"],
    ["a digest in b3sum's form", [`${hash}  large\n`, ...parts], "line 1: must be OFFSET+LENGTH"],
    ["nothing", [], "got 8 missing"],
  ])("%s has no digest", async (_, list, text) => {
    const { status, stdout, stderr } = await blakesum(merge, list.join(""));
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^blakesum: standard input: /);
    expect(stderr).toContain(text);
  });
});
