// `blakesum bao` by itself; test/interop/bao.sh holds it against the bao program.
import { spawnSync } from "node:child_process";
import { existsSync, linkSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { toHex } from "blake-simd";
import { outboard } from "blake-simd/bao";
import { beforeAll, describe, expect, it } from "vitest";
import {
  abc,
  abcBlake3,
  bad,
  bin,
  blakesum,
  call,
  directory,
  good,
  large,
  on,
  path,
  type System,
  write,
} from "../support/blakesum.ts";

const GROUP = 1024;
const hash = toHex(outboard(large).root);

/** One line that names the trouble, one that says how to call. */
async function expectMisuse(args: readonly string[], message: RegExp): Promise<void> {
  const { status, stdout, stderr } = await blakesum(["bao", ...args]);
  const [first, second, ...rest] = stderr.split("\n");
  expect(first).toMatch(message);
  expect(second).toBe("Try 'blakesum bao --help' for more information.");
  expect({ status, stdout, rest }).toEqual({ status: 2, stdout: "", rest: [""] });
}

describe("blakesum bao", () => {
  it("hashes as bao does: one hash alone, several with their names", async () => {
    await call("bao hash abc").prints(`${abcBlake3}\n`);
    await call("bao hash", abc).prints(`${abcBlake3}\n`);
    await call("bao hash abc large").prints(`${abcBlake3}  abc\n${hash}  large\n`);
    const { status, stdout, stderr } = await blakesum("bao hash abc none");
    expect({ status, stdout }).toEqual({ status: 1, stdout: `${abcBlake3}  abc\n` });
    expect(stderr).toBe("blakesum: none: no such file or directory\n");
  });

  it("encodes and decodes, and writes what is right before what is wrong", async () => {
    await call("bao encode large encoded").prints("");
    await call("bao outboard large nodes").prints("");
    expect(readFileSync(path("nodes"))).toEqual(Buffer.from(outboard(large, { group: GROUP }).toBytes("bao")));
    const decoded = await blakesum(["bao", "decode", hash, "encoded"]);
    expect(Buffer.compare(Buffer.from(decoded.stdout, "latin1"), large)).toBe(0);
    const wrong = readFileSync(path("encoded"));
    wrong[wrong.length >> 1]! ^= 1;
    write("wrong", wrong);
    const { status, stdout, stderr } = await blakesum(["bao", "decode", hash, "wrong"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^blakesum: wrong: hash mismatch at byte \d+ of the content\n$/);
    const given = Buffer.from(stdout, "latin1");
    expect(given.length).toBeGreaterThan(400_000);
    expect(Buffer.compare(given, large.subarray(0, given.length))).toBe(0);
  });

  const text = (from: number, to?: number) => Buffer.from(large.subarray(from, to)).toString("latin1");

  it("decodes content with its outboard, from a file and from a pipe", async () => {
    await call("bao encode large --outboard=own").prints("");
    const whole = ["bao", "decode", hash, "--outboard=own"];
    const part = [...whole, "--start=300000", "--count=5000"];
    for (const [args, wanted] of [
      [whole, text(0)],
      [part, text(300_000, 305_000)],
      [[...whole, "--start=999999"], text(999_999)],
      [[...whole, "--start=2000000", "--count=5"], ""],
    ] as const) {
      const [bao, decode, root, ...options] = args;
      expect((await blakesum([bao!, decode!, root!, "large", ...options])).stdout === wanted, `${options}`).toBe(true);
      const piped = await blakesum(args, large);
      expect(piped.stdout === wanted && piped.status === 0, `${options}, a pipe: ${piped.stderr}`).toBe(true);
    }
    const wrong = large.slice();
    wrong[301_000]! ^= 1;
    const refused = await blakesum(part, wrong);
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^blakesum: standard input: hash mismatch/),
    });
    expect(text(300_000, 305_000).startsWith(refused.stdout)).toBe(true);
  });

  it("names the outboard that is missing, cut or another's", async () => {
    write("cut", readFileSync(path("own")).subarray(0, 500));
    write("alien", outboard(abc).toBytes("bao"));
    for (const [name, error] of [
      ["none", "no such file or directory"],
      ["cut", "Outboard.from: .*"],
    ]) {
      const { status, stdout, stderr } = await blakesum(["bao", "decode", hash, "large", `--outboard=${name}`]);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(new RegExp(`^blakesum: ${name}: ${error}\n$`));
    }
    expect(await blakesum(["bao", "decode", hash, "large", "--outboard=alien"])).toMatchObject({
      status: 1,
      stdout: "",
    });
  });

  it("slices an encoding, and content with its outboard, alike, and decodes a slice from a pipe", async () => {
    await blakesum("bao encode large encoded");
    const combined = await blakesum("bao slice 300000 5000 encoded");
    const apart = await blakesum("bao slice 300000 5000 large --outboard=own");
    expect(combined.status).toBe(0);
    expect(apart.stdout === combined.stdout).toBe(true);
    const slice = Buffer.from(combined.stdout, "latin1");
    const decoded = await blakesum(["bao", "decode-slice", hash, "300000", "5000"], slice);
    expect(decoded).toEqual(good(text(300_000, 305_000)));
    slice[slice.length - 100]! ^= 1;
    const { status, stderr } = await blakesum(["bao", "decode-slice", hash, "300000", "5000"], slice);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^blakesum: standard input: hash mismatch /);
  });

  it("encodes what comes through a pipe, but takes no range of one", async () => {
    await blakesum("bao encode large encoded");
    await call("bao encode - piped", large).prints("");
    expect(readFileSync(path("piped")).equals(readFileSync(path("encoded")))).toBe(true);
    const needs = "blakesum: standard input: a range needs a file that can be read anywhere in it\n";
    for (const args of [
      ["decode", hash, "--start=5"],
      ["slice", "0", "5"],
    ]) {
      expect(await blakesum(["bao", ...args], readFileSync(path("encoded")))).toEqual(bad("", needs));
    }
  });

  it("explains outputs that cannot be written", async () => {
    const { status, stderr } = await blakesum("bao encode large none/encoded");
    expect(status).toBe(1);
    expect(stderr).toMatch(/^blakesum: none\/encoded: no such file or directory\n$/);
  });

  it("takes groups of another size", async () => {
    await blakesum("bao encode large sixteen --group=16384");
    const args = ["bao", "decode", hash, "sixteen", "--group", "16384", "--start=500000", "--count=10"];
    await call(args).prints(Buffer.from(large.subarray(500_000, 500_010)).toString("latin1"));
    await call(["bao", "decode", hash, "sixteen"]).fails(
      "",
      "sixteen: hash mismatch at byte 0 of the content, or its groups are not of 1024 bytes",
    );
  });

  it("says how it is called, and leaves a file of its name alone", async () => {
    const { status, stdout } = await blakesum("bao --help");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: blakesum bao hash/);
    write("bao", abc);
    await call("./bao").prints(`${abcBlake3}  ./bao\n`);
  });

  it.each<[string[], RegExp]>([
    [[], /bao needs a command, one of hash, encode/],
    [["sum"], /bao's command must be one of hash, .* was "sum"/],
    [["encode", "abc"], /bao encode needs an output, or --outboard/],
    [["encode", "abc", "x", "--outboard=y"], /takes an output or --outboard, not both/],
    [["decode"], /bao decode takes 1 to 3 operands, was given 0/],
    [["decode", "abc"], /the hash must be 64 hexadecimal digits, was "abc"/],
    [["slice", "5"], /bao slice takes 2 to 4 operands, was given 1/],
    [["slice", "five", "5", "abc"], /START must be a whole number of bytes from 0 to 18446744073709551615, was "five"/],
    [
      ["slice", "0", "18446744073709551616", "abc"],
      /COUNT must be a whole number of bytes from 0 to 18446744073709551615/,
    ],
    [["decode", hash, "abc", "--start=-1"], /--start must be a whole number/],
    [["hash", "--start=1"], /--start cannot be used with bao hash/],
    [["outboard", "abc", "--group=1000"], /--group must be a power of 2 from 1024 to 1048576, was "1000"/],
    [["hash", "--frobnicate"], /there is no option --frobnicate/],
  ])("refuses %j", (args, message) => expectMisuse(args, message));
});

