// Command lines that ask for something impossible are refused with 2 and say what is.
import { blake3 } from "@noble/hashes/blake3.js";
import { describe, expect, it } from "vitest";
import { type Args, abc, abcBlake3, blakesum, expectMisuse, hex, run, write } from "../support/blakesum.ts";

const shared = "--keyed and --files-from - read standard input, so that no name in a list can be it";

describe("one line, a usage line, exit status 2", () => {
  write("dash", "abc\n-\n");

  const rows: readonly (readonly [args: Args, message: RegExp, input?: string])[] = [
    ["--bogus", /--bogus/],
    ["-x", /-x/],
    ["-a md5", /--algorithm must be one of .*blake2b.*blake3, .* was "md5"/],
    ["-a blak2b abc", /, was "blak2b"; did you mean blake2b\?$/],
    ["-a BLAKE2 abc", /, was "BLAKE2"; did you mean blake2b\?$/],
    ["-a sha256 abc", /, was "sha256"$/],
    ["-a constructor", /--algorithm/],
    ["-a bla\u212ae3 abc", /--algorithm must be one of/],
    ["-a blake3-0 abc", /--algorithm must be one of/],
    ["-a blake3-12 abc", /--algorithm must be one of/],
    ["-a blake2b-1024 abc", /--algorithm must be one of blake224, .*, was "blake2b-1024"; did you mean blake2b\?$/],
    ["-a", /--algorithm/],
    ["--length", /--length/],
    ["-l 0 abc", /--length is in bytes, for blake3 1 to 9007199254740991, was 0; left out, it is 32$/],
    ["-c -l 0 abc", /--length is in bytes, for blake3 1 to 9007199254740991, was 0/],
    ["-l -5", /--length must be a whole number of bytes, was "-5"$/],
    ["-l=5", /--length must be a whole number of bytes, was "=5"$/],
    ["-l five", /--length must be a whole number of bytes, was "five"/],
    ["--length=1.5", /--length/],
    ["--length=", /--length/],
    ["-l 65 -a blake2b", /length.*64.*65/],
    ["-l 0 -a blake2s", /length.*32.*0/],
    ["-a blake256 -l 5 abc", /--length is in bytes, for blake256 32, was 5$/],
    ["-a blake2b -l 512 abc", /for blake2b 1 to 64, was 512; 512 bits are 64 bytes: --length 64$/],
    ["-a blake2b256 -l 16 abc", /--length must be 32 or left out/],
    ["-c -a blake2b-256 -l 16 abc", /--length must be 32 or left out for blake2b-256, was 16$/],
    ["--json -l 70000 abc", /--json prints digests of up to 65536 bytes$/],
    ["-a blake2xb --json -l 70000 abc", /--json prints digests of up to/],
    ["--threads 1025", /--threads must be a whole number from 0 to 1024, was "1025"/],
    ["--threads two", /--threads .* "two"/],
    ["--threads", /--threads/],
    ["--seek 18446744073709551615 abc", /--seek must be a whole number of bytes from 0 to 18446744073709551583/],
    ["-a blake2b --seek 1 abc", /--seek cannot be used with blake2b/],
    ["-a blake2bp --salt 00 abc", /--salt cannot be used with blake2bp/],
    ["-a blake2b --key secret abc", /--key must be hexadecimal digits/],
    ["-a blake2b --fanout 256 abc", /blake2b: --fanout must be an integer from 0 to 255, got 256/],
    ["--fanout 2 -a blake3 abc", /--fanout cannot be used with blake3, which has no such parameter$/],
    ["--check --derive-key a --fanout 2", /cannot be used/],
    ["--tag=yes", /--tag takes no value$/],
    ["--stat -c", /there is no option --stat; did you mean --status\?$/],
    ["--no-tag abc", /there is no option --no-tag$/],
    ["--__proto__ abc", /there is no option --__proto__$/],
    ["-tx abc", /there is no option -x$/],
    ["-t- abc", /there is no option --$/],
    ["-bl", /--length needs a value: --length BYTES$/],
    ["--tag --text", /--tag/],
    ["--raw abc abc", /--raw takes one FILE, but 2 were given/],
    ["--raw --json abc", /--raw cannot be used with --json$/],
    ["--derive-key context -a blake2b abc", /--derive-key cannot be used with blake2b/],
    ...["", " abc -", " /dev/stdin", " /dev/fd/0", " --files-from -"].map(
      (names) => [`--keyed${names}`, /--keyed.*standard input, so it needs a FILE/] as const,
    ),
    ["--keyed abc", /--keyed takes the key from standard input, which is empty$/],
    ["--keyed abc", /key.*32.*31/, "k".repeat(31)],
    ["--keyed abc", /key.*32.*33/, "k".repeat(33)],
    ["--keyed -a blake2b abc", /key.*64.*65/, "k".repeat(65)],
    ["--keyed abc", /at most 1024 bytes/, "k".repeat(1025)],
    ["--keyed --derive-key context abc", /--keyed cannot be used with --derive-key/, "k".repeat(32)],
    ["-c --keyed", /--keyed/, "k".repeat(32)],
    // A list cannot name standard input if that was read already.
    ["--files-from -", new RegExp(shared), "abc\n/dev/stdin\n"],
    ["--keyed --files-from dash", new RegExp(shared), "k".repeat(32)],
    ["--files-from dash abc", /--files-from names the files/],
    ["--exclude x abc", /--exclude cannot be used without --recursive or --folder/],
    ["--algo blake2b abc", /there is no option --algo; did you mean --algorithm\?$/],
    ["--color x abc", /must be one of auto, always, never, was "x"$/],
    ["--progress x abc", /must be one of auto, always, never, was "x"$/],
    ["--completions tcsh", /--completions must be one of bash, zsh, fish, was "tcsh"$/],
    ["--colour never abc", /there is no option --colour; did you mean --color\?$/],
    ["--lenght=16 abc", /there is no option --lenght; did you mean --length\?$/],
    ["--length16 abc", /there is no option --length16; did you mean --length\?$/],
    ["-status abc", /there is no option -s; did you mean --status\?$/],
    ["-r --exclude [z-a] .", /--exclude must have ranges that end after they begin, had \[z-a\]$/],
    ["--folder --exclude x[a-b\u00e9-\u00e0] .", /--exclude must have ranges .*, had \[\u00e9-\u00e0\]$/],
    ...["--quiet", "--status", "--strict", "-w", "--ignore-missing"].map(
      (flag) => [`${flag} abc`, /--\S+ cannot be used without --check/] as const,
    ),
    ...["--tag", "-z", "--raw", "--no-names", "-b", "-t", "-r", "--seek=1"].map(
      (flag) => [`-c ${flag} abc`, /--\S+ cannot be used with --check/] as const,
    ),
    // Parts.
    ["--merge 1000 1024", /length must be more than partLength 1024.* got 1000/],
    ["--merge 5000 3000", /partLength must be a power of 2/],
    ["--merge 5000", /--merge takes 1 to 2 operands, was given 0/],
    ["--merge x 1024", /--merge must be a whole number/],
    ["--merge 5000 1024 --key 00", /blake3: --key must have 32 bytes, got 1/],
    ["--merge 5000 1024 --tag", /--merge cannot be used with --tag/],
    ["--subtree 5 large", /--subtree: offset must be a multiple of 1024, got 5/],
    ["--subtree 0+1+2 large", /--subtree must be OFFSET or OFFSET\+LENGTH/],
    ["--subtree 0 large abc", /takes 0 to 1 operands, was given 2/],
    // Bao.
    ["bao", /bao needs a command, one of hash, encode/],
    ["bao sum", /bao's command must be one of hash, .* was "sum"/],
    ["bao hahs abc", /bao's command must be one of .*, was "hahs"; did you mean hash\?$/],
    ["bao encode abc", /bao encode needs an output, or --outboard/],
    ["bao encode abc x --outboard=y", /takes an output or --outboard, not both/],
    ["bao decode", /bao decode takes 1 to 3 operands, was given 0/],
    ["bao decode abc", /the hash must be 64 hexadecimal digits, was "abc"/],
    ["bao slice 5", /bao slice takes 2 to 4 operands, was given 1/],
    ["bao slice five 5 abc", /START must be a whole number of bytes from 0 to 18446744073709551615, was "five"/],
    ["bao slice 0 18446744073709551616 abc", /COUNT must be a whole number of bytes from 0 to 18446744073709551615/],
    [`bao decode ${abcBlake3} abc --start=-1`, /--start must be a whole number/],
    ["bao hash --start=1", /--start cannot be used with bao hash/],
    ["bao outboard abc --group=1000", /--group must be a power of 2 from 1024 to 1048576, was "1000"/],
    ["bao hash --gruop abc", /there is no option --gruop; did you mean --group\?$/],
  ];
  it.each(rows.map((row) => [row[0], row] as const))("%j", (_, row) => expectMisuse(...row));
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
      const key = "s3cr3t".repeat(400).slice(0, length);
      const { status, stderr } = await blakesum(`--keyed -a ${algorithm} abc`, key);
      if (status === 0) expect(length).toBeLessThan(65);
      else expect(stderr).toMatch(length === 2000 ? /1024/ : length === 0 ? /empty/ : new RegExp(`\\b${length}\\b`));
      expect(stderr).not.toContain("s3");
    }
  });

  it("is a name if there is such a file", async () => {
    write(secret, abc);
    const key = Buffer.from("k".repeat(32));
    await run([`--keyed ${secret}`, `${hex(blake3(abc, { key }))}  ${secret}`, key]);
  });
});
