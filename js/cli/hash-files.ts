// Prints the digests of files.
import { toHex } from "../index.js";
import { fileErrorOf } from "./errors.js";
import type { Item, Outcome, RunOptions } from "./job.js";
import { eachDigest } from "./jobs.js";
import type { LineFormat } from "./line-formats.js";
import { printFileError } from "./messages.js";
import { print, printBytes, printHex } from "./output.js";
import { isLong, lengthOf, outputPieces, type Recipe } from "./recipes.js";

/** A file to hash. */
export interface Source {
  readonly name: string;
  /** Computes the digest, if it is not that of a file's bytes. */
  readonly later?: (runOptions: RunOptions) => Promise<Outcome>;
  /** Why it cannot be hashed, if that is already known. */
  readonly error?: unknown;
}

/** Prints digests under the names of files. */
export interface Printer {
  digest(name: string, digest: Uint8Array): void;
  /** Prints an output that is too long to keep in memory. */
  pieces?(name: string, pieces: Iterable<Uint8Array>, length: number): void;
}

export const rawPrinter: Printer = {
  digest: (_, digest) => printBytes(digest),
  pieces(_, pieces) {
    for (const piece of pieces) printBytes(piece);
  },
};

export const linePrinter = (format: LineFormat): Printer => ({
  digest(name, digest) {
    const [before, after] = format(name, digest.length);
    printHex(before, digest, after);
  },
  pieces(name, pieces, length) {
    let [text, after] = format(name, length);
    for (const piece of pieces) {
      print(text + toHex(piece));
      text = "";
    }
    print(text + after);
  },
});

/** Returns true if every file could be hashed. */
export async function hashFiles(
  sources: Iterable<Source>,
  recipe: Recipe,
  printer: Printer,
  runOptions: RunOptions,
): Promise<boolean> {
  if (isLong(recipe)) return printLong(sources, recipe, printer, runOptions);
  let complete = true;
  await eachDigest(itemsOf(sources, recipe, runOptions), runOptions, ({ source }, outcome) => {
    if (outcome instanceof Uint8Array) {
      printer.digest(source.name, outcome);
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

/** Prints outputs that are too long to keep in memory, a piece at a time. */
function printLong(sources: Iterable<Source>, recipe: Recipe, printer: Printer, { observer }: RunOptions): boolean {
  let complete = true;
  for (const { name, error: known } of sources) {
    try {
      if (known !== undefined) throw known;
      printer.pieces?.(name, outputPieces(recipe, name, observer), lengthOf(recipe));
    } catch (error) {
      complete = false;
      printFileError(name, known ?? fileErrorOf(error));
    }
    observer.onFile();
  }
  return complete;
}
