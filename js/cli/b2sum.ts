// The command when called as b2sum: compatible with GNU coreutils, for BLAKE2b.
import { blake2b } from "./algorithms.js";
import { B2SUM_HELP } from "./b2sum-help.js";
import { B2sumLines } from "./b2sum-lines.js";
import { type CheckStyle, checkLists, showVerdict } from "./check.js";
import { GNU, parseOptions, type Refusals } from "./getopt.js";
import { Given, UsageError } from "./given.js";
import { hashFiles } from "./hash-files.js";
import { namedLine, taggedLine, zeroNamedLine, zeroTaggedLine } from "./line-formats.js";
import { plainLinesOf } from "./lines.js";
import { gnuMessages } from "./messages.js";
import { print } from "./output.js";
import type { Program } from "./program.js";
import { Progress } from "./progress.js";
import { plainRecipe, type Recipe } from "./recipes.js";
import { quote, shellQuote } from "./shell-quote.js";
import { codeOf } from "./system.js";

/** Set by scripts/bundle.mjs. */
declare const PACKAGE_VERSION: string;

const TABLE = {
  binary: { short: "b" },
  check: { short: "c" },
  "ignore-missing": {},
  length: { short: "l", value: "BITS" },
  quiet: {},
  status: {},
  strict: {},
  tag: {},
  text: { short: "t" },
  warn: { short: "w" },
  zero: { short: "z" },
  help: {},
  version: {},
} as const;

const TRY = "Try 'b2sum --help' for more information.";

/** Throws a usage error that refers the user to --help. */
function refuse(message: string): never {
  throw new UsageError(`${message}\n${TRY}`);
}

const refusals: Refusals = {
  unknownLong: (argument) => refuse(`unrecognized option '${argument}'`),
  unknownShort: (letter) => refuse(`invalid option -- '${letter}'`),
  missingValue: (_, written) =>
    refuse(
      written.startsWith("--")
        ? `option '${written}' requires an argument`
        : `option requires an argument -- '${written}'`,
    ),
  unexpectedValue: (name) => refuse(`option '--${name}' doesn't allow an argument`),
  ambiguous: (argument, names) =>
    refuse(`option '${argument}' is ambiguous; possibilities: ${names.map((name) => `'--${name}'`).join(" ")}`),
};

export const b2sum: Program = {
  messages: gnuMessages,
  outputStatus: 1,
  prepare,
  misuse(error) {
    gnuMessages.error(error.message);
    return 1;
  },
};

function prepare(args: readonly string[]): () => boolean | Promise<boolean> {
  const { options, operands } = parseOptions(args, TABLE, GNU, refusals);
  const given = new Given(options);
  const bits = given.values("length").map(bitsOf).at(-1) ?? 0;
  const early = given.last("help", "version");
  if (early) return () => say(early === "help" ? B2SUM_HELP : `b2sum (blake-simd) ${PACKAGE_VERSION}\n`);
  const length = given.value("length") ?? "";
  if (bits > MAX_BITS) {
    throw new UsageError(
      `invalid length: ${quote(length)}\nb2sum: maximum digest length for ${quote("BLAKE2b")} is ${MAX_BITS} bits`,
    );
  }
  requireSense(given);
  const names = operands.length > 0 ? operands : ["-"];
  return given.has("check") ? () => check(given, names) : () => hash(given, names, bits || MAX_BITS);
}

function say(text: string): boolean {
  print(text);
  return true;
}

const MAX_BITS = 512;

function bitsOf(text: string): number {
  if (!/^\s*\+?\d+$/.test(text)) throw new UsageError(`invalid length: ${quote(text)}`);
  if (BigInt(text.trim().replace("+", "")) >= 2n ** 64n) {
    throw new UsageError(`invalid length: ${quote(text)}: Value too large for defined data type`);
  }
  const bits = Number(text);
  if (bits % 8 === 0) return bits;
  throw new UsageError(`invalid length: ${quote(text)}\nb2sum: length is not a multiple of 8`);
}

function requireSense(given: Given): void {
  const checks = given.has("check");
  // --tag sets binary mode, so only a --text after it is an error.
  if (given.has("tag") && given.last("tag", "binary", "text") === "text") {
    refuse("--tag does not support --text mode");
  }
  if (checks && given.has("zero")) refuse("the --zero option is not supported when verifying checksums");
  if (checks && given.has("tag")) refuse("the --tag option is meaningless when verifying checksums");
  if (checks && given.first("binary", "text")) {
    refuse("the --binary and --text options are meaningless when verifying checksums");
  }
  const foreign = given.first("ignore-missing", "status", "warn", "quiet", "strict");
  if (foreign && !checks) refuse(`the --${foreign} option is meaningful only when verifying checksums`);
}

function hash(given: Given, names: readonly string[], bits: number): Promise<boolean> {
  const marker = given.last("tag", "binary", "text") === "binary" ? "*" : " ";
  const tagged = given.has("tag");
  const zero = given.has("zero");
  const named = zero ? zeroNamedLine(marker) : namedLine(marker);
  return hashFiles({
    sources: names.map((name) => ({ name })),
    recipe: plainRecipe(blake2b, { length: bits / 8 }),
    format: tagged ? (zero ? zeroTaggedLine(blake2b) : taggedLine(blake2b)) : named,
    messages: gnuMessages,
    runOptions: { threads: undefined, observer: Progress.silent() },
  });
}

function check(given: Given, lists: readonly string[]): Promise<boolean> {
  // The last of these three overrides the others.
  const talk = given.last("quiet", "status", "warn");
  const report = {
    ignoreMissing: given.has("ignore-missing"),
    quiet: talk === "quiet",
    status: talk === "status",
    strict: given.has("strict"),
    warn: talk === "warn",
  };
  const style = checkStyle();
  return checkLists(lists, () => style, report, { threads: undefined, observer: Progress.silent() });
}

function checkStyle(): CheckStyle {
  const lines = new B2sumLines();
  const recipes = new Map<number, Recipe>();
  return {
    messages: gnuMessages,
    linesOf: plainLinesOf,
    titleOf: (list) => shellQuote(list === "-" ? "standard input" : list),
    listError(list, error) {
      if (codeOf(error) === "EISDIR") gnuMessages.error(`${shellQuote(list)}: read error`);
      else gnuMessages.fileError(list, error);
    },
    read(line) {
      const parsed = lines.parse(line);
      if (!parsed) return undefined;
      const { name, digest } = parsed;
      const recipe = recipes.get(digest.length) ?? plainRecipe(blake2b, { length: digest.length });
      recipes.set(digest.length, recipe);
      return { name, digest, job: { name, recipe } };
    },
    show: showVerdict,
    malformed: "improperly formatted BLAKE2b checksum line",
    noLines: (title) => `${title}: no properly formatted checksum lines found`,
    warning: (_, sentence) => `WARNING: ${sentence}`,
  };
}
