// The command itself: what its options ask for.

import { checkLists, isColoured, type When } from "./commands/check.js";
import { hashFiles, linePrinter, type Printer, printRaw } from "./commands/hash.js";
import { printMerged, printSubtree } from "./commands/parts.js";
import { type Algorithm, canHaveLength, type Options } from "./digests/algorithms.js";
import { isLong, type Recipe } from "./digests/computation.js";
import { folderHasher, folderOutput } from "./digests/folder.js";
import type { FileJob } from "./digests/job-list.js";
import { exclusionOf } from "./files/exclusion.js";
import { isStandardInput, statusOf } from "./files/read.js";
import { filesBelow, type Skipped, type WalkOptions } from "./files/walk.js";
import { jsonLine, line, named, portable, tagged, zeroLine } from "./lists/checksum-line.js";
import { LIKELY, type MakeRecipe } from "./lists/guess.js";
import { namesFrom } from "./lists/lines.js";
import { completionsFor } from "./options/completions.js";
import { chosenAlgorithm, modeFrom, readKey, recipeFrom, withLength } from "./options/digest.js";
import { helpText, manPage, shortHelp } from "./options/help.js";
import { type ParsedOptions, parseOptions, wholeNumber } from "./options/parse.js";
import { optionEntries, options, SHELLS } from "./options/table.js";
import { isTerminal } from "./system/descriptors.js";
import { naming, UsageError } from "./system/errors.js";
import { hexOf, print, printError, requireOutput } from "./system/output.js";
import { noProgress, Progress, type Total } from "./system/progress.js";

/** Set by scripts/bundle.mjs. */
declare const PACKAGE_VERSION: string;

const MAX_THREADS = 1024n;

export const blakesum = { advice: "Try 'blakesum --help' for more information.", run };

function refuse(message: string): never {
  throw new UsageError(message);
}

/** Returns true on success. */
async function run(args: readonly string[]): Promise<boolean> {
  const parsed = parseOptions(args, options);
  const asked = parsed.first(...Object.keys(TEXTS));
  if (asked) {
    print((TEXTS[asked] as (parsed: ParsedOptions) => string)(parsed));
    return true;
  }
  const action = parsed.has("check") ? "check" : "hash";
  const foreign = optionEntries.find(([name, { only }]) => parsed.has(name) && only && only !== action);
  if (foreign) refuse(`--${foreign[0]} cannot be used ${action === "check" ? "with" : "without"} --check`);
  const ofParts = parsed.first("subtree", "merge");
  if (ofParts) return hashParts(parsed, ofParts);
  const settings = settingsFrom(parsed);
  return action === "check" ? check(parsed, settings) : hash(parsed, settings);
}

/** Options that print a text and do nothing else. */
const TEXTS: Readonly<Record<string, (parsed: ParsedOptions) => string>> = {
  help: (parsed) => (parsed.isLetter("help") ? shortHelp() : helpText()),
  version: () => `blakesum ${PACKAGE_VERSION}\n`,
  man: () => manPage(PACKAGE_VERSION),
  completions: (parsed) => completionsFor(choice(parsed, "completions", SHELLS) as string),
};

const WITH_PARTS = ["keyed", "key", "derive-key"];

/** Does what --subtree or --merge asks for. */
function hashParts(parsed: ParsedOptions, option: string): boolean {
  const foreign = optionEntries.find(([name]) => parsed.has(name) && name !== option && !WITH_PARTS.includes(name));
  if (foreign) refuse(`--${option} cannot be used with --${foreign[0]}`);
  const { operands } = parsed;
  const file = operands[option === "merge" ? 1 : 0] ?? "-";
  const { options: mode } = recipeFrom(parsed, keyReader(parsed, [file]));
  const value = parsed.value(option) as string;
  requireOutput();
  return option === "merge" ? printMerged(value, operands, mode) : printSubtree(value, operands, mode);
}

/** The settings shared by hashing and checking. */
interface Settings {
  readonly threads: number | undefined;
  readonly showsProgress: boolean;
  readonly colour: boolean;
  readonly walk: WalkOptions;
}

