// Command lines that ask for something impossible are refused with 2 and say what is.
import { blake3 } from "@noble/hashes/blake3.js";
import { describe, expect, it } from "vitest";
import { abc, abcBlake3, blakesum, expectMisuse, good, hex } from "../support/blakesum.ts";

describe.concurrent("misuse", () => {
  it.each([
    [["--bogus"], /--bogus/],
    [["-x"], /-x/],
    [["-a", "md5"], /--algorithm must be one of .*blake2b.*blake3, .* was "md5"/],
    [["-a", "constructor"], /--algorithm/],
    [["-a", "bla\u212ae3", "abc"], /--algorithm must be one of/],
    [["-a"], /--algorithm/],
    [["--length"], /--length/],
    [["-l", "-5"], /--length must be a whole number of bytes, was "-5"$/],
    [["-l=5"], /--length must be a whole number of bytes, was "=5"$/],
    [["-l", "five"], /--length must be a whole number of bytes, was "five"/],
    [["--length=1.5"], /--length/],
    [["--length="], /--length/],
    [["--threads", "1025"], /--threads must be a whole number from 0 to 1024, was "1025"/],
    [["--threads", "two"], /--threads .* "two"/],
    [["--threads"], /--threads/],
    [["-l", "65", "-a", "blake2b"], /length.*64.*65/],
    [["-l", "0", "-a", "blake2s"], /length.*32.*0/],
    [["--tag=yes"], /--tag takes no value, was given "yes"$/],
    [["--stat", "-c"], /there is no option --stat$/],
    [["--no-tag", "abc"], /there is no option --no-tag$/],
    [["--__proto__", "abc"], /there is no option --__proto__$/],
    [["-tx", "abc"], /there is no option -x, in -tx$/],
    [["-t-", "abc"], /there is no option --, in -t-$/],
    [["-bl"], /--length needs a value: --length BYTES$/],
    [["--tag", "--text"], /--tag/],
    [["--raw", "abc", "abc"], /--raw takes one FILE, but 2 were given/],
    [["--derive-key", "context", "-a", "blake2b", "abc"], /--derive-key cannot be used with blake2b/],
    [["--keyed"], /--keyed.*standard input/],
    [["--keyed", "abc", "-"], /--keyed.*standard input/],
    [["--keyed", "/dev/stdin"], /--keyed.*standard input/],
    [["--keyed", "abc"], /key.*32/],
    [["--keyed", "-a", "blake2b", "abc"], /key.*64/],
    ...["--quiet", "--status", "--strict", "-w", "--ignore-missing"].map(
      (flag) => [[flag, "abc"], /--\S+ cannot be used without --check/] as const,
    ),
    ...["--tag", "-z", "--raw", "--no-names", "-b", "-t", "-l5", "-r", "--seek=1"].map(
      (flag) => [["-c", flag, "abc"], /--\S+ cannot be used with --check/] as const,
    ),
  ] as const)("%j: one line, a usage line, exit status 2", async (args, message) => {
    await expectMisuse(args, message);
  });

  it("refuses keys of a wrong length", async () => {
    await expectMisuse(["--keyed", "abc"], /key.*32.*31/, "k".repeat(31));
    await expectMisuse(["--keyed", "abc"], /key.*32.*33/, "k".repeat(33));
    await expectMisuse(["--keyed", "-a", "blake2b", "abc"], /key.*64.*65/, "k".repeat(65));
    await expectMisuse(["--keyed", "abc"], /key.*1024/, "k".repeat(100_000));
    await expectMisuse(
      ["--keyed", "--derive-key", "context", "abc"],
      /--keyed cannot be used with --derive-key/,
      "k".repeat(32),
    );
  });
});

describe.concurrent("options that do not go together", () => {
  it.each<[string[], RegExp]>([
    [["-a", "blake2b-1024", "abc"], /--algorithm must be one of blake224, .*, was "blake2b-1024"$/],
    [["-a", "blake256", "-l", "5", "abc"], /--length is in bytes, for blake256 32, was 5$/],
    [["--fanout", "2", "-a", "blake3", "abc"], /--fanout cannot be used with blake3, which has no such parameter$/],
    [["--raw", "--json", "abc"], /--raw cannot be used with --json$/],
    [["--json", "-l", "70000", "abc"], /--json prints digests of up to 65536 bytes from the output's beginning$/],
    [["--check", "--derive-key", "a", "--fanout", "2"], /cannot be used/],
  ])("%j", (args, message) => expectMisuse(args, message));

  it("leave the number of threads open with 0", async () => {
    expect(await blakesum(["--threads", "0", "abc"])).toEqual(good(`${abcBlake3}  abc\n`));
  });

  it("name the file of which there is no long output, and print that of the others", async () => {
    const { status, stdout, stderr } = await blakesum(["-l", "70000", "none", "abc"]);
    expect({ status, stderr }).toEqual({ status: 1, stderr: "blakesum: none: no such file or directory\n" });
    expect(stdout).toBe(`${hex(blake3(abc, { dkLen: 70_000 }))}  abc\n`);
  });
});
