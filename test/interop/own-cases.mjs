// The command under its own name against the program that does the same: that program's lines, checked without naming any
// algorithm, and its parameters under our options.
export function ownCases(toolbox) {
  const [b2sum, b3sum] = [toolbox("b2sum"), toolbox("b3sum")];
  const names = ["abc", "0", "1000003", "new\nline", "back\\slash", "two  spaces", "(a) = bc"];
  const found = (peer, list) => ({ args: ["-c"], peer, peerArgs: ["-c"], stdin: Buffer.from(list, "latin1") });
  const like = (args, peer, peerArgs, stdin = "abc") => ({ args, peer, peerArgs, stdin });
  return [
    found("b2sum", b2sum(names)),
    found("b2sum", b2sum(["-b", ...names])),
    found("b2sum", b2sum(["--tag", ...names])),
    found("b2sum", b2sum(["-l", "256", ...names])),
    found("b2sum", b2sum(["-l", "128", "--tag", ...names])),
    found("b2sum", b2sum(["-l", "128", ...names])),
    found("b3sum", b3sum(["abc", "0", "new\nline", "two  spaces"])),
    found("b3sum", b3sum(["--tag", "abc", "0", "new\nline"])),
    like(["abc", "1000003", "new\nline"], "b3sum", ["abc", "1000003", "new\nline"]),
    like(["--tag", "-l", "50", "abc"], "b3sum", ["--tag", "-l", "50", "abc"]),
    like(["--seek", "77", "-l", "100000", "abc"], "b3sum", ["--seek", "77", "-l", "100000", "abc"]),
    like(["--num-threads", "2", "--no-mmap", "sparse"], "b3sum", ["sparse"]),
    like(["--keyed", "abc"], "b3sum", ["--keyed", "abc"], "k".repeat(32)),
    like(["--key", "6b".repeat(32), "abc"], "b3sum", ["--keyed", "abc"], "k".repeat(32)),
    like(["--derive-key", "context", "abc"], "b3sum", ["--derive-key", "context", "abc"]),
    like(["-a", "BLAKE2b", "abc"], "b2sum", ["abc"]),
    like(["-a", "blake2b512", "-b", "abc"], "b2sum", ["-b", "abc"]),
    like(["-a", "BLAKE2B-256", "--tag", "abc"], "b2sum", ["-l", "256", "--tag", "abc"]),
    like(["-a", "blake2b", "-l", "16", "-z", "new\nline"], "b2sum", ["-l", "128", "-z", "new\nline"]),
    like(["-a", "blake2b", "-bt", "abc"], "b2sum", ["-bt", "abc"]),
    ...["b", "s"].flatMap((letter) => {
      const flags = [
        "--salt",
        "0011",
        "--personal",
        "22",
        "--fanout",
        "3",
        "--max-depth",
        "4",
        "--max-leaf-length",
        "5",
      ];
      const more = [
        "--node-offset",
        "6",
        "--node-depth",
        "2",
        "--inner-hash-length",
        "8",
        "--last-node",
        "--key",
        "aabb",
      ];
      const own = ["-a", `blake2${letter}`, "--no-names", ...flags, ...more, "-l", "20", "1000003"];
      return [
        like(own, "blake2", [`-${letter}`, ...flags, ...more, "--length", "20", "1000003"]),
        like(["-a", `blake2${letter}p`, "--no-names", "1000003"], "blake2", [`-${letter}p`, "1000003"]),
      ];
    }),
  ];
}
