// Calls of the command and of the program that does the same: each has the command's arguments, the program's, and the
// standard input of both.

const SHORT = "abc";
const NAMES = ["new\nline", "back\\slash", "\\leading", "two  spaces", "größe 文", "(a) = bc", "*star", "#hash"];

/** @param run runs a program and returns what it prints */
export function peerCases(run) {
  const [b2sum, b3sum] = [(args) => run("b2sum", args), (args) => run("b3sum", args)];
  return [
    ...hashedLikeB2sum(),
    ...hashedLikeB3sum(),
    ...hashedLikeBlake2(),
    ...listsOfB2sum(b2sum),
    ...listsOfB3sum(b3sum),
    ...linesOfB2sum(b2sum),
    ...linesOfB3sum(b3sum),
  ];
}

/** The program's own call, behind the options that choose its algorithm. */
const like =
  (peer, ...chosen) =>
  (args, peerArgs = args, stdin = SHORT) => ({ peer, peerArgs, args: [...chosen, ...args], stdin });

function hashedLikeB2sum() {
  const call = like("b2sum", "-a", "blake2b");
  const sizes = ["abc", "0", "1", "128", "129", "65536", "262145", "1000003"];
  const flags = [["-b"], ["-t"], ["-bt"], ["-tb"], ["-z"], ["-bz"], ["--tag"], ["--tag", "-z"], ["--tag", "-b"]];
  return [
    ...sizes.map((name) => call([name])),
    ...[[], ["-"], ["abc", "-"], ["--", "-dash"], ["./-dash"], ["abc", "nope", "folder", "1"]].map((args) =>
      call(args),
    ),
    ...flags.map((each) => call([...each, "abc", ...NAMES])),
    ...[8, 16, 128, 256, 504, 512].flatMap((bits) =>
      [[], ["--tag"]].map((tag) => call([...tag, "-l", `${bits / 8}`, "abc"], [...tag, "-l", `${bits}`, "abc"])),
    ),
    like("b2sum", "-a", "blake2b512")(["-b", "abc"]),
    like("b2sum", "-a", "BLAKE2B-256")(["--tag", "abc"], ["--tag", "-l", "256", "abc"]),
  ];
}

function hashedLikeB3sum() {
  const call = like("b3sum");
  const key = "k".repeat(32);
  const sizes = ["0", "1", "64", "1024", "1025", "65536", "262144", "262145", "1000003", "sparse"];
  const lengths = ["1", "5", "31", "33", "64", "65", "1000", "65536", "65537", "200001"];
  const seeks = ["1", "31", "32", "63", "64", "65", "65000", "70000", "1000000", "18446744073709551000"];
  return [
    ...sizes.map((name) => call([name])),
    ...lengths.map((length) => call(["-l", length, "abc"])),
    ...seeks.map((seek) => call(["--seek", seek, "abc"])),
    ...[
      [],
      ["-"],
      ["abc", "-", "-"],
      ["--", "-dash"],
      ["./-dash", "./-"],
      ["abc", "nope", "folder", "1"],
      NAMES,
      ["--tag", ...NAMES],
      ["--no-names", "abc", "1"],
      ["--no-names", "--tag", "abc"],
      ["--raw", "abc"],
      ["--raw", "--tag", "--no-names", "abc"],
      ["--raw", "-l", "100000", "abc"],
      ["--length=5", "--tag", "abc"],
      ["--seek=1000", "-l", "100000", "abc", "1"],
      ["--seek=100", "-l", "10", "--raw", "sparse"],
      ["--no-mmap", "abc", "1000003"],
      ["--num-threads", "1", "1000003", "sparse"],
      ["--num-threads=0", "abc"],
      ["--derive-key", "context", "abc", "1000003"],
      ["--derive-key=", "abc"],
      ["--derive-key", "größe", "-l", "80", "abc"],
    ].map((args) => call(args)),
    ...[[], ["-l", "70000"]].map((more) => call(["--keyed", ...more, "abc", "1000003"], undefined, key)),
    call(["--key", "6b".repeat(32), "abc"], ["--keyed", "abc"], key),
  ];
}

