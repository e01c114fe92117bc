// Digests of many files in order, computed on this thread, on several threads, or for a large file by Blake3Pool.
import { availableParallelism } from "node:os";
import { type FileError, fileErrorOf } from "./errors.js";
import { isStandardInput, type Observer, statusOf } from "./files.js";
import type { Item, Job, JobObserver, Outcome, RunOptions } from "./job.js";
import type { JobList } from "./job-list.js";
import { digestLarge, isForPool, isLarge, LargeFile, stoppingAtLarge } from "./large-files.js";
import { Calculator, type Recipe } from "./recipes.js";
import { Workers } from "./workers.js";

/** Items in a window: with this thread alone, and with workers. */
const WINDOW = 512;
const SHARED_WINDOW = 4096;

/** The number of small files, or of bytes, above which starting another thread pays off. */
const MANY_FILES = 16384;
const MANY_BYTES = 24 * 1024 * 1024;
/** The number of files per window whose sizes are sampled to estimate its bytes. */
const SAMPLE = 8;

type Use<T> = (item: T, outcome: Outcome | undefined) => void;

/** Calls `use` for every item, in order. */
export async function eachDigest<T extends Item>(
  items: Iterable<T>,
  runOptions: RunOptions,
  use: Use<T>,
): Promise<void> {
  const runner = new JobRunner(runOptions);
  let window: T[] = [];
  try {
    for (const item of items) {
      window.push(item);
      if (window.length < runner.window && !item.last) continue;
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
  readonly #observer: JobObserver;
  readonly #stopping: Observer;
  readonly #threads: number;
  readonly #calculators = new Map<Recipe, Calculator>();
  #workers: Workers | undefined;
  #seen = 0;

  constructor({ observer, threads = availableParallelism() }: RunOptions) {
    this.#observer = observer;
    this.#stopping = stoppingAtLarge(observer);
    this.#threads = threads;
  }

  /** The number of items that it takes at a time. */
  get window(): number {
    return this.#workers ? SHARED_WINDOW : WINDOW;
  }

  async run<T extends Item>(items: readonly T[], use: Use<T>): Promise<void> {
    const jobs = items.map(({ job }) => job);
    if (!this.#workers && this.#threads > 1 && (this.#seen >= MANY_FILES || bytesIn(jobs) >= MANY_BYTES)) {
      this.#workers = new Workers(this.#threads - 1);
    }
    this.#seen += jobs.length;
    const list = this.#workers?.submit(jobs);
    for (let i = 0; i < items.length; i++) {
      const item = items[i] as T;
      const pending = item.job ? this.#outcome(jobs, i, list) : item.later?.();
      const outcome = pending instanceof Promise ? await pending : pending;
      if (pending) this.#observer.onFile();
      use(item, outcome);
    }
  }

  #outcome(jobs: readonly (Job | undefined)[], i: number, list: JobList | undefined): Outcome | Promise<Outcome> {
    const job = jobs[i] as Job;
    if (!list) return this.#digest(job);
    while (list.isOpen(i)) {
      const next = list.take();
      // Another thread has it; if that thread fails, this one runs the job.
      if (next === undefined) return this.#settled().then(() => list.outcome(i) ?? this.#digest(job));
      list.put(next, this.#compute(jobs[next] as Job));
    }
    this.#workers?.report(this.#observer);
    return list.outcome(i) ?? this.#digest(job);
  }

  async #settled(): Promise<void> {
    await this.#workers?.settle(this.#observer);
  }

  #digest(job: Job): Outcome | Promise<Outcome> {
    return this.#compute(job) ?? digestLarge(job, this.#threads, this.#observer);
  }

  /** Returns undefined for a file that Blake3Pool should hash. */
  #compute({ name, recipe }: Job): Uint8Array | FileError | undefined {
    const observer = this.#threads > 1 && isForPool(recipe) ? this.#stopping : this.#observer;
    try {
      return this.#calculator(recipe).digest(name, observer);
    } catch (error) {
      return error instanceof LargeFile ? undefined : fileErrorOf(error);
    }
  }

  #calculator(recipe: Recipe): Calculator {
    let calculator = this.#calculators.get(recipe);
    if (!calculator) {
      calculator = new Calculator(recipe);
      this.#calculators.set(recipe, calculator);
    }
    return calculator;
  }

  end(): void {
    for (const calculator of this.#calculators.values()) calculator.dispose();
    this.#workers?.end();
  }
}

/** Estimates the bytes that workers would hash; 0 for a single file. */
function bytesIn(jobs: readonly (Job | undefined)[]): number {
  const step = Math.max(1, Math.floor(jobs.length / SAMPLE));
  let bytes = 0;
  let files = 0;
  for (let i = 0; i < jobs.length; i += step) {
    const job = jobs[i];
    const size = job ? sizeOf(job) : 0;
    if (size > 0) files++;
    bytes += size * step;
  }
  return files > 1 ? bytes : 0;
}

/** 0 for large files, which Blake3Pool hashes, and files of unknown size. */
function sizeOf({ name, recipe }: Job): number {
  if (isStandardInput(name)) return 0;
  const status = statusOf(name);
  if (!status?.isFile() || (isForPool(recipe) && isLarge(status))) return 0;
  return status.size;
}
