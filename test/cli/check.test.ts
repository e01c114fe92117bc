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
  blakesum,
  escapes,
  hex,
  path,
  run,
  runs,
  write,
} from "../support/blakesum.ts";

const line = `${abcBlake3}  abc\n`;
const wrong = abcBlake3.replace(/^../, (byte) => (byte === "00" ? "01" : "00"));
const noLines = "no properly formatted checksum lines found";
const b3 = (dkLen: number) => hex(blake3(abc, { dkLen }));
const b2b = (dkLen: number) => hex(blake2b(abc, { dkLen }));
const ok = (count: number) => "abc: OK\n".repeat(count);
/** What is said of the malformed lines of standard input. */
const malformed = (count: number, reason: string) =>
  `! standard input: WARNING: ${count} ${count === 1 ? "line is" : "lines are"} improperly formatted\n${reason && `! standard input: ${reason}\n`}`;

describe("lines", () => {
  const forms = [
    `${abcBlake3}  abc`,
    `${abcBlake3} *abc`,
    `${abcBlake3} abc`,
    `  ${abcBlake3}\tabc`,
    `${abcBlake3.toUpperCase()}  abc`,
    `${b3(16)}  abc`,
    `${b3(100)}  abc`,
    `BLAKE3 (abc) = ${abcBlake3}`,
    `BLAKE3-40 (abc) = ${b3(5)}`,
    `BLAKE2b (abc) = ${abcBlake2b}`,
    `BLAKE2b-128 (abc) = ${b2b(16)}`,
    `BLAKE2s (abc) = ${abcBlake2s}`,
    `BLAKE2B-512(abc)= ${abcBlake2b.toUpperCase()}`,
    // Blanks may be before a line, but not behind its mark of escapes, as for b2sum.
    ` \\BLAKE2b (abc) = ${abcBlake2b}`,
    `\t \\${abcBlake2b}  abc`,
  ];
  const ofBlake2s = `${abcBlake2s}  abc\nBLAKE3 (abc) = ${abcBlake3}\n${hex(blake2s(abc, { dkLen: 16 }))}  abc\n`;
  runs([
    ["-c", ok(forms.length), forms.join("\n")],
    ["-ca blake2s", ok(3), ofBlake2s],
    [
      "--check -",
      "abc: OK\nempty: OK",
      `# ${wrong}  abc\r\n\r\n\n${abcBlake3}  abc\r\n; of sfv\nBLAKE3 (empty) = ${hex(blake3(new Uint8Array()))}\r\n`,
    ],
    ["-c", `! standard input: ${noLines}`, `\\ BLAKE2b (abc) = ${abcBlake2b}\n`],
    ["-c", `! standard input: ${noLines}`, `\\ ${abcBlake2b}  abc\n`],
    // A digest of 16 MiB of digits, and a line that is longer.
    ["-c", "abc: OK", `${b3(8 * 1024 * 1024 - 3)} abc\n`],
  ]);

  it("of another algorithm than the one given do not match", async () => {
    expect((await blakesum("-ca blake2b", ofBlake2s)).status).toBe(1);
  });

  it("have names with escapes, two spaces, parentheses or an equals sign", async () => {
    const names = { "a\\nb\\\\c\\rd": "a\nb\\c\rd", "two  spaces": "two  spaces", "a (b) = cd": "a (b) = cd" };
    const lines = Object.entries(names).flatMap(([escaped, name]) => {
      write(name, abc);
      const mark = escaped === name ? "" : "\\";
      return [`${mark}${abcBlake3}  ${escaped}\n`, `${mark}BLAKE3 (${escaped}) = ${abcBlake3}\n`];
    });
    const shown = ["\\a\\nb\\\\c\\rd", "two  spaces", "a (b) = cd"];
    await run(["-c", shown.flatMap((name) => `${name}: OK\n`.repeat(2)).join(""), lines.join("")]);
  });

  it.each([
    ["-b", ""],
    ["-a blake2b --tag -l 7", ""],
    ["-l 77", ""],
    ["--tag -l 7", "-l7"],
  ])("that the command has printed with %s are good", async (flags, again) => {
    const names = ["abc", "empty", "large", "-dash", ...Object.keys(escapes)];
    write("own", (await blakesum([...flags.split(" "), "--", ...names])).stdout);
    await run([`-c --quiet ${again} own`.split(/ +/), ""]);
  });

  it("may be too many for a buffer, and one may be longer than any checksum line", async () => {
    write("long", `${abcBlake3}  ./././././././././././././././abc\n`.repeat(3000));
    await run(["-c --quiet long", ""]);
    write("endless", "");
    truncateSync(path("endless"), 100 * 1024 * 1024);
    appendFileSync(path("endless"), `\n${line}`);
    const warnings =
      "! endless: 1: improperly formatted checksum line\n! endless: WARNING: 1 line is improperly formatted";
    await run(["-c --warn endless", `abc: OK\n${warnings}`]);
  });

  it("that are malformed are found", async () => {
    const lines = Object.values({
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
    });
    const errors = lines.map((_, i) => `! standard input: ${i + 2}: improperly formatted checksum line\n`).join("");
    const warning = malformed(lines.length, "line 6 is of MD5, which blakesum does not check");
    await run(["-c --warn", `abc: OK\n${errors}${warning}`, `${line}${lines.join("\n")}`]);
  });
});

