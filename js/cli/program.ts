// The command itself: what its options ask for.
import { toHex } from "../index.js";
import { type Algorithm, algorithmList, canHaveLength, type Options } from "./algorithms.js";
import { type CheckOptions, checkLists, isColoured, type When } from "./check.js";
import { completionsFor } from "./completions.js";
import { chosenAlgorithm, modeFrom, readKey, recipeFrom, withLength } from "./digest-options.js";
import { naming, UsageError } from "./errors.js";
import { isStandardInput, statusOf } from "./files.js";
import type { MakeRecipe } from "./find-algorithm.js";
import { folderOutcome } from "./folder.js";
import { exclusionOf } from "./glob.js";
import { hashFiles, linePrinter, type Printer, rawPrinter, type Source } from "./hash-files.js";
import { helpText, USAGE } from "./help.js";
import type { RunOptions } from "./job.js";
import { jsonLine, line, named, portable, tagged, zeroLine } from "./line-formats.js";
import { manPage } from "./man.js";
import { optionEntries, options } from "./options.js";
import { print, requireOutput } from "./output.js";
import { type ParsedOptions, parseOptions, wholeNumber } from "./parsed-options.js";
import { Progress, type Total } from "./progress.js";
import { isLong, type Recipe } from "./recipes.js";
import { filesBelow, namesFrom } from "./sources.js";
import { printMerged, printSubtree } from "./subtrees.js";
import { isTerminal } from "./system.js";
import type { WalkOptions } from "./walk.js";

/** Set by scripts/bundle.mjs. */
declare const PACKAGE_VERSION: string;

const MAX_THREADS = 1024n;

export const blakesum = { usage: `${USAGE} (blakesum --help says more)`, prepare };

function refuse(message: string): never {
  throw new UsageError(message);
}

type Action = () => boolean | Promise<boolean>;

/** Parses the arguments. The returned function does the work, and returns true on success. */
function prepare(args: readonly string[]): Action {
  const parsed = parseOptions(args, Object.fromEntries(optionEntries));
  const text = textAsked(parsed);
  if (text !== undefined) {
    return () => {
      print(text);
      return true;
    };
  }
  refuseForeign(parsed);
  const ofParts = parsed.first("subtree", "merge");
  if (ofParts) return partsAction(parsed, ofParts);
  const settings = settingsFrom(parsed);
  return parsed.has("check") ? checkAction(parsed, settings) : hashAction(parsed, settings);
}

function textAsked(parsed: ParsedOptions): string | undefined {
  switch (parsed.first("help", "version", "man", "completions")) {
    case "help":
      return helpText();
    case "version":
      return `blakesum ${PACKAGE_VERSION}\n`;
    case "man":
      return manPage(PACKAGE_VERSION);
    case "completions":
      return completionsFor(choice(parsed, "completions", options.completions.choices) as string);
    default:
      return undefined;
  }
}

const WITH_PARTS = ["keyed", "key", "derive-key"];

/** The action of --subtree or --merge. */
function partsAction(parsed: ParsedOptions, option: string): Action {
  const foreign = optionEntries.find(([name]) => parsed.has(name) && name !== option && !WITH_PARTS.includes(name));
  if (foreign) refuse(`--${option} cannot be used with --${foreign[0]}`);
  const { operands } = parsed;
  const file = operands[option === "merge" ? 1 : 0] ?? "-";
  const { options: mode } = recipeFrom(parsed, keyReader(parsed, [file]));
  const value = parsed.value(option) as string;
  return () => {
    requireOutput();
    return option === "merge" ? printMerged(value, operands, mode) : printSubtree(value, operands, mode);
  };
}

function refuseForeign(parsed: ParsedOptions): void {
  const action = parsed.has("check") ? "check" : "hash";
  const foreign = optionEntries.find(([name, { only }]) => parsed.has(name) && only && only !== action);
  if (foreign) refuse(`--${foreign[0]} cannot be used ${action === "check" ? "with" : "without"} --check`);
}

