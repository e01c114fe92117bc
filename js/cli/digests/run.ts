// Digests of many files in order, computed on this thread, with worker threads, or for a large file by Blake3Pool.

import { availableParallelism } from "node:os";
import { types } from "node:util";
import { Blake3Pool } from "../../parallel.js";
import { isStandardInput, type Observer, requireSame, statusNow, statusOf } from "../files/read.js";
import { toBytes } from "../system/byte-strings.js";
import { failureOf } from "../system/errors.js";
import { FileDigests, type Outcome, poolSizeOf, type Recipe, wholeOptions } from "./computation.js";
import { type JobList, Workers } from "./worker.js";

/** A file to hash, or anything else whose outcome is reported in order. */
export interface FileJob {
  readonly name: string;
  /** How the file is hashed; undefined if it is not. */
  readonly recipe?: Recipe | undefined;
  /** The outcome if it is known, or what computes it when its turn comes. */
  readonly outcome?: Outcome | ((runOptions: RunOptions) => Promise<Outcome>) | undefined;
  /** The next job may take long to arrive: finish all jobs up to this one first. */
  readonly last?: boolean;
}

/** The options for running jobs. */
export interface RunOptions {
  /** The most threads to use; by default one per core. */
  readonly threads: number | undefined;
  readonly observer: Observer;
}

/** Jobs in a window: with this thread alone, and with workers. */
const WINDOW = 512;
const SHARED_WINDOW = 4096;

/** The number of small files, or of bytes, above which starting another thread pays off. */
const MANY_FILES = 16384;
const MANY_BYTES = 24 * 1024 * 1024;
/** The number of files per window whose sizes are sampled to estimate its bytes. */
const SAMPLE = 8;

type Use<T> = (job: T, outcome: Outcome | undefined) => void;

/** Calls `use` for every job, in order. */
export async function eachDigest<T extends FileJob>(
  jobs: Iterable<T>,
  runOptions: RunOptions,
  use: Use<T>,
): Promise<void> {
  const runner = new JobRunner(runOptions);
  let window: T[] = [];
  try {
    for (const job of jobs) {
      window.push(job);
      if (window.length < runner.window && !job.last) continue;
      await runner.run(window, use);
      window = [];
    }
    await runner.run(window, use);
  } finally {
    runner.end();
  }
}

/** Runs jobs, alone or with workers. */
class JobRunner {
  readonly #runOptions: RunOptions;
  readonly #threads: number;
  readonly #digests: FileDigests;
  #workers: Workers | undefined;
  #seen = 0;

  constructor(runOptions: RunOptions) {
    const { observer, threads = availableParallelism() } = runOptions;
    this.#runOptions = runOptions;
    this.#threads = threads;
    this.#digests = new FileDigests(observer, threads > 1 ? poolSizeOf : () => Number.POSITIVE_INFINITY);
  }

  /** The number of jobs that it takes at a time. */
  get window(): number {
    return this.#workers ? SHARED_WINDOW : WINDOW;
  }

  async run<T extends FileJob>(jobs: readonly T[], use: Use<T>): Promise<void> {
    if (!this.#workers && this.#threads > 1 && (this.#seen >= MANY_FILES || bytesIn(jobs) >= MANY_BYTES)) {
      this.#workers = new Workers(this.#threads - 1);
    }
    this.#seen += jobs.length;
    const list = this.#workers?.submit(jobs);
    for (const [i, job] of jobs.entries()) {
      const pending = this.#outcome(job, list, i);
      // To await each would take longer than to hash a short file.
      const outcome = pending && "then" in pending ? await pending : pending;
      if (outcome !== job.outcome) this.#runOptions.observer.onFile();
      use(job, outcome);
    }
  }

  /** @param list the jobs that workers share, of which this is number `i` */
  #outcome(
    { name, recipe, outcome }: FileJob,
    list: JobList | undefined,
    i: number,
  ): Outcome | undefined | Promise<Outcome> {
    if (!recipe) return typeof outcome === "function" ? outcome(this.#runOptions) : outcome;
    if (!list) return this.#digest(name, recipe);
    while (list.isOpen(i) && list.runNext(this.#digests)) {}
    const after = this.#workers?.finish(list, i, this.#runOptions.observer);
    const known = (): Outcome | Promise<Outcome> => list.outcome(i) ?? this.#digest(name, recipe);
    return after ? after.then(known) : known();
  }

  #digest(name: string, recipe: Recipe): Outcome | Promise<Outcome> {
    return this.#digests.digest(name, recipe) ?? this.#digestLarge(name, recipe);
  }

  async #digestLarge(name: string, recipe: Recipe): Promise<Outcome> {
    let read = 0;
    const onProgress = (bytes: number): void => {
      this.#runOptions.observer.onBytes(bytes - read);
      read = bytes;
    };
    try {
      const before = statusNow(name);
      pool ??= new Blake3Pool({ threads: this.#threads, callingThread: true });
      const options = { ...wholeOptions(recipe), onProgress };
      const outcome = await pool.hash({ path: toBytes(name) }, options).catch(failureOf);
      // First, since a change may be the reason of the pool's error.
      requireSame(before, statusNow(name));
      return types.isUint8Array(outcome) ? outcome.subarray(Number(recipe.seek)) : outcome;
    } catch (error) {
      return failureOf(error);
    }
  }

  end(): void {
    this.#workers?.end();
  }
}

let pool: Blake3Pool | undefined;

/** Estimates the bytes that workers would hash; 0 for a single file. */
function bytesIn(jobs: readonly FileJob[]): number {
  const step = Math.max(1, Math.floor(jobs.length / SAMPLE));
  let bytes = 0;
  let files = 0;
  for (let i = 0; i < jobs.length; i += step) {
    const size = sizeOf(jobs[i] as FileJob);
    if (size > 0) files++;
    bytes += size * step;
  }
  return files > 1 ? bytes : 0;
}

/** 0 for large files, which Blake3Pool hashes, and files of unknown size. */
function sizeOf({ name, recipe }: FileJob): number {
  if (!recipe || isStandardInput(name)) return 0;
  const status = statusOf(name);
  return status?.isFile() && status.size < poolSizeOf(recipe) ? status.size : 0;
}