function settingsFrom(parsed: ParsedOptions): Settings {
  const inside = parsed.first("follow", "exclude");
  if (inside && !parsed.has("recursive") && !parsed.has("folder")) {
    refuse(`--${inside} cannot be used without --recursive or --folder`);
  }
  const progress = choice(parsed, "progress", WHEN) ?? "auto";
  return {
    threads: threadsFrom(parsed),
    showsProgress: progress === "always" || (progress === "auto" && isTerminal(2)),
    colour: isColoured(choice(parsed, "color", WHEN) ?? "auto"),
    walk: { follow: parsed.has("follow"), excluded: exclusionOf(parsed.values("exclude")) },
  };
}

const WHEN: readonly When[] = ["auto", "always", "never"];

function choice<T extends string>(parsed: ParsedOptions, option: string, choices: readonly T[]): T | undefined {
  const value = parsed.value(option);
  const found = choices.find((each) => each === value);
  if (value !== undefined && found === undefined) {
    refuse(`--${option} must be one of ${choices.join(", ")}, was "${value}"`);
  }
  return found;
}

function threadsFrom(parsed: ParsedOptions): number | undefined {
  const option = parsed.last("threads", "num-threads");
  if (option === undefined) return undefined;
  return Number(wholeNumber(`--${option}`, parsed.value(option) as string, 0n, MAX_THREADS)) || undefined;
}

/** Reads the key, once, from standard input, which must not be read for anything else. */
function keyReader(parsed: ParsedOptions, names: readonly string[]): () => Uint8Array {
  const lists = parsed.values("files-from");
  let key: Uint8Array | undefined;
  return () => {
    if ([...names, ...lists].some(isStandardInput)) {
      refuse("--keyed takes the key from standard input, so it needs a FILE other than standard input");
    }
    if (names.some(isKeyInPlaceOfFile)) {
      refuse("--keyed takes the key from standard input, in raw bytes; --key takes it in hexadecimal digits");
    }
    key ??= readKey();
    return key;
  };
}

/** Whether a name is the key itself, which the error for a missing file would repeat. */
const isKeyInPlaceOfFile = (name: string): boolean => /^(?:[0-9a-f]{2}){8,}$/i.test(name) && !statusOf(name);

async function hash(parsed: ParsedOptions, settings: Settings): Promise<boolean> {
  const { operands } = parsed;
  const lists = parsed.values("files-from");
  if (lists.length > 0 && operands.length > 0) refuse("--files-from names the files, so that no FILE can be given too");
  const names = operands.length > 0 || lists.length > 0 ? operands : ["-"];
  if (parsed.has("raw") && names.length > 1) refuse(`--raw takes one FILE, but ${names.length} were given`);
  if (parsed.has("raw") && parsed.has("json")) refuse("--raw cannot be used with --json");
  const recipe = recipeFrom(parsed, keyReader(parsed, names));
  const printer = printerFrom(parsed, recipe);
  requireOutput();
  const listed = lists.flatMap((list) => naming(list, () => namesFrom(list)));
  const { threads, showsProgress, walk } = settings;
  const skipped: Skipped = { link: 0, other: 0 };
  const jobs = jobsFrom(parsed, [...names, ...listed], recipe, walk, skipped);
  const known = showsProgress ? [...jobs] : jobs;
  const progress = showsProgress ? new Progress(totalOf(known)) : noProgress;
  const complete = await hashFiles(known, recipe, printer, { threads, observer: progress });
  progress.end();
  report(skipped);
  return complete;
}

function* jobsFrom(
  parsed: ParsedOptions,
  names: readonly string[],
  recipe: Recipe,
  walk: WalkOptions,
  skipped: Skipped,
): Generator<FileJob, void, undefined> {
  if (parsed.has("folder") && isLong(recipe))
    for (const name of names) yield { name, pieces: folderOutput(name, recipe, walk) };
  else if (parsed.has("folder")) for (const name of names) yield { name, later: folderHasher(name, recipe, walk) };
  else if (!parsed.has("recursive")) for (const name of names) yield { name, recipe };
  else for (const found of filesBelow(names, walk, skipped)) yield found.outcome ? found : { ...found, recipe };
}

