// Command lines that ask for something impossible are refused with 2 and say what is.
import { blake3 } from "@noble/hashes/blake3.js";
import { describe, expect, it } from "vitest";
import { abc, abcBlake3, blakesum, call, expectMisuse, hex, write } from "../support/blakesum.ts";

describe.concurrent("misuse", () => {
  it.each([
    [["--bogus"], /--bogus/],
    [["-x"], /-x/],
    [["-a", "md5"], /--algorithm must be one of .*blake2b.*blake3, .* was "md5"/],
    [["-a", "blak2b", "abc"], /, was "blak2b"; did you mean blake2b\?$/],
    [["-a", "BLAKE2", "abc"], /, was "BLAKE2"; did you mean blake2b\?$/],
    [["-a", "sha256", "abc"], /, was "sha256"$/],
    [["-a", "constructor"], /--algorithm/],
    [["-a", "bla\u212ae3", "abc"], /--algorithm must be one of/],
    [["-a"], /--algorithm/],
    [["--length"], /--length/],
    [["-l", "0", "abc"], /--length is in bytes, for blake3 1 to 9007199254740991, was 0; left out, it is 32$/],
    [["-a", "blake3-0", "abc"], /--algorithm must be one of/],
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
    [["--tag=yes"], /--tag takes no value$/],
    [["--stat", "-c"], /there is no option --stat; did you mean --status\?$/],
    [["--no-tag", "abc"], /there is no option --no-tag$/],
    [["--__proto__", "abc"], /there is no option --__proto__$/],
    [["-tx", "abc"], /there is no option -x$/],
    [["-t-", "abc"], /there is no option --$/],
    [["-bl"], /--length needs a value: --length BYTES$/],
    [["--tag", "--text"], /--tag/],
    [["--raw", "abc", "abc"], /--raw takes one FILE, but 2 were given/],
    [["--derive-key", "context", "-a", "blake2b", "abc"], /--derive-key cannot be used with blake2b/],
    [["--keyed"], /--keyed.*standard input/],
    [["--keyed", "abc", "-"], /--keyed.*standard input/],
    [["--keyed", "/dev/stdin"], /--keyed.*standard input/],
    [["--keyed", "/dev/fd/0"], /--keyed.*standard input/],
    [["--keyed", "abc"], /--keyed takes the key from standard input, which is empty$/],
    [["--algo", "blake2b", "abc"], /there is no option --algo; did you mean --algorithm\?$/],
    ...["color", "progress"].map(
      (when) => [[`--${when}`, "x", "abc"], /must be one of auto, always, never, was "x"$/] as const,
    ),
    [["--colour", "never", "abc"], /there is no option --colour; did you mean --color\?$/],
    [["--lenght=16", "abc"], /there is no option --lenght; did you mean --length\?$/],
    [["--length16", "abc"], /there is no option --length16; did you mean --length\?$/],
    [["-status", "abc"], /there is no option -s; did you mean --status\?$/],
    [["bao", "hash", "--gruop", "abc"], /there is no option --gruop; did you mean --group\?$/],
    [["bao", "hahs", "abc"], /bao's command must be one of .*, was "hahs"; did you mean hash\?$/],
    [["-r", "--exclude", "[z-a]", "."], /--exclude must have ranges that end after they begin, had \[z-a\]$/],
    [["--folder", "--exclude", "x[a-b\u00e9-\u00e0]", "."], /--exclude must have ranges .*, had \[\u00e9-\u00e0\]$/],
    ...["--quiet", "--status", "--strict", "-w", "--ignore-missing"].map(
      (flag) => [[flag, "abc"], /--\S+ cannot be used without --check/] as const,
    ),
    ...["--tag", "-z", "--raw", "--no-names", "-b", "-t", "-r", "--seek=1"].map(
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

describe("what may be a secret", () => {
  const secret = "00112233445566778899aabbccddeeff".repeat(2);
  const password = "correct horse";

  it.each([
    [`--keyed=${secret}`, "abc"],
    [`--keyed=${password}`, "abc"],
    ["--keyed", secret, "abc"],
    ["--keyed", "-r", secret],
    ["--keyed", "-a", "blake2b", secret.slice(0, 16)],
    ["-c", "--keyed", secret],
    [`--keyed${secret}`, "abc"],
    [`--key${secret}`, "abc"],
    [`--kee=${secret}`, "abc"],
    [`--derive-key${password}`, "abc"],
    [`--derive=${password}`, "abc"],
    [`-k${secret}`, "abc"],
    [`-k=${secret}`, "abc"],
    [`-bk${secret}`, "abc"],
    [`-K${password}`, "abc"],
    [`--tag=${secret}`, "abc"],
    [`--check=${secret}`, "abc"],
    [`--help=${secret}`],
    ["--key", password, "abc"],
    ["--key", secret.slice(1), "abc"],
    ["--key", secret.slice(2), "abc"],
    ["--key", secret.repeat(3), "-a", "blake2b", "abc"],
    ["--key", secret, "-a", "blake256", "abc"],
    ["--key", secret, "--derive-key", password, "abc"],
    ["--derive-key", password, "-a", "blake2b", "abc"],
    ["--subtree", "0", "--key", secret.slice(2), "abc"],
    ["--merge", "2048", "1024", "--derive-key", password, "--key", secret],
    ["bao", "hash", `--key=${secret}`, "abc"],
  ])("is in no message: %j", async (...args) => {
    const { status, stdout, stderr } = await blakesum(args, secret.repeat(50));
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    for (const part of [secret.slice(2, 16), "horse"]) expect(stderr).not.toContain(part);
  });

  it.each([0, 1, 31, 33, 65, 2000])("is not, if it is of %i bytes from standard input", async (length) => {
    for (const algorithm of ["blake3", "blake2b", "blake2s"]) {
      const args = ["--keyed", "-a", algorithm, "abc"];
      const { status, stderr } = await blakesum(args, "s3cr3t".repeat(400).slice(0, length));
      if (status === 0) expect(length).toBeLessThan(65);
      else expect(stderr).toMatch(length === 2000 ? /1024/ : length === 0 ? /empty/ : new RegExp(`\\b${length}\\b`));
      expect(stderr).not.toContain("s3");
    }
  });

  it("is a name if there is such a file", async () => {
    write(secret, abc);
    const key = "k".repeat(32);
    const keyed = hex(blake3(abc, { key: Buffer.from(key) }));
    await call(["--keyed", secret], key).prints(`${keyed}  ${secret}\n`);
  });
});

describe.concurrent("options that do not go together", () => {
  it.each<[string[], RegExp]>([
    [
      ["-a", "blake2b-1024", "abc"],
      /--algorithm must be one of blake224, .*, was "blake2b-1024"; did you mean blake2b\?$/,
    ],
    [["-a", "blake256", "-l", "5", "abc"], /--length is in bytes, for blake256 32, was 5$/],
    [["--fanout", "2", "-a", "blake3", "abc"], /--fanout cannot be used with blake3, which has no such parameter$/],
    [["--raw", "--json", "abc"], /--raw cannot be used with --json$/],
    [["-c", "-l", "0", "abc"], /--length is in bytes, for blake3 1 to 9007199254740991, was 0/],
    [["-c", "-a", "blake2b-256", "-l", "16", "abc"], /--length must be 32 or left out for blake2b-256, was 16$/],
    [["--json", "-l", "70000", "abc"], /--json prints digests of up to 65536 bytes from the output's beginning$/],
    [["--check", "--derive-key", "a", "--fanout", "2"], /cannot be used/],
  ])("%j", (args, message) => expectMisuse(args, message));

  it("leave the number of threads open with 0", async () => {
    await call("--threads 0 abc").prints(`${abcBlake3}  abc\n`);
  });

  it("name the file of which there is no long output, and print that of the others", async () => {
    const { status, stdout, stderr } = await blakesum("-l 70000 none abc");
    expect({ status, stderr }).toEqual({ status: 1, stderr: "blakesum: none: no such file or directory\n" });
    expect(stdout).toBe(`${hex(blake3(abc, { dkLen: 70_000 }))}  abc\n`);
  });
});
