// What both tools need of runs: which mutants are a shard's, what came out of earlier runs, and what it was measured on.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** Every Nth of a list from the Ith on, for a shard I/N. */
export function inShard(list, shard) {
  const [index, count] = shard.split("/").map(Number);
  if (!(index >= 1 && index <= count)) throw new Error(`--shard must be I/N with I from 1 to N, got ${shard}`);
  return list.filter((_, i) => i % count === index - 1);
}

/** The results in a file, one on each line. */
export function readResults(path) {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** The last commit that changed one of these folders. */
export function lastCommitOf(root, folders) {
  const log = ["log", "-1", "--format=%h", "--abbrev=10", "--", ...folders];
  return execFileSync("git", log, { cwd: root, encoding: "utf8" }).trim();
}
