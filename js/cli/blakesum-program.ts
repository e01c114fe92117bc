// The command when called as blakesum.
import { toHex } from "../index.js";
import { type Algorithm, algorithmList, limitsOf, type Options } from "./algorithms.js";
import { BlakesumCheck, type CheckOptions, type Said } from "./blakesum-check.js";
import { checkLists } from "./check.js";
import { type Colours, coloursFor, type When } from "./colours.js";
import { completionsFor } from "./completions.js";
import { chosenAlgorithm, modeFrom, recipeFrom } from "./digest-options.js";
import { fileErrorOf, reasonOf } from "./file-error.js";
import { isStandardInput, statusOf } from "./files.js";
import type { MakeRecipe } from "./find-algorithm.js";
import { folderOutcome } from "./folder.js";
import { GNU, parseOptions, type Refusals } from "./getopt.js";
import { Given, UsageError } from "./given.js";
import { exclusionOf } from "./glob.js";
import { type HashTask, hashFiles, type Source } from "./hash-files.js";
import { helpText, USAGE } from "./help.js";
import { wholeNumber } from "./hex-values.js";
import { jsonLine, jsonName } from "./json-lines.js";
import { KEY_LIMIT, readKey } from "./keys.js";
import { bareLine, type LineFormat, namedLine, taggedLine, zeroNamedLine, zeroTaggedLine } from "./line-formats.js";
import { manPage } from "./man.js";
import { blakesumMessages as messages } from "./messages.js";
import { optionEntries, options } from "./options.js";
import { print, requireOutput } from "./output.js";
import { ownProgram } from "./own-program.js";
import { Progress, type Total } from "./progress.js";
import { isLong, type Recipe } from "./recipes.js";
import { filesBelow, namesFrom } from "./sources.js";
import { printMerged, printSubtree } from "./subtrees.js";
import { isTerminal } from "./system.js";
import type { WalkOptions } from "./walk.js";

/** Set by scripts/bundle.mjs. */
declare const PACKAGE_VERSION: string;

const MAX_THREADS = 1024n;

export const blakesum = ownProgram(`${USAGE} (blakesum --help says more)`, prepare);

function refuse(message: string): never {
  throw new UsageError(message);
}

const refusals: Refusals = {
  unknownLong: (argument) => refuse(`there is no option ${argument}`),
  unknownShort: (letter, argument) => refuse(`there is no option -${letter}, in ${argument}`),
  missingValue: (name) => refuse(`--${name} needs a value`),
  unexpectedValue: (name, value) => refuse(`--${name} takes no value, was given "${value}"`),
  ambiguous: (argument, names) => refuse(`${argument} may be ${names.map((name) => `--${name}`).join(" or ")}`),
};

type Action = () => boolean | Promise<boolean>;

function prepare(args: readonly string[]): Action {
  const { options: list, operands } = parseOptions(args, Object.fromEntries(optionEntries), GNU, refusals);
  const given = new Given(list);
  const text = textAsked(given);
  if (text !== undefined) {
    return () => {
      print(text);
      return true;
    };
  }
  refuseForeign(given);
  const ofParts = given.first("subtree", "merge");
  if (ofParts) return partsAction(given, ofParts, operands);
  const settings = settingsFrom(given);
  return given.has("check") ? checkAction(given, operands, settings) : hashAction(given, operands, settings);
}

function textAsked(given: Given): string | undefined {
  switch (given.first("help", "version", "man", "completions")) {
    case "help":
      return helpText();
    case "version":
      return `blakesum ${PACKAGE_VERSION}\n`;
    case "man":
      return manPage(PACKAGE_VERSION);
    case "completions":
      return completionsFor(choice(given, "completions", options.completions.choices) as string);
    default:
      return undefined;
  }
}

const WITH_PARTS = ["keyed", "key", "derive-key"];

/** The action of --subtree or --merge. */
function partsAction(given: Given, option: string, operands: readonly string[]): Action {
  const foreign = optionEntries.find(([name]) => given.has(name) && name !== option && !WITH_PARTS.includes(name));
  if (foreign) refuse(`--${option} cannot be used with --${foreign[0]}`);
  const file = operands[option === "merge" ? 1 : 0] ?? "-";
  const { options: mode } = recipeFrom(given, keyReader(given, [file]));
  const value = given.value(option) as string;
  return async () => {
    requireOutput();
    return option === "merge" ? printMerged(value, operands, mode) : printSubtree(value, operands, mode);
  };
}

