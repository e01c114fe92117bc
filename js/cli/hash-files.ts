// Prints the digests of files.
import { toHex } from "../index.js";
import { fileErrorOf } from "./file-error.js";
import type { Item, Outcome, RunOptions } from "./job.js";
import { eachDigest } from "./jobs.js";
import type { LineFormat } from "./line-formats.js";
import { printFileError } from "./messages.js";
import { print, printBytes, printHex } from "./output.js";
import { isLong, outputPieces, type Recipe } from "./recipes.js";

/** A file to hash. */
export interface Source {
  /** The name to print. */
  readonly name: string;
  /** Computes the digest, if it is not that of a file's bytes. */
  readonly later?: (runOptions: RunOptions) => Promise<Outcome>;
  /** Why it cannot be hashed, if that is already known. */
  readonly error?: unknown;
}

/** Prints a digest under a file's name. */
export type PrintDigest = (name: string, digest: Uint8Array) => void;

export interface HashTask {
  readonly sources: Iterable<Source>;
  readonly recipe: Recipe;
  readonly format: LineFormat | "raw" | PrintDigests;
  readonly runOptions: RunOptions;
}

/** A custom format, for digests short enough to keep in memory. */
export interface PrintDigests {
  print: PrintDigest;
}

/** Returns true if every file could be hashed. */
export async function hashFiles(task: HashTask): Promise<boolean> {
  const { sources, recipe, format, runOptions } = task;
  if (isLong(recipe) && (format === "raw" || typeof format === "function")) return printLong(task);
  const printDigest = typeof format === "object" ? format.print : printerFor(format);
  let complete = true;
  await eachDigest(itemsOf(sources, recipe, runOptions), runOptions, ({ source }, outcome) => {
    if (outcome instanceof Uint8Array) {
      printDigest(source.name, outcome);
      return;
    }
    complete = false;
    printFileError(source.name, outcome ?? source.error);
  });
  return complete;
}

type SourceItem = Item & { readonly source: Source };

function* itemsOf(
  sources: Iterable<Source>,
  recipe: Recipe,
  runOptions: RunOptions,
): Generator<SourceItem, void, undefined> {
  for (const source of sources) {
    const { name, later, error } = source;
    if (error !== undefined) yield { source };
    else if (later) yield { source, later: () => later(runOptions) };
    else yield { source, job: { name, recipe } };
  }
}

function printerFor(format: LineFormat | "raw"): PrintDigest {
  if (format === "raw") return (_, digest) => printBytes(digest);
  return (name, digest) => {
    const [before, after] = format(name, digest.length);
    printHex(before, digest, after);
  };
}

/** Prints outputs that are too long to keep in memory, a piece at a time. */
function printLong({ sources, recipe, format, runOptions }: HashTask): boolean {
  let complete = true;
  for (const { name, error: known } of sources) {
    try {
      if (known !== undefined) throw known;
      const pieces = outputPieces(recipe, name, runOptions.observer);
      if (format === "raw") for (const piece of pieces) printBytes(piece);
      else printPieces(pieces, (format as LineFormat)(name, recipe.options.length ?? 0));
    } catch (error) {
      complete = false;
      printFileError(name, known ?? fileErrorOf(error));
    }
    runOptions.observer.onFile();
  }
  return complete;
}

function printPieces(pieces: Iterable<Uint8Array>, [before, after]: readonly [string, string]): void {
  let text = before;
  for (const piece of pieces) {
    print(text + toHex(piece));
    text = "";
  }
  print(text + after);
}
