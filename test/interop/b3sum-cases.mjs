// What is typed at b3sum, good and bad. Its own errors carry backtraces, and clap's usage lines vary with what was given, so
// that standard error is compared only when a case says so.
const same = (each) => ({ ...each, messages: "same" });

/** @param b3sum runs the real program and returns what it prints */
export function b3sumCases(b3sum) {
  const key = "k".repeat(32);
  const hashed = [
    ...["0", "1", "64", "1024", "1025", "65536", "262144", "262145", "1000003", "sparse"].map((name) => [name]),
    ["abc", "nope", "folder", "1"],
    ["--tag", "abc", "1"],
    ["--no-names", "abc", "1"],
    ["--no-names", "--tag", "abc"],
    ["--raw", "abc"],
    ["--raw", "--tag", "--no-names", "abc"],
    ["--raw", "-l", "100000", "abc"],
    ...["0", "1", "5", "31", "33", "64", "65", "1000", "65536", "65537", "200001"].map((length) => [
      "-l",
      length,
      "abc",
    ]),
    ["--length=5", "--tag", "abc"],
    ["-l5", "abc"],
    ["-l=5", "abc"],
    ["-l", "+5", "abc"],
    ...["1", "31", "32", "63", "64", "65", "65000", "70000", "1000000", "18446744073709551000"].map((seek) => [
      "--seek",
      seek,
      "abc",
    ]),
    ["--seek=1000", "-l", "100000", "abc", "1"],
    ["--seek=100", "-l", "10", "--raw", "sparse"],
    ["--no-mmap", "abc", "1000003"],
    ["--num-threads", "1", "1000003", "sparse"],
    ["--num-threads", "2", "sparse"],
    ["--num-threads=0", "abc"],
    ["--derive-key", "context", "abc", "1000003"],
    ["--derive-key=", "abc"],
    ["--derive-key", "größe", "-l", "80", "abc"],
    ["new\nline", "back\\slash", "\\leading", "two  spaces", "größe 文", "(a) = bc", "*star", "#hash"],
    ["--tag", "new\nline", "back\\slash", "\\leading", "(a) = bc"],
    ["--", "-dash"],
    ["./-dash", "./-"],
    [],
    ["-"],
    ["abc", "-", "-"],
    ["nope", "é", "no pe", "n'"],
    ["folder"],
    ["abc/def"],
    ["-c", "abc"],
    ["-c", "0"],
  ].map((args) => same({ args, stdin: "abc" }));
  const refused = [
    ["--bogus"],
    ["-x"],
    ["--ta", "abc"],
    ["-l"],
    ["-l", "x", "abc"],
    ["-l", "", "abc"],
    ["-l", "-5", "abc"],
    ["-l", "18446744073709551616", "abc"],
    ["--seek", "18446744073709551616", "abc"],
    ["--num-threads", "x", "abc"],
    ["--tag", "--tag", "abc"],
    ["-l", "5", "-l", "6", "abc"],
    ["--tag=3", "abc"],
    ["--tag", "-c", "abc"],
    ["--raw", "-c", "abc"],
    ["--no-names", "-c", "abc"],
    ["--keyed", "-c", "abc"],
    ["--derive-key", "x", "-c", "abc"],
    ["-cl", "5", "abc"],
    ["--quiet", "abc"],
    ["--keyed"],
    ["--keyed", "--derive-key", "x", "abc"],
    ["--derive-key"],
    ["--raw", "abc", "abc"],
    ["-c", "nope"],
    ["-c", "folder"],
  ].map((args) => ({ args, stdin: key }));
  const keyed = [
    { args: ["--keyed", "abc", "1000003"], stdin: key },
    { args: ["--keyed", "abc", "-"], stdin: key },
    { args: ["--keyed", "-l", "70000", "abc"], stdin: key },
    { args: ["--keyed", "abc"], stdin: "" },
    { args: ["--keyed", "abc"], stdin: key.slice(1) },
    { args: ["--keyed", "abc"], stdin: `${key}k` },
  ];
  return [...hashed, ...refused, ...keyed, ...checks(b3sum)];
}

function checks(b3sum) {
  const good = b3sum(["abc", "0", "1000003"]);
  const hex = good.slice(0, 64);
  const lists = [
    good,
    b3sum(["--tag", "abc", "0", "1"]),
    b3sum(["new\nline", "back\\slash", "\\leading", "(a) = bc"]),
    b3sum(["--tag", "new\nline", "(a) = bc"]),
    b3sum(["--tag", "two  spaces"]),
    `${good}nonsense\n`,
    `${good}\n${good}`,
    `${hex}  nope\n${hex}  folder\n`,
    `${hex.replace(/^../, "00")}  abc\n${hex}  abc\n`,
    `${hex.toUpperCase()}  abc\n`,
    `${hex.slice(2)}  abc\n`,
    `${hex}00  abc\n`,
    `${hex.slice(1)}x  abc\n`,
    `${hex} abc\n`,
    `${hex} *abc\n`,
    `${hex}  \n`,
    `${hex}  abc\r\n`,
    `${hex}  abc\r\r\n`,
    `${hex}  abc`,
    `\\${hex}  a\\tb\n`,
    `\\${hex}  a\\\n`,
    `\\${hex}  abc\n`,
    `${hex}  a\0bc\n`,
    `${hex}  caf\u00ef\u00bf\u00bd\n`,
    `${hex}  caf\u00e9\n${hex}  abc\n`,
    `# ${hex}  abc\n`,
    `BLAKE3 (abc) = ${hex}\n`,
    `BLAKE3 (abc) =  ${hex}\n`,
    `BLAKE3(abc)= ${hex}\n`,
    `BLAKE3 () = ${hex}\n`,
    ` ${hex}  abc\n`,
    "",
    "\\\n",
  ].map((text) => Buffer.from(text, "latin1"));
  return lists.flatMap((stdin) => [
    { args: ["-c"], stdin },
    { args: ["--check", "--quiet", "-"], stdin },
  ]);
}