function refuseForeign(given: Given): void {
  const action = given.has("check") ? "check" : "hash";
  const foreign = optionEntries.find(([name, { only }]) => given.has(name) && only && only !== action);
  if (foreign) refuse(`--${foreign[0]} cannot be used ${action === "check" ? "with" : "without"} --check`);
}

/** The settings shared by hashing and checking. */
interface Settings {
  readonly threads: number | undefined;
  readonly progress: When;
  readonly colours: Colours;
  readonly walk: WalkOptions;
}

function settingsFrom(given: Given): Settings {
  const inside = given.first("follow", "exclude");
  if (inside && !given.has("recursive") && !given.has("folder")) {
    refuse(`--${inside} cannot be used without --recursive or --folder`);
  }
  return {
    threads: threadsFrom(given),
    progress: choice(given, "progress", WHEN) ?? "auto",
    colours: coloursFor(choice(given, "color", WHEN) ?? "auto"),
    walk: { follow: given.has("follow"), excluded: exclusionOf(given.values("exclude")) },
  };
}

const WHEN: readonly When[] = ["auto", "always", "never"];

function choice<T extends string>(given: Given, option: string, choices: readonly T[]): T | undefined {
  const value = given.value(option);
  const found = choices.find((each) => each === value);
  if (value !== undefined && found === undefined) {
    refuse(`--${option} must be one of ${choices.join(", ")}, was "${value}"`);
  }
  return found;
}

function threadsFrom(given: Given): number | undefined {
  const option = given.last("threads", "num-threads");
  if (option === undefined) return undefined;
  return Number(wholeNumber(option, given.value(option) as string, 0n, MAX_THREADS)) || undefined;
}

/** Reads the key from standard input, which must not be read for anything else. */
function keyReader(given: Given, names: readonly string[]): () => Uint8Array {
  const lists = given.values("files-from");
  return () => {
    if ([...names, ...lists].some(isStandardInput)) {
      refuse("--keyed takes the key from standard input, so it needs a FILE other than standard input");
    }
    try {
      return readKey(KEY_LIMIT);
    } catch (error) {
      throw new Error(`standard input: ${reasonOf(error)}`);
    }
  };
}

function hashAction(given: Given, operands: readonly string[], settings: Settings): Action {
  const lists = given.values("files-from");
  if (lists.length > 0 && operands.length > 0) refuse("--files-from names the files, so that no FILE can be given too");
  const names = operands.length > 0 || lists.length > 0 ? operands : ["-"];
  if (given.has("raw") && names.length > 1) refuse(`--raw takes one FILE, but ${names.length} were given`);
  if (given.has("raw") && given.has("json")) refuse("--raw cannot be used with --json");
  const recipe = recipeFrom(given, keyReader(given, names));
  const format = formatFrom(given, recipe);
  return () => {
    requireOutput();
    const all = lists.length > 0 ? namesIn(lists) : names;
    return all ? hashSources(sourcesFrom(given, all, recipe, settings), recipe, format, settings) : false;
  };
}

/** Returns undefined after the error of a list that cannot be read. */
function namesIn(lists: readonly string[]): string[] | undefined {
  let names: string[] = [];
  for (const list of lists) {
    try {
      names = names.concat(namesFrom(list));
    } catch (error) {
      messages.fileError(list, fileErrorOf(error));
      return undefined;
    }
  }
  return names;
}

function sourcesFrom(given: Given, names: readonly string[], recipe: Recipe, settings: Settings): Iterable<Source> {
  if (given.has("folder")) return names.map((name) => folderSource(name, recipe, settings));
  return given.has("recursive") ? filesBelow(names, settings.walk) : names.map((name) => ({ name }));
}

type Format = HashTask["format"];

async function hashSources(sources: Iterable<Source>, recipe: Recipe, format: Format, settings: Settings) {
  const shows = showsProgress(settings);
  const known = shows ? [...sources] : sources;
  const progress = shows ? Progress.visible(totalOf(known)) : Progress.silent();
  const runOptions = { threads: settings.threads, observer: progress };
  const complete = await hashFiles({ sources: known, recipe, format, messages, runOptions });
  progress.end();
  return complete;
}

