// `blakesum bao` by itself; test/interop/bao.sh holds it against the bao program.
import { readFileSync } from "node:fs";
import { toHex } from "blake-simd";
import { outboard } from "blake-simd/bao";
import { describe, expect, it } from "vitest";
import { abc, abcBlake3, blakesum, good, large, path, write } from "../support/blakesum.ts";

const GROUP = 1024;
const hash = toHex(outboard(large).root);

/** One line that names the trouble, one that says how to call. */
async function expectMisuse(args: readonly string[], message: RegExp): Promise<void> {
  const { status, stdout, stderr } = await blakesum(["bao", ...args]);
  const [first, second, ...rest] = stderr.split("\n");
  expect(first).toMatch(message);
  expect(second).toMatch(/^Usage: blakesum bao /);
  expect({ status, stdout, rest }).toEqual({ status: 2, stdout: "", rest: [""] });
}

describe("blakesum bao", () => {
  it("hashes as bao does: one hash alone, several with their names", async () => {
    expect(await blakesum(["bao", "hash", "abc"])).toEqual(good(`${abcBlake3}\n`));
    expect(await blakesum(["bao", "hash"], abc)).toEqual(good(`${abcBlake3}\n`));
    expect(await blakesum(["bao", "hash", "abc", "large"])).toEqual(good(`${abcBlake3}  abc\n${hash}  large\n`));
    const { status, stdout, stderr } = await blakesum(["bao", "hash", "abc", "none"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: `${abcBlake3}  abc\n` });
    expect(stderr).toBe("blakesum: none: no such file or directory\n");
  });

  it("encodes and decodes, and writes what is right before what is wrong", async () => {
    expect(await blakesum(["bao", "encode", "large", "encoded"])).toEqual(good(""));
    expect(await blakesum(["bao", "outboard", "large", "nodes"])).toEqual(good(""));
    expect(readFileSync(path("nodes"))).toEqual(Buffer.from(outboard(large, { group: GROUP }).toBytes("bao")));
    const decoded = await blakesum(["bao", "decode", hash, "encoded"]);
    expect(Buffer.compare(Buffer.from(decoded.stdout, "latin1"), large)).toBe(0);
    const wrong = readFileSync(path("encoded"));
    wrong[wrong.length >> 1]! ^= 1;
    write("wrong", wrong);
    const { status, stdout, stderr } = await blakesum(["bao", "decode", hash, "wrong"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^blakesum: wrong: BaoDecodeStream: the (content|node) .*\n$/);
    const given = Buffer.from(stdout, "latin1");
    expect(given.length).toBeGreaterThan(400_000);
    expect(Buffer.compare(given, large.subarray(0, given.length))).toBe(0);
  });

  it("takes groups of another size", async () => {
    await blakesum(["bao", "encode", "large", "sixteen", "--group=16384"]);
    const args = ["bao", "decode", hash, "sixteen", "--group", "16384", "--start=500000", "--count=10"];
    expect(await blakesum(args)).toEqual(good(Buffer.from(large.subarray(500_000, 500_010)).toString("latin1")));
  });

  it("says how it is called, and leaves a file of its name alone", async () => {
    const { status, stdout } = await blakesum(["bao", "--help"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: blakesum bao hash/);
    write("bao", abc);
    expect(await blakesum(["./bao"])).toEqual(good(`${abcBlake3}  ./bao\n`));
  });

  it.each<[string[], RegExp]>([
    [[], /bao needs a command, one of hash, encode/],
    [["sum"], /bao's command must be one of hash, .* was "sum"/],
    [["encode", "abc"], /bao encode needs an output, or --outboard/],
    [["encode", "abc", "x", "--outboard=y"], /takes an output or --outboard, not both/],
    [["decode"], /bao decode takes 1 to 3 operands, was given 0/],
    [["decode", "abc"], /the hash must be 64 hexadecimal digits, was "abc"/],
    [["slice", "5"], /bao slice takes 2 to 4 operands, was given 1/],
    [["slice", "five", "5", "abc"], /the start must be a whole number of bytes below 2\^53, was "five"/],
    [["decode", hash, "abc", "--start=-1"], /--start must be a whole number/],
    [["hash", "--start=1"], /--start cannot be used with bao hash/],
    [["outboard", "abc", "--group=1000"], /--group must be a power of 2 from 1024 to 1048576, was "1000"/],
    [["hash", "--frobnicate"], /[Uu]nknown option '--frobnicate'/],
  ])("refuses %j", (args, message) => expectMisuse(args, message));
});
