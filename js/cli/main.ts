// Which command the options ask for.
import { check } from "./commands/check.js";
import { hash } from "./commands/hash.js";
import { merge, subtree } from "./commands/parts.js";
import { completionsFor } from "./options/completions.js";
import { helpText, manPage, shortHelp } from "./options/help.js";
import { type ParsedOptions, parseOptions } from "./options/parse.js";
import { choice } from "./options/settings.js";
import { optionEntries, options, SHELLS } from "./options/table.js";
import { UsageError } from "./system/errors.js";
import { print } from "./system/output.js";

/** Set by scripts/bundle.mjs. */
declare const PACKAGE_VERSION: string;

export const blakesum = { advice: "Try 'blakesum --help' for more information.", run };

/** Options that print a text and do nothing else. */
const TEXTS: Readonly<Record<string, (parsed: ParsedOptions) => string>> = {
  help: (parsed) => (parsed.isLetter("help") ? shortHelp() : helpText()),
  version: () => `blakesum ${PACKAGE_VERSION}\n`,
  man: () => manPage(PACKAGE_VERSION),
  completions: (parsed) => completionsFor(choice(parsed, "completions", SHELLS) as string),
};

/** Returns true on success. */
async function run(args: readonly string[]): Promise<boolean> {
  const parsed = parseOptions(args, options);
  const text = parsed.first(...Object.keys(TEXTS));
  if (text !== undefined) {
    print((TEXTS[text] as (parsed: ParsedOptions) => string)(parsed));
    return true;
  }
  const checks = parsed.has("check");
  const action = checks ? "check" : "hash";
  const foreign = optionEntries.find(([name, { only }]) => parsed.has(name) && only && only !== action);
  if (foreign) throw new UsageError(`--${foreign[0]} cannot be used ${checks ? "with" : "without"} --check`);
  if (checks) return check(parsed);
  if (parsed.has("subtree")) return subtree(parsed);
  return parsed.has("merge") ? merge(parsed) : hash(parsed);
}