const showsProgress = ({ progress }: Settings): boolean =>
  progress === "always" || (progress === "auto" && isTerminal(2));

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

function folderSource(name: string, recipe: Recipe, { walk }: Settings): Source {
  return { name, later: (runOptions) => folderOutcome(name, recipe, runOptions, walk) };
}

function formatFrom(given: Given, recipe: Recipe): Format {
  const { algorithm } = recipe;
  const marker = given.last("binary", "text") === "binary" ? "*" : " ";
  const zero = given.has("zero");
  if (given.has("tag") && given.last("tag", "binary", "text") === "text")
    refuse("--tag cannot be used with --text after it");
  if (given.has("json")) return { print: jsonPrinter(recipe) };
  if (given.has("raw")) return "raw";
  if (given.has("no-names")) return bareLine(zero ? "\0" : "\n");
  if (given.has("tag")) return portable(zero ? zeroTaggedLine(algorithm) : taggedLine(algorithm));
  return portable(zero ? zeroNamedLine(marker) : namedLine(marker));
}

/** Writes names with "/" on Windows, as b3sum does, so that lists can be checked on other systems. */
const portable = (format: LineFormat): LineFormat =>
  process.platform === "win32" ? (name, length) => format(name.replaceAll("\\", "/"), length) : format;

function jsonPrinter(recipe: Recipe): (name: string, digest: Uint8Array) => void {
  if (isLong(recipe)) refuse("--json prints digests of up to 65536 bytes from the output's beginning");
  const { algorithm } = recipe.algorithm;
  return (name, digest) => print(jsonLine({ ...jsonName(name), algorithm, digest: toHex(digest) }));
}

function checkAction(given: Given, operands: readonly string[], settings: Settings): Action {
  const lists = operands.length > 0 ? operands : ["-"];
  const progress = showsProgress(settings) && !given.has("status") ? Progress.visible(undefined) : Progress.silent();
  const runOptions = { threads: settings.threads, observer: progress };
  const { algorithm } = chosenAlgorithm(given) ?? {};
  const { walk } = settings;
  const checkOptions: CheckOptions = {
    algorithm,
    makeRecipe: recipeMaker(given, algorithm, keyReader(given, lists)),
    observer: progress,
    strictNames: given.has("strict-names"),
    folder: given.has("folder") ? (path, recipe) => folderOutcome(path, recipe, runOptions, walk) : undefined,
    json: given.has("json"),
    colours: settings.colours,
  };
  return async () => {
    const said: Said = { hint: false };
    const good = await checkLists(lists, () => new BlakesumCheck(checkOptions, said), reportFrom(given), runOptions);
    progress.end();
    return good;
  };
}

const reportFrom = (given: Given) => ({
  ignoreMissing: given.has("ignore-missing"),
  quiet: given.has("quiet"),
  status: given.has("status"),
  strict: true,
  warn: given.has("warn"),
});

/** Makes recipes from the given options, which must suit the chosen algorithm, or at least one if none is chosen. */
function recipeMaker(given: Given, chosen: Algorithm | undefined, readKeyOnce: () => Uint8Array): MakeRecipe {
  let key: Uint8Array | undefined;
  const keyFor = (): Uint8Array => {
    key ??= readKeyOnce();
    return key;
  };
  // Options that suit no algorithm are reported before any list is read.
  if (given.has("keyed")) keyFor();
  const suits = new Map<Algorithm, Options | undefined>();
  for (const algorithm of algorithmList) suits.set(algorithm, optionsOrNothing(given, algorithm, keyFor));
  if (chosen) modeFrom(given, chosen, keyFor);
  else if (![...suits.values()].some((each) => each)) modeFrom(given, algorithmList.at(-1) as Algorithm, keyFor);
  return (algorithm, length) => {
    const suiting = suits.get(algorithm);
    const [least, most] = limitsOf(algorithm).length;
    if (!suiting || length < least || length > most) return undefined;
    const own = length === algorithm.digestLength && least === most;
    return { algorithm, options: own ? suiting : { ...suiting, length }, seek: 0n };
  };
}

function optionsOrNothing(given: Given, algorithm: Algorithm, key: () => Uint8Array): Options | undefined {
  try {
    return modeFrom(given, algorithm, key);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return undefined;
  }
}