describe("lines of --json", () => {
  const json = (fields: object) =>
    `${JSON.stringify({ name: "abc", algorithm: "blake3", digest: abcBlake3, ...fields })}\n`;
  const none = "! standard input: no properly formatted checksum lines found";
  runs([
    ["-c", "abc: OK", json({})],
    ["-c", "abc: OK", json({ algorithm: "blake2s", digest: abcBlake2s, nameBytes: "616263" })],
    ["-c", "abc: OK", `  ${json({ name: "another", nameBytes: "616263" })}`],
    ["-c", "abc: OK", json({ digest: abcBlake3.slice(0, 40) })],
    ["-c", "abc: FAILED\n! standard input: WARNING: 1 computed checksum did NOT match", json({ digest: abcBlake2s })],
    ...[
      { name: "" },
      { name: "a\0" },
      { name: 5 },
      { nameBytes: 5 },
      { nameBytes: "6" },
      { algorithm: "sha256" },
      { algorithm: "toString" },
      { digest: 5 },
      { digest: abcBlake3.slice(1) },
      { digest: "" },
      { length: 31 },
      { length: "32" },
    ].map((fields): [string, string, string] => ["-c", none, json(fields)]),
    ["-c", none, "{\n"],
    ["-c", none, `{${"[".repeat(100_000)}\n`],
  ]);

  it("are what --json prints, for every algorithm and for names that are no text", async () => {
    for (const options of ["", "-a blake2b -l 20", "-a blake2xb -l 70", "-a blake256"]) {
      const { stdout } = await blakesum(`--json ${options} abc`);
      expect(await blakesum("-c", stdout)).toMatchObject({ status: 0, stdout: "abc: OK\n" });
    }
  });
});

