/** One option of the command line: what util.parseArgs wants to know, and what --help says. */
interface OptionSpec {
  type: "boolean" | "string";
  short?: string;
  /** What the option's value is called in --help. */
  value?: string;
  /** The one action that the option belongs to, where it does not belong to both. */
  only?: "hash" | "check";
  help: string;
}

export const DEFAULT_ALGORITHM = "blake3";

export const options = {
  algorithm: { type: "string", short: "a", value: "NAME", help: `the hash function (default ${DEFAULT_ALGORITHM})` },
  check: { type: "boolean", short: "c", help: "read checksums from the FILEs and verify them" },
  threads: { type: "string", value: "N", help: "threads for large files, blake3 only (default: one for each core)" },
  help: { type: "boolean", short: "h", help: "print this help and exit" },
  version: { type: "boolean", short: "V", help: "print the version and exit" },

  length: {
    type: "string",
    short: "l",
    value: "BYTES",
    only: "hash",
    help: "digest length in bytes (b2sum's is in bits)",
  },
  keyed: { type: "boolean", only: "hash", help: "keyed hash; the key is all of standard input, raw bytes" },
  "derive-key": { type: "string", value: "CONTEXT", only: "hash", help: "derive a key for CONTEXT from each FILE" },
  tag: { type: "boolean", only: "hash", help: "print BSD-style lines: BLAKE3 (FILE) = HEX" },
  zero: { type: "boolean", short: "z", only: "hash", help: "end lines with NUL instead of newline, escape no names" },
  raw: { type: "boolean", only: "hash", help: "print the bytes of the digest and nothing else; one FILE" },
  "no-names": { type: "boolean", only: "hash", help: "print the digests without the names" },
  binary: {
    type: "boolean",
    short: "b",
    only: "hash",
    help: "mark names with * as b2sum does; files are read the same",
  },
  text: { type: "boolean", short: "t", only: "hash", help: "mark names with a space (default)" },

  "ignore-missing": { type: "boolean", only: "check", help: "pass over listed files that do not exist" },
  quiet: { type: "boolean", only: "check", help: "do not print OK for files that match" },
  status: { type: "boolean", only: "check", help: "print no results: the exit status tells" },
  strict: { type: "boolean", only: "check", help: "fail on malformed lines: always so, accepted for b2sum's sake" },
  warn: { type: "boolean", short: "w", only: "check", help: "name each malformed line" },
} as const satisfies Record<string, OptionSpec>;

export const optionEntries: readonly (readonly [string, OptionSpec])[] = Object.entries(options);