describe("a range to 2^64 - 1", () => {
  const most = "18446744073709551615";

  it.each(["700003", "9007199254740991", "9007199254740992", "9223372036854775808", most])(
    "of %s bytes",
    async (count) => {
      await blakesum("bao encode large whole");
      const rest = Buffer.from(large.subarray(300_000)).toString("latin1");
      const slice = await blakesum(["bao", "slice", "300000", count, "whole"]);
      expect(slice).toEqual(await blakesum("bao slice 300000 700003 whole"));
      expect(slice.status).toBe(0);
      const bytes = Buffer.from(slice.stdout, "latin1");
      await call(["bao", "decode-slice", hash, "300000", count], bytes).prints(rest);
      await call(["bao", "decode", hash, "whole", "--start=300000", `--count=${count}`]).prints(rest);
    },
  );

  it("that begins after the content is empty, and its slice shows where the content ends", async () => {
    await blakesum("bao encode large whole");
    const last = await blakesum("bao slice 1000003 0 whole");
    for (const start of ["1000003", "9007199254740992", most]) {
      expect(await blakesum(["bao", "slice", start, most, "whole"])).toEqual(last);
      const slice = Buffer.from(last.stdout, "latin1");
      await call(["bao", "decode-slice", hash, start, most], slice).prints("");
      await call(["bao", "decode", hash, "whole", `--start=${start}`]).prints("");
    }
  });
});

