// The command when called as b3sum: compatible with b3sum 1.8.
import { blake3, type Options } from "./algorithms.js";
import { checkB3sumLists } from "./b3sum-check.js";
import { B3SUM_HELP } from "./b3sum-help.js";
import { toBytes } from "./byte-strings.js";
import { type ClapLine, type ClapProgram, fail, refuse, unsigned } from "./clap.js";
import type { Given } from "./given.js";
import { hashFiles, type Source } from "./hash-files.js";
import type { RunOptions } from "./job.js";
import { readKey } from "./keys.js";
import { bareLine, inUtf8, type LineFormat, namedLine, taggedLine } from "./line-formats.js";
import { rustMessages } from "./messages.js";
import { Progress } from "./progress.js";
import { rustProgram } from "./rust-program.js";

const PROGRAM: ClapProgram = {
  usage: "Usage: b3sum [OPTIONS] [FILE]...",
  options: {
    keyed: {},
    "derive-key": { value: "<CONTEXT>", conflicts: ["keyed"] },
    length: { short: "l", value: "<LEN>" },
    seek: { value: "<SEEK>" },
    "num-threads": { value: "<NUM>" },
    "no-mmap": {},
    "no-names": {},
    raw: {},
    tag: {},
    check: { short: "c", conflicts: ["derive-key", "keyed", "length", "raw", "tag", "no-names"] },
    quiet: { requires: "check" },
  },
};

const KEY_LENGTH = 32;

const messages = rustMessages("b3sum");

export const b3sum = rustProgram({ messages, syntax: PROGRAM, help: B3SUM_HELP, version: "b3sum 1.8", prepare });

function prepare({ given, operands }: ClapLine): () => boolean | Promise<boolean> {
  const length = unsigned(PROGRAM, given, "length", 64);
  const seek = unsigned(PROGRAM, given, "seek", 64) ?? 0n;
  const runOptions = { threads: threadsOf(given), observer: Progress.silent() };
  if (given.has("keyed") && operands.length === 0) {
    refuse("the following required arguments were not provided:\n  <FILE>...", PROGRAM.usage);
  }
  const names = operands.length > 0 ? operands : ["-"];
  if (given.has("raw") && names.length > 1) fail("Error: Only one filename can be provided when using --raw");
  if (given.has("check")) return () => checkB3sumLists(names, given.has("quiet"), runOptions, messages);
  return () => hash(given, names, length, seek, runOptions);
}

function threadsOf(given: Given): number | undefined {
  const threads = Number(unsigned(PROGRAM, given, "num-threads", 64) ?? 0n);
  // As b3sum does, which uses one thread to read files that are not memory-mapped.
  if (given.has("no-mmap")) return 1;
  return threads === 0 ? undefined : Math.min(threads, 1024);
}

function hash(
  given: Given,
  names: readonly string[],
  length: bigint | undefined,
  seek: bigint,
  runOptions: RunOptions,
): Promise<boolean> {
  const options: Options = modeOf(given);
  if (length !== undefined) options.length = Number(length);
  return hashFiles({
    sources: names.map((name) => sourceOf(name, given.has("keyed"))),
    recipe: { algorithm: blake3, options, seek },
    format: formatOf(given),
    messages,
    runOptions,
  });
}

function sourceOf(name: string, keyed: boolean): Source {
  return keyed && name === "-" ? { name, error: new Error("Cannot open `-` in keyed mode") } : { name };
}

function modeOf(given: Given): Options {
  const context = given.value("derive-key");
  if (context !== undefined) return { context: toBytes(context) };
  if (!given.has("keyed")) return {};
  const key = readKey(KEY_LENGTH);
  if (key.length > KEY_LENGTH) fail(`Error: read more than ${KEY_LENGTH} key bytes from stdin`);
  if (key.length < KEY_LENGTH) fail(`Error: expected ${KEY_LENGTH} key bytes from stdin, found ${key.length}`);
  return { key };
}

function formatOf(given: Given): LineFormat | "raw" {
  if (given.has("raw")) return "raw";
  if (given.has("no-names")) return bareLine("\n");
  return inUtf8(given.has("tag") ? taggedLine(blake3) : namedLine(" "));
}
