// `blakesum FILE...`: prints digests.
import { toHex } from "../../index.js";
import { isStandardInput, statusIfAny } from "../files/read.js";
import { type Found, filesBelow, type Skipped } from "../files/walk.js";
import { isExtendable } from "../hashing/algorithms.js";
import { FileHasher } from "../hashing/file-hasher.js";
import { folderOutput } from "../hashing/folder.js";
import { isLong, type Recipe } from "../hashing/recipe.js";
import { aroundDigest, jsonLine, type LineStyle, tagOf } from "../lists/checksum-line.js";
import { namesFrom } from "../lists/lines.js";
import type { ParsedOptions } from "../options/parse.js";
import { keyReader, recipeFrom } from "../options/recipe.js";
import { settingsFrom } from "../options/settings.js";
import { codeOf, rethrowFatal, runFor, UsageError } from "../system/errors.js";
import { forTerminal, print, printBytes, printError, printFileError } from "../system/output.js";
import { Progress, type Total } from "../system/progress.js";

/** Prints the digest of a file. If it is too long to keep in memory, it comes in several pieces. */
type Printer = (name: string, pieces: Iterable<Uint8Array>) => void;

export async function hash(parsed: ParsedOptions): Promise<boolean> {
  const { threads, showsProgress, walk } = settingsFrom(parsed);
  const names = namesIn(parsed);
  const recipe = recipeFrom(parsed, keyReader(parsed, names));
  const printer = printerFrom(parsed, recipe);
  const lists = parsed.values("files-from");
  const listed = lists.flatMap((list) => runFor(list, () => namesFrom(list)));
  if ((parsed.has("keyed") || lists.some(isStandardInput)) && listed.some(isStandardInput))
    throw new UsageError("--keyed and --files-from - read standard input, so that no name in a list can be it");
  const skipped: Skipped = { link: 0, other: 0 };
  const folders = parsed.has("folder");
  const all = [...names, ...listed];
  const found: Iterable<Found> =
    parsed.has("recursive") && !folders ? filesBelow(all, walk, skipped) : all.map((name) => ({ name }));
  // Read twice: first for the total.
  const files = showsProgress ? [...found] : found;
  const progress = new Progress(showsProgress, showsProgress && !folders ? totalOf(files) : undefined);
  const hasher = new FileHasher(progress, threads);
  let complete = true;
  for (const { name, error } of files) {
    try {
      if (error) throw error;
      printer(name, folders ? await folderOutput(name, recipe, walk, hasher) : await hasher.output(name, recipe));
    } catch (error) {
      rethrowFatal(error);
      complete = false;
      const isFolder = codeOf(error) === "EISDIR" && !isStandardInput(name);
      printFileError(name, error, isFolder ? "; -r hashes its files" : "");
    }
  }
  progress.end();
  report(skipped);
  walk.excluded.report();
  return complete;
}

/** The operands, which may be none if there are lists of names. */
function namesIn(parsed: ParsedOptions): readonly string[] {
  const { operands } = parsed;
  const hasLists = parsed.has("files-from");
  if (hasLists && operands.length > 0)
    throw new UsageError("--files-from names the files, so that no FILE can be given too");
  const names = operands.length > 0 || hasLists ? operands : ["-"];
  if (parsed.has("raw") && names.length > 1)
    throw new UsageError(`--raw takes one FILE, but ${names.length} were given`);
  if (parsed.has("raw") && parsed.has("json")) throw new UsageError("--raw cannot be used with --json");
  return names;
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
function totalOf(found: Iterable<Found>): Total | undefined {
  let bytes = 0;
  let files = 0;
  for (const { name } of found) {
    files++;
    if (isStandardInput(name)) return undefined;
    const status = statusIfAny(name);
    if (status && !status.isFile() && !status.isDirectory()) return undefined;
    bytes += status?.isFile() ? status.size : 0;
  }
  return { bytes, files };
}

function printerFrom(parsed: ParsedOptions, recipe: Recipe): Printer {
  if (parsed.has("tag") && parsed.last("tag", "binary", "text") === "text")
    throw new UsageError("--tag cannot be used with --text after it");
  if (parsed.has("json")) return jsonPrinter(recipe);
  if (parsed.has("raw")) return printRaw;
  return linePrinter({
    tag: parsed.has("tag") ? tagOf(recipe) : undefined,
    marker: parsed.last("binary", "text") === "binary" ? "*" : " ",
    hasName: !parsed.has("no-names"),
    end: parsed.has("zero") ? "\0" : "\n",
  });
}

function jsonPrinter(recipe: Recipe): Printer {
  if (isLong(recipe)) throw new UsageError("--json prints digests of up to 65536 bytes");
  const { algorithm, options } = recipe;
  const length = isExtendable(algorithm) ? options.length : undefined;
  return (name, pieces) => {
    const digest = Array.from(pieces, (piece) => toHex(piece)).join("");
    print(jsonLine(name, { algorithm: algorithm.algorithm, length, digest }));
  };
}

const printRaw: Printer = (_, pieces) => {
  for (const piece of pieces) printBytes(piece);
};

const linePrinter =
  (style: LineStyle): Printer =>
  (name, pieces) => {
    const [before, after] = aroundDigest(name, style);
    print(forTerminal(before));
    for (const piece of pieces) print(toHex(piece));
    print(forTerminal(after) + style.end);
  };
