import { parseArgs } from "node:util";
import { type Algorithm, algorithmList, algorithmNamed, type Hasher, type Options } from "./algorithms.js";
import { fromText, toBytes } from "./byte-strings.js";
import type { LineStyle } from "./checksums.js";
import { isStandardInput } from "./files.js";
import { DEFAULT_ALGORITHM, optionEntries, options } from "./options.js";

const MAX_THREADS = 1024;

/** A command line that asks for something impossible; the message is a byte string. */
export class UsageError extends Error {}

export interface HashCommand {
  action: "hash";
  names: readonly string[];
  algorithm: Algorithm;
  options: Options;
  threads: number | undefined;
  keyed: boolean;
  style: LineStyle;
}

export interface CheckCommand {
  action: "check";
  names: readonly string[];
  algorithm: Algorithm;
  threads: number | undefined;
  report: CheckReport;
}

/** What a check reports, and what it passes over. */
export interface CheckReport {
  ignoreMissing: boolean;
  quiet: boolean;
  status: boolean;
  warn: boolean;
}

export type Command = { action: "help" } | { action: "version" } | HashCommand | CheckCommand;

type Values = ReturnType<typeof readOptions>["values"];

export function parseArguments(args: readonly string[]): Command {
  const { values, positionals } = readOptions(args);
  if (values.help) return { action: "help" };
  if (values.version) return { action: "version" };
  refuseForeign(values);
  const names = positionals.length > 0 ? positionals : ["-"];
  return values.check ? checkCommand(values, names) : hashCommand(values, names);
}

function readOptions(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    // The parser's first sentence says what is wrong; the rest is advice over several lines.
    throw new UsageError((error as Error).message.split(/\.\s|\n/)[0]);
  }
}

function refuseForeign(values: Values): void {
  const action = values.check ? "check" : "hash";
  const foreign = optionEntries.find(([name, { only }]) => Object.hasOwn(values, name) && only && only !== action);
  if (foreign)
    throw new UsageError(`--${foreign[0]} cannot be used ${action === "check" ? "with" : "without"} --check`);
}

function checkCommand(values: Values, names: readonly string[]): CheckCommand {
  return {
    action: "check",
    names,
    algorithm: chosenAlgorithm(values),
    threads: threadCount(values.threads),
    report: {
      ignoreMissing: values["ignore-missing"] ?? false,
      quiet: values.quiet ?? false,
      status: values.status ?? false,
      warn: values.warn ?? false,
    },
  };
}

function hashCommand(values: Values, names: readonly string[]): HashCommand {
  if (values.tag && values.text) throw new UsageError("--tag cannot be used with --text");
  if (values.raw && names.length > 1) throw new UsageError(`--raw takes one FILE, but ${names.length} were given`);
  if (values.keyed && names.some(isStandardInput)) {
    throw new UsageError("--keyed takes the key from standard input, so it needs a FILE other than standard input");
  }
  return {
    action: "hash",
    names,
    algorithm: chosenAlgorithm(values),
    options: digestOptions(values),
    threads: threadCount(values.threads),
    keyed: values.keyed ?? false,
    style: lineStyle(values),
  };
}

function chosenAlgorithm(values: Values): Algorithm {
  const name = values.algorithm ?? DEFAULT_ALGORITHM;
  const algorithm = algorithmNamed(name);
  if (algorithm) return algorithm;
  const known = algorithmList.map((each) => each.algorithm).join(", ");
  throw new UsageError(`--algorithm must be one of ${known}, was "${name}"`);
}

function digestOptions(values: Values): Options {
  const result: Options = {};
  if (values.length !== undefined) result.length = byteCount(values.length);
  if (values["derive-key"] !== undefined) result.context = toBytes(values["derive-key"]);
  return result;
}

function byteCount(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`--length must be a whole number of bytes, was "${text}"`);
}

function threadCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_THREADS) return Number(text);
  throw new UsageError(`--threads must be a whole number from 1 to ${MAX_THREADS}, was "${text}"`);
}

function lineStyle(values: Values): LineStyle {
  return {
    content: values.raw ? "raw" : values["no-names"] ? "digest" : values.tag ? "tagged" : "named",
    marker: values.binary ? "*" : " ",
    zero: values.zero ?? false,
  };
}

/** Makes a hasher, where the algorithm's refusal of the options is an error of the command line. */
export function createHasher(algorithm: Algorithm, options: Options): Hasher {
  try {
    return algorithm.create(options);
  } catch (error) {
    throw new UsageError(fromText((error as Error).message));
  }
}
