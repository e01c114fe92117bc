// Prints the digests of files.

import type { LineFormat } from "./checksum-lines.js";
import { fileErrorOf } from "./errors.js";
import type { FileJob, RunOptions } from "./job-list.js";
import { eachDigest } from "./jobs.js";
import { hexOf, print, printBytes, printFileError } from "./output.js";
import { isLong, lengthOf, outputPieces, type Recipe } from "./recipes.js";

/** Prints the digest of `length` bytes of a file. If it is too long to keep in memory, it comes in several pieces. */
export type Printer = (name: string, pieces: Iterable<Uint8Array>, length: number) => void;

export const printRaw: Printer = (_, pieces) => {
  for (const piece of pieces) printBytes(piece);
};

/** A line is printed once it has more characters than this. */
const PRINTED = 64 * 1024;

export const linePrinter =
  (format: LineFormat): Printer =>
  (name, pieces, length) => {
    let [text, after] = format(name, length);
    for (const piece of pieces) {
      if (text.length > PRINTED) {
        print(text);
        text = "";
      }
      text += hexOf(piece);
    }
    print(text + after);
  };

/** Returns true if every file could be hashed. */
export async function hashFiles(
  jobs: Iterable<FileJob>,
  recipe: Recipe,
  printer: Printer,
  runOptions: RunOptions,
): Promise<boolean> {
  if (isLong(recipe)) return printLong(jobs, recipe, printer, runOptions);
  let complete = true;
  await eachDigest(jobs, runOptions, ({ name }, outcome) => {
    if (outcome instanceof Uint8Array) {
      printer(name, [outcome], outcome.length);
      return;
    }
    complete = false;
    printFileError(name, outcome);
  });
  return complete;
}

/** Prints outputs that are too long to keep in memory, a piece at a time. */
function printLong(jobs: Iterable<FileJob>, recipe: Recipe, printer: Printer, { observer }: RunOptions): boolean {
  let complete = true;
  for (const { name, outcome } of jobs) {
    try {
      if (outcome) throw outcome;
      printer(name, outputPieces(recipe, name, observer), lengthOf(recipe));
    } catch (error) {
      complete = false;
      printFileError(name, fileErrorOf(error));
    }
    observer.onFile();
  }
  return complete;
}