/** blake2 prints the bare digest of one file, and takes its length and its algorithm by other names. */
function hashedLikeBlake2() {
  const call = (letters, options, name = "abc") => {
    const peerOptions = options.map((option) => (option === "-l" ? "--length" : option));
    return like(
      "blake2",
      "-a",
      `blake2${letters}`,
      "--no-names",
    )([...options, name], [`-${letters}`, ...peerOptions, name]);
  };
  const variants = ["b", "s", "bp", "sp"].flatMap((letters) => [
    ...["0", "1", "64", "65", "128", "129", "1000003"].map((name) => call(letters, [], name)),
    call(letters, ["-l", "20"]),
    call(letters, ["--key", "000102ff"]),
    call(letters, ["--key", "00".repeat(32)], "1000003"),
  ]);
  const serial = ["b", "s"].flatMap((letter) =>
    [
      ["--salt", "00112233"],
      ["--personal", "0011223344556677"],
      ["--salt", "", "--personal", ""],
      ["--fanout", "0"],
      ["--fanout", "2", "--max-depth", "2", "--max-leaf-length", "4096"],
      ["--node-offset", "1", "--node-depth", "1", "--inner-hash-length", "32", "--last-node"],
      ["--node-offset", "281474976710655"],
      ["--max-depth", "255", "--fanout", "255", "--max-leaf-length", "4294967295"],
      ["--salt", "0011", "--personal", "22", "--fanout", "3", "--last-node", "--key", "aabb", "-l", "20"],
    ].map((options) => call(letter, options)),
  );
  return [...variants, ...serial];
}

/**
 * Lists of several lines under every option that sets how much is printed. Malformed lines fail here without --strict.
 */
function listsOfB2sum(b2sum) {
  const good = b2sum(["abc", "0", "129"]);
  const empty = b2sum(["0"]);
  const lists = [
    good,
    b2sum(["--tag", "abc", "0"]),
    b2sum(["-b", "abc", ...NAMES]),
    b2sum(["-l", "128", "abc", "1"]),
    `${good}nonsense\nmore\n`,
    `${good}${empty.replace("0\n", "nope\n")}`,
    empty.replace("  0", "  nope"),
    `${good}${good.replace(/^../, "00")}${empty.replace("  0", "  folder")}# comment\n\nbad\n`,
    "nothing\nhere\n",
    "",
  ];
  const flags = [[], ["--quiet"], ["--status"], ["--warn"], ["--ignore-missing"]];
  return lists.flatMap((list) =>
    [[], ["-a", "blake2b"]].flatMap((chosen) =>
      flags.map((flag) => checked("b2sum", list, [...chosen, ...flag], flag)),
    ),
  );
}

/** The program's list, which is in its own encoding; b2sum is told to be as strict. */
function checked(peer, list, flags, peerFlags = flags) {
  const strict = peer === "b2sum" ? ["--strict"] : [];
  return {
    peer,
    args: ["-c", ...flags],
    peerArgs: ["-c", ...strict, ...peerFlags],
    stdin: Buffer.from(list, "latin1"),
  };
}

function listsOfB3sum(b3sum) {
  const good = b3sum(["abc", "0", "1000003"]);
  const wrong = good.replace(/^../, "00");
  const lists = [good, b3sum(["--tag", "abc", "0", "1"]), b3sum(["abc", "new\nline"]), `${wrong}${good}`];
  return lists.flatMap((list) => [checked("b3sum", list, []), checked("b3sum", list, ["--quiet"])]);
}

/** One line each, in forms that both accept or both refuse. */
function linesOfB2sum(b2sum) {
  const hex = b2sum(["abc"]).slice(0, 128);
  const short = b2sum(["-l", "8", "abc"]).slice(0, 2);
  const lines = [
    `${hex}  abc\r\n`,
    ` \t${hex}  abc\n`,
    `${hex} abc\n`,
    `${hex}\tabc\n`,
    `\\${hex}  abc\n`,
    ` \\${hex}  abc\n`,
    `BLAKE2b-512 (abc) = ${hex}\n`,
    `BLAKE2b-256 (abc) = ${hex}\n`,
    `BLAKE2b-8 (abc) = ${short}\n`,
    `BLAKE2b(abc)=${hex}\n`,
    `MD5 (abc) = ${hex}\n`,
    `#${hex}  abc\n`,
    `${short}a  abc\n`,
    `${hex}00  abc\n`,
    `${hex} *abc\n`,
    `${hex}\n`,
    `${hex.toUpperCase()}  abc\n`,
    `BLAKE2b (abc) = ${hex}\r\n`,
    `\\BLAKE2b (new\\nline) = ${b2sum(["new\nline"]).slice(1, 129)}\n`,
    `\\${hex}  a\\tb\n`,
    `\\${hex}  a\\\n`,
    `${hex}  -\n`,
    `${hex}  abc`,
    `x${hex}  abc\n`,
    `${hex}  caf\u00e9\n`,
  ];
  return lines.map((line) => checked("b2sum", line, ["-w", "-a", "blake2b"], ["-w"]));
}

function linesOfB3sum(b3sum) {
  const hex = b3sum(["abc"]).slice(0, 64);
  const lines = [
    `${hex}  abc\r\n`,
    `${hex}  abc`,
    `${hex}  \n`,
    `${hex.slice(1)}x  abc\n`,
    `BLAKE3 (abc) = ${hex}\n`,
    `BLAKE3 () = ${hex}\n`,
    `${hex.replace(/^../, "00")}  abc\n${hex}  abc\n`,
  ];
  return lines.map((line) => checked("b3sum", line, ["-a", "blake3"], []));
}
