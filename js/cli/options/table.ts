// The table of blakesum's options, from which the parser, --help, the man page and the completions are generated.
import { algorithmList } from "../hashing/algorithms.js";
import type { OptionShape } from "./parse.js";

export const DEFAULT_ALGORITHM = "blake3";

type Group = "common" | "names" | "digest" | "output" | "check" | "parts" | "blake2";

export interface OptionSpec extends OptionShape {
  /** Omitted from --help. */
  readonly hidden?: boolean;
  readonly group: Group;
  /** The action that the option is for; undefined if it is for both. */
  readonly only?: "hash" | "check";
  /** The possible values, for completions. */
  readonly choices?: readonly string[];
  /** What shells complete for the value. */
  readonly completes?: "file";
  readonly help: string;
}

export const GROUPS: Readonly<Record<Group, string>> = {
  common: "",
  names: "Files and folders",
  digest: "The digest",
  output: "When printing",
  check: "When checking",
  parts: "Objects hashed in parts (BLAKE3)",
  blake2: "Parameters of BLAKE2",
};

export const WHEN = ["auto", "always", "never"] as const;

export const SHELLS = ["bash", "zsh", "fish"] as const;

export const options: Readonly<Record<string, OptionSpec>> = {
  algorithm: {
    short: "a",
    value: "NAME",
    choices: algorithmList.map(({ algorithm }) => algorithm),
    group: "common",
    help: `the hash function (default ${DEFAULT_ALGORITHM}); in a check without it, it is detected from each list`,
  },
  check: { short: "c", group: "common", help: "read checksums from the FILEs and verify them" },
  threads: { value: "N", group: "common", help: "threads to use at most (default, or 0: one for each core)" },
  "num-threads": { value: "N", group: "common", hidden: true, help: "the same as --threads, as b3sum has it" },
  "no-mmap": { group: "common", hidden: true, help: "ignored, for compatibility with b3sum: no file is ever mapped" },
  progress: {
    value: "WHEN",
    choices: WHEN,
    group: "common",
    help: "show progress after a second: auto, always or never",
  },
  color: { value: "WHEN", choices: WHEN, group: "common", help: "color FAILED: auto, always or never" },
  completions: {
    value: "SHELL",
    choices: SHELLS,
    group: "common",
    help: "print completions for bash, zsh or fish, and exit",
  },
  man: { group: "common", help: "print the man page and exit" },
  help: { short: "h", group: "common", help: "print this help (-h: a short one) and exit" },
  version: { short: "V", group: "common", help: "print the version and exit" },

  recursive: {
    short: "r",
    group: "names",
    only: "hash",
    help: "hash all files of folders, in the order of their names' bytes",
  },
  follow: { short: "L", group: "names", help: "follow symbolic links inside folders" },
  exclude: {
    value: "GLOB",
    group: "names",
    help: "leave out names or paths inside folders that fit GLOB; may be repeated",
  },
  "files-from": {
    value: "FILE",
    completes: "file",
    group: "names",
    only: "hash",
    help: "take names from FILE (-: standard input), a line each, or ended by NUL each",
  },
  folder: { group: "names", help: "print one digest of each folder: names, kinds and contents of all in it" },

  length: {
    short: "l",
    value: "BYTES",
    group: "digest",
    help: "digest length in bytes (b2sum's is in bits); in a check, of lines that do not state it",
  },
  seek: { value: "BYTES", group: "digest", only: "hash", help: "begin so far into the output of blake3" },
  keyed: { group: "digest", help: "keyed hash; the key is all of standard input, raw bytes" },
  key: { value: "HEX", group: "digest", help: "keyed hash; the key in hexadecimal digits (other users may see it)" },
  "derive-key": { value: "CONTEXT", group: "digest", help: "derive a key for CONTEXT from each FILE" },

  tag: { group: "output", only: "hash", help: "print BSD-style lines: BLAKE3 (FILE) = HEX" },
  zero: { short: "z", group: "output", only: "hash", help: "end lines with NUL instead of newline, escape no names" },
  raw: { group: "output", only: "hash", help: "print the bytes of the digest and nothing else; one FILE" },
  "no-names": { group: "output", only: "hash", help: "print the digests without the names" },
  json: { group: "output", help: "print one JSON object a line" },
  binary: {
    short: "b",
    group: "output",
    only: "hash",
    help: "mark names with * as b2sum does; files are read the same",
  },
  text: { short: "t", group: "output", only: "hash", help: "mark names with a space (default)" },

  "ignore-missing": { group: "check", only: "check", help: "skip listed files that do not exist" },
  quiet: { group: "check", only: "check", help: "do not print OK for files that match" },
  status: { group: "check", only: "check", help: "print no results: check the exit status" },
  strict: { group: "check", only: "check", help: "fail on malformed lines: always so, for compatibility with b2sum" },
  "strict-names": { group: "check", only: "check", help: "warn about names that are absolute or lead out with .." },
  warn: { short: "w", group: "check", only: "check", help: "name each malformed line" },

  subtree: {
    value: "OFFSET[+LEN]",
    group: "parts",
    only: "hash",
    help: "print the chaining value of LEN bytes of FILE, or of its rest",
  },
  merge: {
    value: "LENGTH",
    group: "parts",
    only: "hash",
    help: "with operands PART [FILE]: print the digest of LENGTH bytes in parts of PART bytes",
  },

  salt: { value: "HEX", group: "blake2", help: "salt, in hexadecimal digits; BLAKE has one too" },
  personal: { value: "HEX", group: "blake2", help: "personalization, in hexadecimal digits" },
  fanout: { value: "N", group: "blake2", help: "children of a node: 0 (unlimited) to 255" },
  "max-depth": { value: "N", group: "blake2", help: "levels of the tree: 1 to 255" },
  "max-leaf-length": { value: "N", group: "blake2", help: "bytes in a leaf: 0 (unlimited) to 2^32 - 1" },
  "node-offset": { value: "N", group: "blake2", help: "index of the node in its level" },
  "node-depth": { value: "N", group: "blake2", help: "level of the node: 0 to 255" },
  "inner-hash-length": { value: "N", group: "blake2", help: "bytes of inner digests: 0 to 64, blake2s 32" },
  "last-node": { group: "blake2", help: "the node is the last of its level" },
};

type Entry = readonly [name: string, spec: OptionSpec];

export const optionEntries: readonly Entry[] = Object.entries(options);

/** Those that --help lists. */
export const visibleOptions: readonly Entry[] = optionEntries.filter(([, { hidden }]) => !hidden);
