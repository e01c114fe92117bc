// Digests of many files in order: by the calling thread alone or, if there is enough to hash, by the threads of a pool.

import { availableParallelism } from "node:os";
import { types } from "node:util";
import { Blake3Pool } from "../../parallel.js";
import { isStandardInput, type Observer, requireSame, statusNow, statusOf } from "../files/read.js";
import { toBytes } from "../system/byte-strings.js";
import { failureOf } from "../system/errors.js";
import { FileDigests, type Outcome, poolSizeOf, type Recipe, wholeOptions } from "./computation.js";
import { FilesTask } from "./files-task.js";

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

/** Jobs in a window: with this thread alone, and with a pool. */
const WINDOW = 512;
const SHARED_WINDOW = 4096;
/** The bytes of digests after which a window ends. */
const MOST_DIGESTS = 64 * 1024 * 1024;

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
  let digests = 0;
  for (const job of jobs) {
    window.push(job);
    digests += job.recipe?.length ?? 0;
    if (window.length < runner.window && digests < MOST_DIGESTS && !job.last) continue;
    await runner.run(window, use);
    window = [];
    digests = 0;
  }
  await runner.run(window, use);
}

/** Runs jobs, alone or with a pool. */
class JobRunner {
  readonly #runOptions: RunOptions;
  readonly #threads: number;
  readonly #digests: FileDigests;
  #shares = false;
  #seen = 0;

  constructor(runOptions: RunOptions) {
    const { observer, threads = availableParallelism() } = runOptions;
    this.#runOptions = runOptions;
    this.#threads = threads;
    this.#digests = new FileDigests(observer, threads > 1 ? poolSizeOf : () => Number.POSITIVE_INFINITY);
  }

  /** The number of jobs that it takes at a time. */
  get window(): number {
    return this.#shares ? SHARED_WINDOW : WINDOW;
  }

  async run<T extends FileJob>(jobs: readonly T[], use: Use<T>): Promise<void> {
    this.#shares ||= this.#threads > 1 && (this.#seen >= MANY_FILES || bytesIn(jobs) >= MANY_BYTES);
    this.#seen += jobs.length;
    const task = this.#shares ? new FilesTask(jobs, this.#runOptions.observer, this.#threads) : undefined;
    const shared = task && poolOf(this.#threads).run(task);
    try {
      for (const [i, job] of jobs.entries()) {
        const pending = this.#outcome(job, task?.outcome(i));
        // To await each would take longer than to hash a short file.
        const outcome = pending && "then" in pending ? await pending : pending;
        if (outcome !== job.outcome) this.#runOptions.observer.onFile();
        use(job, outcome);
      }
    } finally {
      task?.abort();
      await shared;
    }
  }

  /** @param shared what threads have made of a file, if they have */
  #outcome(
    job: FileJob,
    shared: Outcome | undefined | Promise<Outcome | undefined>,
  ): Outcome | undefined | Promise<Outcome | undefined> {
    if (shared && "then" in shared) return shared.then((outcome) => this.#outcome(job, outcome));
    const { name, recipe, outcome } = job;
    if (!recipe) return typeof outcome === "function" ? outcome(this.#runOptions) : outcome;
    return shared ?? this.#digests.digest(name, recipe) ?? this.#digestLarge(name, recipe);
  }

  async #digestLarge(name: string, recipe: Recipe): Promise<Outcome> {
    let read = 0;
    const onProgress = (bytes: number): void => {
      this.#runOptions.observer.onBytes(bytes - read);
      read = bytes;
    };
    try {
      const before = statusNow(name);
      const options = { ...wholeOptions(recipe), onProgress };
      const outcome = await poolOf(this.#threads)
        .hash({ path: toBytes(name) }, options)
        .catch(failureOf);
      // First, since a change may be the reason of the pool's error.
      requireSame(before, statusNow(name));
      return types.isUint8Array(outcome) ? outcome.subarray(Number(recipe.seek)) : outcome;
    } catch (error) {
      return failureOf(error);
    }
  }
}

let pool: Blake3Pool | undefined;

/** Returns the command's only pool, of which this thread is one. */
function poolOf(threads: number): Blake3Pool {
  pool ??= new Blake3Pool({ threads, callingThread: true });
  return pool;
}

/** Ends the command's threads. */
export const endThreads = (): Promise<void> | undefined => pool?.close();

/** Estimates the bytes that threads would hash; 0 for a single file. */
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

/** 0 for large files, which the pool hashes in parts, and files of unknown size. */
function sizeOf({ name, recipe }: FileJob): number {
  if (!recipe || isStandardInput(name)) return 0;
  const status = statusOf(name);
  return status?.isFile() && status.size < poolSizeOf(recipe) ? status.size : 0;
}