/** Says what --recursive has not hashed. */
function report({ link, other }: Skipped): void {
  if (link > 0) printError(`${link} symbolic ${link === 1 ? "link was" : "links were"} skipped; --follow follows them`);
  if (other > 0) {
    printError(
      other === 1 ? "1 pipe, socket or device was skipped" : `${other} pipes, sockets or devices were skipped`,
    );
  }
}

/** Returns undefined if any of the files has no known size. */
function totalOf(jobs: Iterable<FileJob>): Total | undefined {
  let bytes = 0;
  let files = 0;
  for (const { name } of jobs) {
    files++;
    if (isStandardInput(name)) return undefined;
    const status = statusOf(name);
    if (status && !status.isFile() && !status.isDirectory()) return undefined;
    bytes += status?.isFile() ? status.size : 0;
  }
  return { bytes, files };
}

function printerFrom(parsed: ParsedOptions, recipe: Recipe): Printer {
  if (parsed.has("tag") && parsed.last("tag", "binary", "text") === "text")
    refuse("--tag cannot be used with --text after it");
  if (parsed.has("json")) return jsonPrinter(recipe);
  if (parsed.has("raw")) return printRaw;
  const end = parsed.has("zero") ? zeroLine : line;
  if (parsed.has("no-names")) return linePrinter(() => ["", parsed.has("zero") ? "\0" : "\n"]);
  const marker = parsed.last("binary", "text") === "binary" ? "*" : " ";
  return linePrinter(portable(end(parsed.has("tag") ? tagged(recipe.algorithm) : named(marker))));
}

function jsonPrinter(recipe: Recipe): Printer {
  if (isLong(recipe)) refuse("--json prints digests of up to 65536 bytes from the output's beginning");
  const { algorithm } = recipe.algorithm;
  return (name, pieces) => print(jsonLine(name, { algorithm, digest: [...pieces].map(hexOf).join("") }));
}

async function check(parsed: ParsedOptions, { threads, showsProgress, colour, walk }: Settings): Promise<boolean> {
  const lists = parsed.operands.length > 0 ? parsed.operands : ["-"];
  const status = parsed.has("status");
  const progress = showsProgress && !status ? new Progress(undefined) : noProgress;
  const { algorithm } = chosenAlgorithm(parsed) ?? {};
  const good = await checkLists(lists, {
    algorithm,
    makeRecipe: recipeMaker(parsed, algorithm, keyReader(parsed, lists)),
    runOptions: { threads, observer: progress },
    strictNames: parsed.has("strict-names"),
    folders: parsed.has("folder") ? walk : undefined,
    json: parsed.has("json"),
    colour,
    ignoreMissing: parsed.has("ignore-missing"),
    quiet: parsed.has("quiet"),
    status,
    warn: parsed.has("warn"),
  });
  progress.end();
  return good;
}

/** Makes recipes from the given options, which must suit the chosen algorithm, or at least one if none is chosen. */
function recipeMaker(parsed: ParsedOptions, chosen: Algorithm | undefined, key: () => Uint8Array): MakeRecipe {
  const modes = new Map<Algorithm, Options | UsageError>();
  // Each at its first use: a kernel that no line needs may take the memory of one that is needed.
  const modeOf = (algorithm: Algorithm): Options | UsageError => {
    const mode = modes.get(algorithm) ?? modeOrMisuse(parsed, algorithm, key);
    modes.set(algorithm, mode);
    return mode;
  };
  // Options that suit no algorithm are reported before any list is read.
  const suits = (algorithm: Algorithm): boolean => !(modeOf(algorithm) instanceof UsageError);
  const asked = chosen ? [chosen] : LIKELY;
  if (!asked.some(suits)) throw modeOf(asked[0] as Algorithm);
  const recipes = new Map<string, Recipe>();
  return (algorithm, length) => {
    const mode = modeOf(algorithm);
    if (mode instanceof UsageError || !canHaveLength(algorithm, length)) return undefined;
    const name = `${algorithm.algorithm} ${length}`;
    const recipe = recipes.get(name) ?? { algorithm, options: withLength(algorithm, mode, length), seek: 0n };
    recipes.set(name, recipe);
    return recipe;
  };
}

function modeOrMisuse(parsed: ParsedOptions, algorithm: Algorithm, key: () => Uint8Array): Options | UsageError {
  try {
    return modeFrom(parsed, algorithm, key);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}