/** The settings shared by hashing and checking. */
interface Settings {
  readonly threads: number | undefined;
  readonly showsProgress: boolean;
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

/** Reads the key from standard input, which must not be read for anything else. */
function keyReader(parsed: ParsedOptions, names: readonly string[]): () => Uint8Array {
  const lists = parsed.values("files-from");
  return () => {
    if ([...names, ...lists].some(isStandardInput)) {
      refuse("--keyed takes the key from standard input, so it needs a FILE other than standard input");
    }
    return readKey();
  };
}

function hashAction(parsed: ParsedOptions, settings: Settings): Action {
  const { operands } = parsed;
  const lists = parsed.values("files-from");
  if (lists.length > 0 && operands.length > 0) refuse("--files-from names the files, so that no FILE can be given too");
  const names = operands.length > 0 || lists.length > 0 ? operands : ["-"];
  if (parsed.has("raw") && names.length > 1) refuse(`--raw takes one FILE, but ${names.length} were given`);
  if (parsed.has("raw") && parsed.has("json")) refuse("--raw cannot be used with --json");
  const recipe = recipeFrom(parsed, keyReader(parsed, names));
  const printer = printerFrom(parsed, recipe);
  return () => {
    requireOutput();
    const listed = lists.flatMap((list) => naming(list, () => namesFrom(list)));
    return hashSources(sourcesFrom(parsed, [...names, ...listed], recipe, settings), recipe, printer, settings);
  };
}

function sourcesFrom(
  parsed: ParsedOptions,
  names: readonly string[],
  recipe: Recipe,
  { walk }: Settings,
): Iterable<Source> {
  if (!parsed.has("folder")) return parsed.has("recursive") ? filesBelow(names, walk) : names.map((name) => ({ name }));
  return names.map((name) => ({
    name,
    later: (runOptions: RunOptions) => folderOutcome(name, recipe, runOptions, walk),
  }));
}

async function hashSources(
  sources: Iterable<Source>,
  recipe: Recipe,
  printer: Printer,
  { threads, showsProgress }: Settings,
): Promise<boolean> {
  const known = showsProgress ? [...sources] : sources;
  const progress = showsProgress ? Progress.visible(totalOf(known)) : Progress.silent();
  const complete = await hashFiles(known, recipe, printer, { threads, observer: progress });
  progress.end();
  return complete;
}

/** Returns undefined if any of the files has no known size. */
function totalOf(sources: Iterable<Source>): Total | undefined {
  let bytes = 0;
  let files = 0;
  for (const { name } of sources) {
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
  if (parsed.has("raw")) return rawPrinter;
  const end = parsed.has("zero") ? zeroLine : line;
  if (parsed.has("no-names")) return linePrinter(() => ["", parsed.has("zero") ? "\0" : "\n"]);
  const marker = parsed.last("binary", "text") === "binary" ? "*" : " ";
  return linePrinter(portable(end(parsed.has("tag") ? tagged(recipe.algorithm) : named(marker))));
}

function jsonPrinter(recipe: Recipe): Printer {
  if (isLong(recipe)) refuse("--json prints digests of up to 65536 bytes from the output's beginning");
  const { algorithm } = recipe.algorithm;
  return { digest: (name, digest) => print(jsonLine(name, { algorithm, digest: toHex(digest) })) };
}

function checkAction(parsed: ParsedOptions, { threads, showsProgress, walk }: Settings): Action {
  const lists = parsed.operands.length > 0 ? parsed.operands : ["-"];
  const status = parsed.has("status");
  const progress = showsProgress && !status ? Progress.visible(undefined) : Progress.silent();
  const runOptions = { threads, observer: progress };
  const { algorithm } = chosenAlgorithm(parsed) ?? {};
  const checkOptions: CheckOptions = {
    algorithm,
    makeRecipe: recipeMaker(parsed, algorithm, keyReader(parsed, lists)),
    runOptions,
    strictNames: parsed.has("strict-names"),
    folder: parsed.has("folder") ? (path, recipe) => folderOutcome(path, recipe, runOptions, walk) : undefined,
    json: parsed.has("json"),
    colour: isColoured(choice(parsed, "color", WHEN) ?? "auto"),
    ignoreMissing: parsed.has("ignore-missing"),
    quiet: parsed.has("quiet"),
    status,
    warn: parsed.has("warn"),
  };
  return async () => {
    const good = await checkLists(lists, checkOptions);
    progress.end();
    return good;
  };
}

/** Makes recipes from the given options, which must suit the chosen algorithm, or at least one if none is chosen. */
function recipeMaker(parsed: ParsedOptions, chosen: Algorithm | undefined, readKeyOnce: () => Uint8Array): MakeRecipe {
  let key: Uint8Array | undefined;
  const keyFor = (): Uint8Array => {
    key ??= readKeyOnce();
    return key;
  };
  // Options that suit no algorithm are reported before any list is read.
  if (parsed.has("keyed")) keyFor();
  const suits = new Map<Algorithm, Options | undefined>();
  for (const algorithm of algorithmList) suits.set(algorithm, optionsOrNothing(parsed, algorithm, keyFor));
  if (chosen) modeFrom(parsed, chosen, keyFor);
  else if (![...suits.values()].some((each) => each)) modeFrom(parsed, algorithmList.at(-1) as Algorithm, keyFor);
  return (algorithm, length) => {
    const suiting = suits.get(algorithm);
    if (!suiting || !canHaveLength(algorithm, length)) return undefined;
    return { algorithm, options: withLength(algorithm, suiting, length), seek: 0n };
  };
}

function optionsOrNothing(parsed: ParsedOptions, algorithm: Algorithm, key: () => Uint8Array): Options | undefined {
  try {
    return modeFrom(parsed, algorithm, key);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return undefined;
  }
}
