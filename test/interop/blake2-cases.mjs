// What is typed at blake2 of the crate blake2_bin, good and bad.
export function blake2Cases() {
  const variants = [[], ["-b"], ["-s"], ["-p"], ["-sp"], ["-b", "-p"]];
  const names = ["0", "1", "64", "65", "128", "129", "1000003"];
  const many = variants.flatMap((flags) => [
    [...flags, "abc"],
    [...flags, ...names],
    [...flags, "--length", "20", "abc"],
    [...flags, "--key", "000102ff", "abc"],
    [...flags, "--key", "00".repeat(32), "1000003"],
    [...flags],
  ]);
  const serial = [[], ["-s"]].flatMap((flags) => [
    [...flags, "--salt", "00112233", "abc"],
    [...flags, "--personal", "0011223344556677", "abc"],
    [...flags, "--salt", "", "--personal", "", "abc"],
    [...flags, "--fanout", "0", "abc"],
    [...flags, "--fanout", "2", "--max-depth", "2", "--max-leaf-length", "4096", "abc"],
    [...flags, "--node-offset", "1", "--node-depth", "1", "--inner-hash-length", "32", "--last-node", "abc"],
    [...flags, "--node-offset", "281474976710655", "abc"],
    [...flags, "--max-depth", "255", "--fanout", "255", "--max-leaf-length", "4294967295", "abc"],
    [...flags, "--last-node", "abc", "1"],
  ]);
  const odd = [
    ["abc", "nope", "folder"],
    ["nope"],
    ["-"],
    ["--", "-dash"],
    ["new\nline", "back\\slash"],
    ["größe 文", "abc"],
    ["--mmap", "abc"],
    ["--mmap"],
    ["--key", "", "abc"],
    ["-bs", "abc"],
    ["--length", "0", "abc"],
    ["--length", "65", "abc"],
    ["-s", "--length", "33", "abc"],
    ["--length", "x", "abc"],
    ["--length"],
    ["--key", "zz", "abc"],
    ["--key", "0", "abc"],
    ["--key", "00".repeat(65), "abc"],
    ["--salt", "00".repeat(17), "abc"],
    ["--salt", "00", "-p", "abc"],
    ["--personal", "00", "-p", "abc"],
    ["--fanout", "1", "-p", "abc"],
    ["--last-node", "-p", "abc"],
    ["--fanout", "256", "abc"],
    ["--node-depth", "256", "abc"],
    ["--max-leaf-length", "4294967296", "abc"],
    ["--node-offset", "18446744073709551615", "abc"],
    ["--node-offset", "18446744073709551616", "abc"],
    ["-s", "--node-offset", "281474976710656", "abc"],
    ["--inner-hash-length", "65", "abc"],
    ["--bogus"],
    ["-x"],
    ["-b", "-b", "abc"],
    ["--b", "abc"],
  ];
  return [...many, ...serial, ...odd].map((args) => ({ args, stdin: "some input" }));
}
