// blakesum --check: lists in every form that sum programs print, and how it reports what is wrong with them.

import { appendFileSync, truncateSync } from "node:fs";
import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { describe, expect, it } from "vitest";
import {
  abc,
  abcBlake2b,
  abcBlake2s,
  abcBlake3,
  bad,
  blakesum,
  call,
  escapes,
  hex,
  path,
  write,
} from "../support/blakesum.ts";

describe.concurrent("--check", () => {
  const wrong = abcBlake3.replace(/^../, (byte) => (byte === "00" ? "01" : "00"));
  const noLines = "no properly formatted checksum lines found";
  const malformed = (reason: string) =>
    `blakesum: standard input: WARNING: 1 line is improperly formatted\nblakesum: standard input: ${reason}\n`;

  it("accepts every form of line that sum programs print", async () => {
    const upper = abcBlake2b.toUpperCase();
    const lines = [
      `${abcBlake3}  abc`,
      `${abcBlake3} *abc`,
      `${abcBlake3} abc`,
      `  ${abcBlake3}\tabc`,
      `${abcBlake3.toUpperCase()}  abc`,
      `${hex(blake3(abc, { dkLen: 16 }))}  abc`,
      `${hex(blake3(abc, { dkLen: 100 }))}  abc`,
      `BLAKE3 (abc) = ${abcBlake3}`,
      `BLAKE3-40 (abc) = ${hex(blake3(abc, { dkLen: 5 }))}`,
      `BLAKE2b (abc) = ${abcBlake2b}`,
      `BLAKE2b-128 (abc) = ${hex(blake2b(abc, { dkLen: 16 }))}`,
      `BLAKE2s (abc) = ${abcBlake2s}`,
      `BLAKE2B-512(abc)= ${upper}`,
    ];
    await call("-c", lines.join("\n")).prints("abc: OK\n".repeat(lines.length));
  });

  it("takes untagged lines to be of the algorithm given", async () => {
    const list = `${abcBlake2s}  abc\nBLAKE3 (abc) = ${abcBlake3}\n${hex(blake2s(abc, { dkLen: 16 }))}  abc\n`;
    await call("-ca blake2s", list).prints("abc: OK\n".repeat(3));
    expect((await blakesum("-ca blake2b", list)).status).toBe(1);
  });

  it("passes over comments, blank lines and carriage returns", async () => {
    const list = `# ${wrong}  abc\r\n\r\n\n${abcBlake3}  abc\r\nBLAKE3 (empty) = ${hex(blake3(new Uint8Array()))}\r\n`;
    await call("--check -", list).prints("abc: OK\nempty: OK\n");
  });

  it("reads names that are escaped, hold two spaces, parentheses or an equals sign", async () => {
    const names = { "a\\nb\\\\c\\rd": "a\nb\\c\rd", "two  spaces": "two  spaces", "a (b) = cd": "a (b) = cd" };
    const lines = Object.entries(names).flatMap(([escaped, name]) => {
      write(name, abc);
      const mark = escaped === name ? "" : "\\";
      return [`${mark}${abcBlake3}  ${escaped}\n`, `${mark}BLAKE3 (${escaped}) = ${abcBlake3}\n`];
    });
    const shown = ["\\a\\nb\\\\c\\rd", "two  spaces", "a (b) = cd"];
    await call("-c", lines.join("")).prints(shown.flatMap((name) => `${name}: OK\n`.repeat(2)).join(""));
  });

  it("passes over blanks before a line, but not behind its mark of escapes, as b2sum does", async () => {
    write("back\\slash", abc);
    const bodies = [`BLAKE2b (back\\\\slash) = ${abcBlake2b}`, `${abcBlake2b}  back\\\\slash`];
    const lines = bodies.flatMap((body) => [` \\${body}\n`, `\t \\${body}\n`]);
    await call("-c", lines.join("")).prints("back\\slash: OK\n".repeat(4));
    for (const body of bodies) {
      expect(await blakesum("-c", `\\ ${body}\n`)).toMatchObject({
        status: 1,
        stderr: `blakesum: standard input: ${noLines}\n`,
      });
    }
  });

  it("reads back its own output", async () => {
    const names = ["abc", "empty", "large", "-dash", ...Object.keys(escapes)];
    const blake2b = ["-a", "blake2b", "--tag", "-l", "7"];
    for (const [flags, again] of [[["-b"]], [blake2b], [["-l", "77"]], [["--tag", "-l", "7"], ["-l7"]]]) {
      write("own", (await blakesum([...(flags ?? []), "--", ...names])).stdout);
      await call(["-c", "--quiet", ...(again ?? []), "own"]).prints("");
    }
  });

  it("reads lists larger than its buffer", async () => {
    const line = `${abcBlake3}  ./././././././././././././././abc\n`;
    write("long", line.repeat(3000));
    await call("-c --quiet long").prints("");
  });

  it("skips a line longer than it takes, and continues with the next", async () => {
    write("endless", "");
    truncateSync(path("endless"), 100 * 1024 * 1024);
    appendFileSync(path("endless"), `\n${abcBlake3}  abc\n`);
    await call("-c --warn endless").fails(
      "abc: OK\n",
      "endless: 1: improperly formatted checksum line",
      "endless: WARNING: 1 line is improperly formatted",
    );
  });

  it("reads a line of 16 MiB, and none that is longer", async () => {
    const digest = hex(blake3(abc, { dkLen: 8 * 1024 * 1024 - 3 }));
    await call("-c", `${digest} abc\n`).prints("abc: OK\n");
    expect((await blakesum("-cw", `${digest}  abcdef\n${abcBlake3}  abc`)).stderr).toMatch(/^blakesum: .* 1: improper/);
  });

  it("names what failed, does the rest and exits with 1", async () => {
    const list = `${wrong}  abc\n${abcBlake3}  missing\n${abcBlake3}  folder\n${abcBlake3}  abc\nnonsense\n`;
    write("mixed", list);
    const stdout = "abc: FAILED\nmissing: FAILED open or read\nfolder: FAILED open or read\nabc: OK\n";
    const unread = "blakesum: missing: no such file or directory\nblakesum: folder: is a directory\n";
    const warnings = [
      "blakesum: mixed: WARNING: 1 line is improperly formatted\n",
      "blakesum: mixed: WARNING: 2 listed files could not be read\n",
      "blakesum: mixed: WARNING: 1 computed checksum did NOT match\n",
    ].join("");
    expect(await blakesum("-c mixed")).toEqual(bad(stdout, unread + warnings));
    const failures = stdout.replace("abc: OK\n", "");
    expect(await blakesum("-c --quiet mixed")).toEqual(bad(failures, unread + warnings));
    expect(await blakesum("-c --status mixed")).toEqual(bad("", unread));
    expect(await blakesum("-cw mixed")).toEqual(
      bad(stdout, `${unread}blakesum: mixed: 5: improperly formatted checksum line\n${warnings}`),
    );
  });

  it("--status alone is silent", async () => {
    await call("-c --status", `${abcBlake3}  abc\n`).prints("");
    await call("-c --status", `${wrong}  abc\n`).fails("");
  });

  it("--ignore-missing passes over files that do not exist, but not over all of them", async () => {
    write("missing.sums", `${abcBlake3}  missing\n`);
    const list = `${abcBlake3}  missing\n${abcBlake3}  abc\n`;
    await call("-c --ignore-missing", list).prints("abc: OK\n");
    await call("-c --ignore-missing missing.sums").fails("", "missing.sums: no file was verified");
    expect((await blakesum("-c --ignore-missing", `${abcBlake3}  folder\n`)).status).toBe(1);
  });

  it("finds each malformed line", async () => {
    const malformed = {
      "no hex": "xyz  abc",
      "odd number of digits": `${abcBlake3}a  abc`,
      "no name": `${abcBlake3}  `,
      "no separator": abcBlake3,
      "unknown tag": `MD5 (abc) = ${abcBlake3}`,
      "tag of an inherited property": `constructor (abc) = ${abcBlake3}`,
      "length that is not the digest's": `BLAKE2b-128 (abc) = ${abcBlake2b}`,
      "length the algorithm does not have": `BLAKE2s (abc) = ${abcBlake2b}`,
      "unknown escape": `\\${abcBlake3}  a\\bc`,
      "escape cut short": `\\${abcBlake3}  abc\\`,
      "NUL in the name": `${abcBlake3}  a\0bc`,
      "standard input, which is the list": `${abcBlake3}  -`,
    };
    const lines = Object.values(malformed);
    const errors = lines.map((_, i) => `blakesum: standard input: ${i + 2}: improperly formatted checksum line\n`);
    const warning = `blakesum: standard input: WARNING: ${lines.length} lines are improperly formatted\n`;
    expect(await blakesum("-c --warn", [`${abcBlake3}  abc`, ...lines].join("\n"))).toEqual(
      bad(
        "abc: OK\n",
        `${errors.join("")}${warning}blakesum: standard input: line 6 is of MD5, which blakesum does not check\n`,
      ),
    );
  });

  it.each(["BLAKE3", "BLAKE2xb", "BLAKE2b"])("refuses a digest after the tag %s that may be cut off", async (tag) => {
    const digest = hex((tag === "BLAKE3" ? blake3 : blake2b)(abc, { dkLen: 20 }));
    const list = `${abcBlake3}  abc\n${tag} (abc) = ${digest}`;
    expect(await blakesum("-c", list)).toEqual(
      bad(
        "abc: OK\n",
        malformed("line 2 has a digest of 20 bytes, and may be cut off: it does not end with a line feed"),
      ),
    );
    if (tag !== "BLAKE2xb") await call("-c", `${list}\n`).prints("abc: OK\nabc: OK\n");
  });

  describe("of a digest that is shorter than 16 bytes", () => {
    const short = (dkLen: number, hash: typeof blake3 | typeof blake2b = blake3) => hex(hash(abc, { dkLen }));
    const reason = (line: number, digest: string) => {
      const length = digest.length / 2;
      return `line ${line} has a digest of ${length} byte${length === 1 ? "" : "s"}, which --length ${length} accepts`;
    };

    it.each([1, 7, 15])("refuses it in every form whose length nothing states: %i bytes", async (length) => {
      write("a\nb", abc);
      const digest = short(length);
      const forms = [
        `${digest}  abc`,
        `${digest}  abc\r`,
        `${digest} abc`,
        `${digest}\tabc`,
        `\\${digest}  a\\nb`,
        `BLAKE3 (abc) = ${digest}`,
        `BLAKE2b (abc) = ${short(length, blake2b)}`,
        `\\BLAKE3 (a\\nb) = ${digest}\r`,
      ];
      for (const form of forms) {
        for (const flags of [[], ["--ignore-missing"], ["--strict"], ["-a", "blake3"]]) {
          await call(["-c", ...flags], `${form}\n`).fails("", `standard input: ${noLines}; ${reason(1, digest)}`);
        }
      }
      expect(await blakesum("-c", `${abcBlake3}  abc\n${digest}  absent\n`)).toEqual(
        bad("abc: OK\n", malformed(reason(2, digest))),
      );
      await call("-c --status", `${abcBlake3}  abc\n${digest}  abc\n`).fails("");
    });

    it.each([1, 7, 15])("accepts it if its tag or --length states it: %i bytes", async (length) => {
      const bits = length * 8;
      const stated = `BLAKE2b-${bits} (abc) = ${short(length, blake2b)}\nBLAKE3-${bits} (abc) = ${short(length)}`;
      await call("-c", stated).prints("abc: OK\n".repeat(2));
      const untagged = `${short(length)}  abc\r\n${stated}\nBLAKE3 (abc) = ${short(length)}`;
      await call(["-c", "-a", "blake3", "-l", `${length}`], untagged).prints("abc: OK\n".repeat(4));
      const named = `${short(length, blake2b)}  abc\n`;
      await call(["-c", "-a", `blake2b-${bits}`], named).prints("abc: OK\n");
    });

    it("takes no digest of another length than --length, unless its tag states it", async () => {
      const list = `BLAKE3 (abc) = ${abcBlake3}\n${short(17)}  abc\n`;
      for (const flags of [["-l16"], ["-l", "1"], ["-a", "blake3-128"]]) {
        expect(await blakesum(["-c", ...flags], list)).toEqual(
          bad("abc: OK\n", malformed(`line 2 has a digest of 17 bytes, --length is ${flags[0] === "-l" ? 1 : 16}`)),
        );
      }
    });

    it("accepts a folder's only as a file's", async () => {
      const line = (await blakesum("--folder -l 7 folder")).stdout;
      const { status, stderr } = await blakesum("-c --folder", line);
      expect(status).toBe(1);
      expect(stderr).toContain("line 1 has a digest of 7 bytes, which --length 7 accepts");
      await call("-c --folder -l 7", line).prints("folder: OK\n");
    });
  });

  it("fails for malformed lines, counting them, with --strict and without", async () => {
    const list = `${abcBlake3}  abc\nbad\nworse\n`;
    const stderr = "blakesum: standard input: WARNING: 2 lines are improperly formatted\n";
    for (const flags of [["-c"], ["-c", "--strict"]]) {
      expect(await blakesum(flags, list)).toEqual(bad("abc: OK\n", stderr));
    }
    await call("-c --strict", `${abcBlake3}  abc\n`).prints("abc: OK\n");
  });

  it("names lists that are missing, directories or no lists, and does the others", async () => {
    write("sums", `${abcBlake3}  abc\n`);
    write("no-sums", "bad\n# comment\n");
    await call("-c absent folder large no-sums empty sums").fails(
      "abc: OK\n",
      "absent: no such file or directory",
      "folder: is a directory",
      `large: ${noLines}`,
      `no-sums: ${noLines}`,
      `empty: ${noLines}`,
    );
  });

  it("reads standard input if a list that is a file names it", async () => {
    write("stdin.sums", `${abcBlake3}  -\n`);
    await call("-c stdin.sums", abc).prints("-: OK\n");
  });
});
