// BLAKE3 of a large file on several threads.
import { type BigIntStats, statSync } from "node:fs";
import type { Blake3Pool } from "../parallel.js";
import { blake3 } from "./algorithms.js";
import { pathOf, toBytes } from "./byte-strings.js";
import { CHANGED, FileError, fileErrorOf } from "./file-error.js";
import { type Observer, requireSame } from "./files.js";
import type { Job, Outcome } from "./job.js";
import { isLong, type Recipe, wholeOptions } from "./recipes.js";
import { codeOf } from "./system.js";

/** From so many bytes on several threads gain more than their start takes: on two cores 256 MiB take 0.22 s, not 0.26. */
const LARGE = 128 * 1024 * 1024;

/** Ends a reading: the file is for the pool. */
export class LargeFile extends Error {}

/** Whether the pool computes by this recipe. */
export const isForPool = (recipe: Recipe): boolean => recipe.algorithm === blake3 && !isLong(recipe);

export const isLarge = (status: { isFile(): boolean; size: bigint | number }): boolean =>
  status.isFile() && status.size >= LARGE;

/** An observer that ends the reading of a large file with a LargeFile. */
export const stoppingAtLarge = (observer: Observer): Observer => ({
  onLong(status) {
    observer.onLong(status);
    if (status && isLarge(status)) throw new LargeFile();
  },
  onBytes: (count) => observer.onBytes(count),
});

let pool: Blake3Pool | undefined;

// Imported when it is needed: most calls of the command hash small files and are over.
async function poolOf(threads: number): Promise<Blake3Pool> {
  const { Blake3Pool } = await import("../parallel.js");
  pool ??= new Blake3Pool({ threads, callingThread: true });
  return pool;
}

export async function digestLarge({ name, recipe }: Job, threads: number, observer: Observer): Promise<Outcome> {
  const statusOf = (): BigIntStats => statSync(pathOf(name), { bigint: true });
  let read = 0;
  const onProgress = (bytes: number): void => {
    observer.onBytes(bytes - read);
    read = bytes;
  };
  try {
    const before = statusOf();
    const several = await poolOf(threads);
    const digest = await several.hash({ path: toBytes(name) }, { ...wholeOptions(recipe), onProgress });
    requireSame(before, statusOf());
    return digest.subarray(Number(recipe.seek));
  } catch (error) {
    return fileErrorOf(error instanceof RangeError || codeOf(error) !== undefined ? error : new FileError(CHANGED));
  }
}
