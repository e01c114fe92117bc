// blakesum --subtree and --merge: parts that any engine hashes, held against noble's digest of the whole.
import { execFileSync } from "node:child_process";
import { blake3 } from "@noble/hashes/blake3.js";
import { describe, expect, it } from "vitest";
import { bin, blakesum, call, directory, expectMisuse, good, hex, large, path, write } from "../support/blakesum.ts";

const PART = 2 ** 17;
const offsets = Array.from({ length: Math.ceil(large.length / PART) }, (_, i) => i * PART);
const digest = hex(blake3(large));

async function lineOf(offset: number, ...mode: string[]): Promise<string> {
  const { status, stdout, stderr } = await blakesum([`--subtree`, `${offset}+${PART}`, ...mode, "large"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(new RegExp(`^${offset}\\+${Math.min(PART, large.length - offset)} [0-9a-f]{64}\\n$`));
  return stdout;
}

const lines = await (async () => {
  write("large", large);
  return Promise.all(offsets.map((offset) => lineOf(offset)));
})();
const merge = (list: readonly string[], ...more: string[]) =>
  blakesum(["--merge", String(large.length), String(PART), ...more], list.join(""));

describe("blakesum --merge", () => {
  it("prints the digest, whatever the order, and however often a line comes", async () => {
    expect(await merge(lines)).toEqual(good(`${digest}\n`));
    expect(await merge([...lines].reverse())).toEqual(good(`${digest}\n`));
    expect(await merge([...lines, lines[3]!])).toEqual(good(`${digest}\n`));
    write("values", lines.join("").replaceAll("\n", "\r\n").toUpperCase());
    await call(["--merge", String(large.length), String(PART), "values"]).prints(`${digest}\n`);
  });

  it.each([
    ["--key", `${"00".repeat(31)}01`, { key: new Uint8Array(32).map((_, i) => (i === 31 ? 1 : 0)) }],
    ["--derive-key", "a context", { context: new TextEncoder().encode("a context") }],
  ])("does so under %s", async (option, value, options) => {
    const keyed = await Promise.all(offsets.map((offset) => lineOf(offset, option, value)));
    expect(await merge(keyed, option, value)).toEqual(good(`${hex(blake3(large, options))}\n`));
  });

  it.each<[string, (list: string[]) => string[], string]>([
    [
      "a missing part",
      (list) => list.toSpliced(2, 2),
      `all 8 parts must be set, got 2 missing, the first at offset ${2 * PART}`,
    ],
    [
      "another value",
      (list) => [...list, lines[1]!.replace(/.{3}\n$/, "abc\n").replace(/ ./, " 0")],
      "line 9: value must be the one",
    ],
    ["an offset of no part", (list) => [...list, lines[1]!.replace(/^\d+/, "1024")], "line 9: "],
    [
      "a short part",
      (list) => [`0+5 ${lines[0]!.split(" ")[1]}`, ...list],
      `line 1: the part at 0 has ${PART} bytes, not 5`,
    ],
    ["no value", (list) => ["0+131072 abc\n", ...list], "line 1: must be OFFSET+LENGTH and a chaining value"],
    ["a digest in b3sum's form", (list) => [`${digest}  large\n`, ...list], "line 1: must be OFFSET+LENGTH"],
    ["nothing", () => [], "got 8 missing"],
  ])("refuses %s: no digest is printed", async (_, change, text) => {
    const { status, stdout, stderr } = await merge(change([...lines]));
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^blakesum: standard input: /);
    expect(stderr).toContain(text);
  });

  it("refuses an object of one part, and numbers that make no tree", async () => {
    await expectMisuse(["--merge", "1000", "1024"], /length must be more than partLength 1024.* got 1000/);
    await expectMisuse(["--merge", "5000", "3000"], /partLength must be a power of 2/);
    await expectMisuse(["--merge", "5000"], /--merge takes 1 to 2 operands, was given 0/);
    await expectMisuse(["--merge", "x", "1024"], /--merge must be a whole number/);
    await expectMisuse(["--merge", "5000", "1024", "--key", "00"], /blake3: --key must have 32 bytes, got 1/);
    await expectMisuse(["--merge", "5000", "1024", "--tag"], /--merge cannot be used with --tag/);
  });
});

describe("blakesum --subtree", () => {
  it("takes a part's own bytes from standard input, and reads to the end without a length", async () => {
    const part = large.subarray(PART, 2 * PART);
    await call(["--subtree", `${PART}+${PART}`], part).prints(lines[1]!);
    await call(["--subtree", `${PART}`, "-"], part).prints(lines[1]!);
    await call([`--subtree=${offsets.at(-1)}`, "large"]).prints(lines.at(-1)!);
  });

  it.each([
    ["a file that ends before", ["--subtree", "1048576", "large"], "large: has no byte at offset 1048576"],
    ["a file that is not there", ["--subtree", "0", "absent"], "absent: no such file or directory"],
    ["more than a subtree has there", ["--subtree", "1024", "large"], "large: .*at most 1024 bytes"],
  ])("refuses %s", async (_, args, text) => {
    const { status, stdout, stderr } = await blakesum(args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^blakesum: ${text}`));
  });

  it("refuses more bytes than the length says, and places that are none", async () => {
    expect(await blakesum("--subtree 1024+5", "abcdef")).toMatchObject({
      status: 1,
      stderr: "blakesum: standard input: has more than 5 bytes\n",
    });
    await expectMisuse(["--subtree", "5", "large"], /--subtree: offset must be a multiple of 1024, got 5/);
    await expectMisuse(["--subtree", "0+1+2", "large"], /--subtree must be OFFSET or OFFSET\+LENGTH/);
    await expectMisuse(["--subtree", "0", "large", "abc"], /takes 0 to 1 operands, was given 2/);
  });
});

it("is one digest by two processes of xargs", () => {
  const script = `seq 0 ${PART} ${large.length - 1} |
    xargs -P 2 -I{} "$0" "$1" --subtree {}+${PART} large |
    "$0" "$1" --merge ${large.length} ${PART}`;
  const stdout = execFileSync("sh", ["-c", script, process.execPath, bin], { cwd: directory, encoding: "utf8" });
  expect(stdout).toBe(`${digest}\n`);
  expect(path("large")).toContain(directory);
});