describe("reports", () => {
  write("mixed", `${wrong}  abc\n${abcBlake3}  missing\n${abcBlake3}  folder\n${line}nonsense\n`);
  write("sums", line);
  write("missing.sums", `${abcBlake3}  missing\n`);
  write("no-sums", "bad\n# comment\n");
  write("stdin.sums", `${abcBlake3}  -\n`);
  const failures = "abc: FAILED\nmissing: FAILED open or read\nfolder: FAILED open or read\n";
  const unread = "! missing: no such file or directory\n! folder: is a directory\n";
  const warnings = `! mixed: WARNING: 1 line is improperly formatted
! mixed: WARNING: 2 listed files could not be read\n! mixed: WARNING: 1 computed checksum did NOT match`;
  const json = (name: string, status: string) => `${JSON.stringify({ name, status })}\n`;

  runs([
    ["-c mixed", `${failures}abc: OK\n${unread}${warnings}`],
    ["-c --quiet mixed", `${failures}${unread}${warnings}`],
    ["-c --status mixed", unread],
    ["-cw mixed", `${failures}abc: OK\n${unread}! mixed: 5: improperly formatted checksum line\n${warnings}`],
    [
      "-c --json mixed",
      `${json("abc", "failed")}${json("missing", "unreadable")}${json("folder", "unreadable")}${json("abc", "ok")}${unread}${warnings}`,
    ],
    ["-c --status", "", line],
    ["-c --status", "", `${wrong}  abc\n`, 1],
    // Not if all are missing.
    ["-c --ignore-missing", "abc: OK", `${abcBlake3}  missing\n${line}`],
    ["-c --ignore-missing missing.sums", "! missing.sums: no file was verified"],
    ["-c --ignore-missing --status", "! folder: is a directory", `${abcBlake3}  folder\n`],
    ["-c", `abc: OK\n${malformed(2, "")}`, `${line}bad\nworse\n`],
    ["-c --strict", `abc: OK\n${malformed(2, "")}`, `${line}bad\nworse\n`],
    ["-c --strict", "abc: OK", line],
    [
      "-c absent folder large no-sums empty sums",
      `abc: OK\n! absent: no such file or directory\n! folder: is a directory
! large: ${noLines}\n! no-sums: ${noLines}\n! empty: ${noLines}`,
    ],
    ["-c stdin.sums", "-: OK", abc],
  ]);
});

describe("a digest", () => {
  describe.each([1, 7, 15])("of %i bytes", (length) => {
    const [digest, bits] = [b3(length), length * 8];
    const has = `has a digest of ${length} byte${length === 1 ? "" : "s"}, which --length ${length} accepts`;
    write("a\nb", abc);

    it.each([
      `${digest}  abc`,
      `${digest}  abc\r`,
      `${digest} abc`,
      `${digest}\tabc`,
      `\\${digest}  a\\nb`,
      `BLAKE3 (abc) = ${digest}`,
      `BLAKE2b (abc) = ${b2b(length)}`,
      `\\BLAKE3 (a\\nb) = ${digest}\r`,
    ])("is refused, since nothing states its length: %j", async (form) => {
      for (const flags of ["-c", "-c --ignore-missing", "-c --strict", "-c -a blake3"])
        await run([flags, `! standard input: ${noLines}; line 1 ${has}`, `${form}\n`]);
    });

    const stated = `BLAKE2b-${bits} (abc) = ${b2b(length)}\nBLAKE3-${bits} (abc) = ${digest}`;
    runs([
      ["-c", `abc: OK\n${malformed(1, `line 2 ${has}`)}`, `${line}${digest}  absent\n`],
      ["-c --status", "", `${line}${digest}  abc\n`, 1],
      ["-c", ok(2), stated],
      [`-c -a blake3 -l ${length}`, ok(4), `${digest}  abc\r\n${stated}\nBLAKE3 (abc) = ${digest}`],
      [`-c -a blake2b-${bits}`, ok(1), `${b2b(length)}  abc\n`],
    ]);
  });

  const list = `BLAKE3 (abc) = ${abcBlake3}\n${b3(17)}  abc\n`;
  const other = (length: number) =>
    `abc: OK\n${malformed(1, `line 2 has a digest of 17 bytes, --length is ${length}`)}`;
  runs([
    ["-c -l16", other(16), list],
    ["-c -l 1", other(1), list],
    ["-c -a blake3-128", other(16), list],
  ]);

  it("of a folder is accepted only as a file's", async () => {
    const sum = (await blakesum("--folder -l 7 folder")).stdout;
    await run([
      "-c --folder",
      `! standard input: ${noLines}; line 1 has a digest of 7 bytes, which --length 7 accepts`,
      sum,
    ]);
    await run(["-c --folder -l 7", "folder: OK", sum]);
  });
});
