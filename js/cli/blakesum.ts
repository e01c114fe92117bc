#!/usr/bin/env node
// The command: which action the arguments ask for, and its exit status.
import { bao } from "./commands/bao.js";
import { check } from "./commands/check.js";
import { hash } from "./commands/hash.js";
import { merge, subtree } from "./commands/parts.js";
import { completionsFor } from "./options/completions.js";
import { helpText, manPage, shortHelp } from "./options/help.js";
import { type ParsedOptions, parseOptions } from "./options/parse.js";
import { choice } from "./options/settings.js";
import { optionEntries, options, SHELLS } from "./options/table.js";
import { fromText } from "./system/byte-strings.js";
import { FileFailure, OutputError, reasonOf, UsageError } from "./system/errors.js";
import { flush, isBrokenPipe, print, printError, printFileError, writeErrorLine } from "./system/output.js";

/** Set by scripts/bundle.mjs. */
declare const PACKAGE_VERSION: string;

const MISUSE = 2;

/** Options that print a text and do nothing else. */
const TEXTS: Readonly<Record<string, (parsed: ParsedOptions) => string>> = {
  help: (parsed) => (parsed.isLetter("help") ? shortHelp() : helpText()),
  version: () => `blakesum ${PACKAGE_VERSION}\n`,
  man: () => manPage(PACKAGE_VERSION),
  completions: (parsed) => completionsFor(choice(parsed, "completions", SHELLS) as string),
};

/** Does what the options ask for; returns true on success. */
async function blakesum(args: readonly string[]): Promise<boolean> {
  const parsed = parseOptions(args, options);
  const text = parsed.anyOf(...Object.keys(TEXTS));
  if (text !== undefined) {
    print((TEXTS[text] as (parsed: ParsedOptions) => string)(parsed));
    return true;
  }
  const checks = parsed.has("check");
  const action = checks ? "check" : "hash";
  const unusable = optionEntries.find(([name, { only }]) => parsed.has(name) && only && only !== action);
  if (unusable) throw new UsageError(`--${unusable[0]} cannot be used ${checks ? "with" : "without"} --check`);
  if (checks) return check(parsed);
  if (parsed.has("subtree")) return subtree(parsed);
  return parsed.has("merge") ? merge(parsed) : hash(parsed);
}

/** Runs the command with arguments as byte strings; returns the exit status. */
async function run(args: readonly string[]): Promise<number> {
  const isBao = args[0] === "bao";
  try {
    const good = await (isBao ? bao(args.slice(1)) : blakesum(args));
    flush();
    return good ? 0 : 1;
  } catch (error) {
    return explain(error, isBao ? "blakesum bao" : "blakesum");
  }
}

function explain(error: unknown, command: string): number {
  if (error instanceof UsageError) {
    printError(error.message);
    writeErrorLine(`Try '${command} --help' for more information.`);
    return MISUSE;
  }
  if (error instanceof FileFailure) printFileError(error.file, error.cause);
  else if (!(error instanceof OutputError)) printError(reasonOf(error));
  else if (!isBrokenPipe(error)) printError(`standard output: ${reasonOf(error.cause)}`);
  return 1;
}

run(process.argv.slice(2).map(fromText)).then((status) => {
  process.exitCode = status;
});
