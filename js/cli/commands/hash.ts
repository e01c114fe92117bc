// Prints the digests of files.

import { isLong, lengthOf, outputPieces, type Recipe } from "../digests/computation.js";
import type { FileJob, Outcome, RunOptions } from "../digests/job-list.js";
import { eachDigest } from "../digests/run.js";
import type { Observer } from "../files/read.js";
import type { LineFormat } from "../lists/checksum-line.js";
import { failureOf } from "../system/errors.js";
import { hexOf, print, printBytes, printFileError, shown } from "../system/output.js";

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
    const [before, after] = format(name, length);
    let text = shown(before);
    for (const piece of pieces) {
      if (text.length > PRINTED) {
        print(text);
        text = "";
      }
      text += hexOf(piece);
    }
    // It ends with the newline or NUL of the line.
    print(text + shown(after.slice(0, -1)) + after.slice(-1));
  };

/** Returns true if every file could be hashed. */
export async function hashFiles(
  jobs: Iterable<FileJob>,
  recipe: Recipe,
  printer: Printer,
  runOptions: RunOptions,
): Promise<boolean> {
  let complete = true;
  const attempt = (name: string, show: () => void): void => {
    try {
      show();
    } catch (error) {
      complete = false;
      printFileError(name, failureOf(error));
    }
  };
  if (isLong(recipe)) {
    for (const job of jobs) {
      attempt(job.name, () => printer(job.name, piecesFor(job, recipe, runOptions.observer), lengthOf(recipe)));
      runOptions.observer.onFile();
    }
  } else {
    await eachDigest(jobs, runOptions, ({ name }, outcome) =>
      attempt(name, () => printer(name, [digestIn(outcome)], lengthOf(recipe))),
    );
  }
  return complete;
}

function digestIn(outcome: Outcome | undefined): Uint8Array {
  if (outcome instanceof Uint8Array) return outcome;
  throw outcome;
}

/** An output that is too long to keep in memory. */
function piecesFor({ name, outcome, pieces }: FileJob, recipe: Recipe, observer: Observer): Iterable<Uint8Array> {
  if (outcome) throw outcome;
  return pieces?.(observer) ?? outputPieces(recipe, name, observer);
}
