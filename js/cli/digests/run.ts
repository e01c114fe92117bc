// Digests of many files in order, computed on this thread, on several threads, or for a large file by Blake3Pool.
import { availableParallelism } from "node:os";
import { Blake3Pool } from "../../parallel.js";
import { isStandardInput, type Observer, requireSame, statusNow, statusOf } from "../files/read.js";
import { toBytes } from "../system/byte-strings.js";
import { failureOf } from "../system/errors.js";
import { Calculators, poolSizeOf, type Recipe, wholeOptions } from "./computation.js";
import type { FileJob, JobList, Outcome, RunOptions } from "./job-list.js";
import { Workers } from "./worker.js";

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
    if (window.length > 0) await runner.run(window, use);
  } finally {
    runner.end();
  }
}

/** Runs jobs, alone or with workers. */
class JobRunner {
  readonly #runOptions: RunOptions;
  readonly #observer: Observer;
  readonly #threads: number;
  readonly #calculators: Calculators;
  #workers: Workers | undefined;
  #seen = 0;

  constructor(runOptions: RunOptions) {
    const { observer, threads = availableParallelism() } = runOptions;
    this.#runOptions = runOptions;
    this.#observer = observer;
    this.#threads = threads;
    this.#calculators = new Calculators(observer, threads > 1 ? poolSizeOf : () => Number.POSITIVE_INFINITY);
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
      const pending = job.recipe ? this.#outcome(jobs, i, list) : job.later?.(this.#runOptions);
      const outcome = pending instanceof Promise ? await pending : pending;
      if (pending) this.#observer.onFile();
      use(job, outcome ?? job.outcome);
    }
  }

  /** Runs a job, or jobs of a list until its outcome is known. */
  #outcome(jobs: readonly FileJob[], i: number, list: JobList | undefined): Outcome | Promise<Outcome> {
    const job = jobs[i] as FileJob;
    const workers = this.#workers;
    if (!list || !workers) return this.#digest(job);
    while (list.isOpen(i)) {
      const next = list.take();
      // Another thread has it; if that thread fails, this one runs the job.
      if (next === undefined) return workers.settle(this.#observer).then(() => list.outcome(i) ?? this.#digest(job));
      const { name, recipe } = jobs[next] as FileJob;
      list.put(next, this.#calculators.digest(name, recipe as Recipe));
    }
    workers.report(this.#observer);
    return list.outcome(i) ?? this.#digest(job);
  }

  #digest({ name, recipe }: FileJob): Outcome | Promise<Outcome> {
    return this.#calculators.digest(name, recipe as Recipe) ?? this.#digestLarge(name, recipe as Recipe);
  }

  async #digestLarge(name: string, recipe: Recipe): Promise<Outcome> {
    let read = 0;
    const onProgress = (bytes: number): void => {
      this.#observer.onBytes(bytes - read);
      read = bytes;
    };
    try {
      const before = statusNow(name);
      pool ??= new Blake3Pool({ threads: this.#threads, callingThread: true });
      const options = { ...wholeOptions(recipe), onProgress };
      const outcome = await pool.hash({ path: toBytes(name) }, options).catch(failureOf);
      // First, since a change may be the reason of the pool's error.
      requireSame(before, statusNow(name));
      return outcome instanceof Uint8Array ? outcome.subarray(Number(recipe.seek)) : outcome;
    } catch (error) {
      return failureOf(error);
    }
  }

  end(): void {
    this.#calculators.dispose();
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