describe("an encoding that is cut", () => {
  it.each([
    ["in its header", 5, "slice: input ended early, at byte 0 of the content"],
    ["in a node", 40, "slice: input ended early, at byte 0 of the content"],
    ["in a group", 900_000, "slice: input ended early, at byte 917504 of the content"],
  ])("%s has no slice", async (_, length, message) => {
    await blakesum("bao encode large whole");
    write("cut", readFileSync(path("whole")).subarray(0, length));
    expect(await blakesum("bao slice 999000 10 cut")).toMatchObject({
      status: 1,
      stderr: `blakesum: cut: ${message}\n`,
    });
  });

  it("decodes from a start or for a count alone", async () => {
    await blakesum("bao encode large whole");
    const from = await blakesum(["bao", "decode", "--start", "1000000", hash, "whole"]);
    expect(from).toEqual(good(Buffer.from(large.subarray(1_000_000)).toString("latin1")));
    const first = await blakesum(["bao", "decode", "--count", "3", hash, "whole"]);
    expect(first).toEqual(good(Buffer.from(large.subarray(0, 3)).toString("latin1")));
  });
});

describe("an output that is an input, too", () => {
  const content = Buffer.from(large.subarray(0, 5000));
  const nodes = outboard(content, { group: GROUP });
  const root = toHex(nodes.root);
  let encoded: Buffer;
  beforeAll(async () => {
    encoded = Buffer.from((await blakesum("bao encode - -", content)).stdout, "latin1");
  });

  async function expectLeft(command: string, shown: string, files: System["files"] = {}) {
    for (const name of ["same", "hard", "soft"]) rmSync(path(name), { force: true });
    const bytes = /content/.test(command) ? nodes.toBytes("bao") : /^decode|^slice/.test(command) ? encoded : content;
    write("same", bytes);
    linkSync(path("same"), path("hard"));
    symlinkSync("same", path("soft"));
    write("content", content);
    expect(await on({ files }, ["bao", ...command.split(" ")]), command).toEqual(
      bad("", `blakesum: ${shown}: input and output are the same file\n`),
    );
    expect(readFileSync(path("same")).equals(bytes), command).toBe(true);
  }

  it.each([
    "encode same same",
    "encode same --outboard=same",
    "outboard same same",
    `decode ${root} same same`,
    `decode ${root} same same --start=5 --count=5`,
    `decode ${root} content same --outboard=same`,
    "slice 0 5 same same",
    "slice 0 5 content same --outboard=same",
    `decode-slice ${root} 0 5000 same same`,
  ])("is refused: %s", (command) => expectLeft(command, "same"));

  it("is found under every name", async () => {
    for (const name of ["./same", `../${directory.replace(/.*\//, "")}/same`, path("same"), "hard", "soft"]) {
      await expectLeft(`encode same ${name}`, "same");
      await expectLeft(`encode ${name} same`, name);
    }
    const input = { 0: [path("same"), "r"] } as const;
    await expectLeft("encode - same", "standard input", input);
    await expectLeft("encode /dev/stdin hard", "/dev/stdin", input);
    await expectLeft("encode same -", "same", { 1: [path("soft"), "a"] });
    await expectLeft(`decode ${root}`, "standard input", { ...input, 1: [path("hard"), "r+"] });
    await expectLeft("outboard same", "same", { 1: [path("same"), "r+"] });
    const script = `exec "$0" "$1" bao encode same /dev/stdout 1<>same`;
    const { status } = spawnSync("sh", ["-c", script, process.execPath, bin], { cwd: directory });
    expect([status, readFileSync(path("same")).equals(content)]).toEqual([1, true]);
  });

  it("is none if it holds no bytes", async () => {
    await call("bao encode /dev/null /dev/null").prints("");
  });
});

describe("an output that exists", () => {
  it("stays if the command fails before there is anything to write, and none is made", async () => {
    const wrong = Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 0, 0, 0]), Buffer.from("abd")]);
    write("wrong", wrong);
    write("other", "another's");
    for (const args of [
      ["encode", "none"],
      ["decode", abcBlake3, "wrong"],
      ["decode", abcBlake3, "abc", "--outboard=none"],
      ["decode-slice", abcBlake3, "0", "3", "wrong"],
      ["slice", "0", "3", "abc"],
    ]) {
      const [command = "", ...rest] = args;
      const operands = rest.filter((arg) => !arg.startsWith("--"));
      const options = rest.filter((arg) => arg.startsWith("--"));
      expect((await blakesum(["bao", command, ...operands, "other", ...options])).status, `${args}`).toBe(1);
      expect(readFileSync(path("other"), "utf8"), `${args}`).toBe("another's");
      await blakesum(["bao", command, ...operands, "unmade", ...options]);
      expect(existsSync(path("unmade")), `${args}`).toBe(false);
    }
  });

  it("is emptied first, also for content that is empty", async () => {
    const empty = toHex(outboard(new Uint8Array()).root);
    await blakesum("bao encode empty encoded");
    for (const output of ["other", "made"]) {
      write("other", "another's");
      await call(["bao", "decode", empty, "encoded", output]).prints("");
      expect(readFileSync(path(output), "utf8")).toBe("");
    }
    write("other", "another's");
    await blakesum("bao encode abc abc.bao");
    await call(["bao", "decode", abcBlake3, "abc.bao", "other"]).prints("");
    expect(readFileSync(path("other"), "utf8")).toBe("abc");
  });
});
