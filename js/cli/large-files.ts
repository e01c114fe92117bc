// BLAKE3 of a large file on several threads.
import { type BigIntStats, statSync } from "node:fs";
import { Blake3Pool } from "../parallel.js";
import { blake3 } from "./algorithms.js";
import { pathOf, toBytes } from "./byte-strings.js";
import { CHANGED, FileError, fileErrorOf } from "./errors.js";
import { type Observer, requireSame } from "./files.js";
import type { Job, Outcome } from "./job.js";
import { isLong, type Recipe, wholeOptions } from "./recipes.js";
import { codeOf } from "./system.js";

/** Size in bytes from which several threads gain more time than they take to start. */
const LARGE = 128 * 1024 * 1024;

/** Stops a read because Blake3Pool should hash the file. */
export class LargeFile extends Error {}

/** Whether Blake3Pool can compute this recipe. */
export const isForPool = (recipe: Recipe): boolean => recipe.algorithm === blake3 && !isLong(recipe);

export const isLarge = (status: { isFile(): boolean; size: bigint | number }): boolean =>
  status.isFile() && status.size >= LARGE;

/** An observer that stops the read of a large file by throwing a LargeFile. */
export const stoppingAtLarge = (observer: Observer): Observer => ({
  onLong(status) {
    observer.onLong(status);
    if (status && isLarge(status)) throw new LargeFile();
  },
  onBytes: (count) => observer.onBytes(count),
});

let pool: Blake3Pool | undefined;

export async function digestLarge({ name, recipe }: Job, threads: number, observer: Observer): Promise<Outcome> {
  const statusOf = (): BigIntStats => statSync(pathOf(name), { bigint: true });
  let read = 0;
  const onProgress = (bytes: number): void => {
    observer.onBytes(bytes - read);
    read = bytes;
  };
  try {
    const before = statusOf();
    pool ??= new Blake3Pool({ threads, callingThread: true });
    const digest = await pool.hash({ path: toBytes(name) }, { ...wholeOptions(recipe), onProgress });
    requireSame(before, statusOf());
    return digest.subarray(Number(recipe.seek));
  } catch (error) {
    return fileErrorOf(error instanceof RangeError || codeOf(error) !== undefined ? error : new FileError(CHANGED));
  }
}
