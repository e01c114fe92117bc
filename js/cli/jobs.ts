// Digests of many files in order, computed on this thread, on several threads, or for a large file by Blake3Pool.
import { availableParallelism } from "node:os";
import { type FileError, fileErrorOf } from "./file-error.js";
import { isStandardInput, type Observer, statusOf } from "./files.js";
import type { Item, Job, JobObserver, Outcome, RunOptions } from "./job.js";
import { ELSEWHERE, type JobTable, OPEN } from "./job-table.js";
import { digestLarge, isForPool, isLarge, LargeFile, stoppingAtLarge } from "./large.js";
import { Calculator, type Recipe } from "./recipes.js";
import { WorkerPool } from "./worker-pool.js";

/** Items in a window: with this thread alone, and with a worker pool. */
const WINDOW = 512;
const POOL_WINDOW = 4096;

/** The number of small files, or of bytes, above which starting another thread pays off. */
const MANY_FILES = 16384;
const MANY_BYTES = 24 * 1024 * 1024;
/** The number of files per window whose sizes are sampled to estimate its bytes. */
const SAMPLE = 8;

/** Calls `use` for every item, in order. */
export async function eachDigest<T extends Item>(
  items: Iterable<T>,
  runOptions: RunOptions,
  use: (item: T, outcome: Outcome | undefined) => void,
): Promise<void> {
  const runner = new JobRunner(runOptions);
  try {
    for (const window of windowsOf(items, () => runner.window)) await runner.digest(window, use);
  } finally {
    runner.end();
  }
}

function* windowsOf<T extends Item>(items: Iterable<T>, size: () => number): Generator<T[], void, undefined> {
  let window: T[] = [];
  for (const item of items) {
    window.push(item);
    if (window.length < size() && !item.last) continue;
    yield window;
    window = [];
  }
  if (window.length > 0) yield window;
}

/** Runs jobs, alone or with a worker pool. */
class JobRunner {
  readonly #observer: JobObserver;
  readonly #stopping: Observer;
  readonly #threads: number;
  readonly #calculators = new Map<Recipe, Calculator>();
  #workers: WorkerPool | undefined;
  #seen = 0;

  constructor({ observer, threads = availableParallelism() }: RunOptions) {
    this.#observer = observer;
    this.#stopping = stoppingAtLarge(observer);
    this.#threads = threads;
  }

  /** The number of items that it takes at a time. */
  get window(): number {
    return this.#workers ? POOL_WINDOW : WINDOW;
  }

  #paysForWorkers(jobs: readonly (Job | undefined)[]): boolean {
    return this.#seen >= MANY_FILES || bytesIn(jobs) >= MANY_BYTES;
  }

  async digest<T extends Item>(window: readonly T[], use: (item: T, outcome: Outcome | undefined) => void) {
    const jobs = window.map(({ job }) => job);
    if (!this.#workers && this.#threads > 1 && this.#paysForWorkers(jobs))
      this.#workers = new WorkerPool(this.#threads - 1);
    this.#seen += jobs.length;
    const table = this.#workers?.hand(jobs);
    for (let i = 0; i < window.length; i++) {
      const item = window[i] as T;
      const pending = item.job ? this.#turn(table, i, jobs) : item.later?.();
      const outcome = pending instanceof Promise ? await pending : pending;
      if (pending) this.#observer.onFile();
      use(item, outcome);
    }
  }

  #turn(table: JobTable | undefined, i: number, jobs: readonly (Job | undefined)[]): Outcome | Promise<Outcome> {
    return table ? this.#fromTable(table, i, jobs) : this.#outcome(jobs[i] as Job);
  }

  #fromTable(table: JobTable, i: number, jobs: readonly (Job | undefined)[]): Outcome | Promise<Outcome> {
    while (table.state(i) === OPEN) {
      const next = table.take();
      if (next === undefined) return this.#fromWorkers(table, i, jobs);
      const outcome = this.#compute(jobs[next] as Job);
      if (outcome) table.put(next, outcome);
      else table.pass(next);
    }
    this.#workers?.report(this.#observer);
    return table.state(i) === ELSEWHERE ? this.#outcome(jobs[i] as Job) : table.outcome(i);
  }

  /** Waits for the workers, and runs the job here if none of them has completed it. */
  async #fromWorkers(table: JobTable, i: number, jobs: readonly (Job | undefined)[]): Promise<Outcome> {
    await this.#workers?.settle(this.#observer);
    return table.state(i) === OPEN || table.state(i) === ELSEWHERE ? this.#outcome(jobs[i] as Job) : table.outcome(i);
  }

  #outcome(job: Job): Outcome | Promise<Outcome> {
    return this.#compute(job) ?? digestLarge(job, this.#threads, this.#observer);
  }

  /** Returns undefined for a file that Blake3Pool should hash. */
  #compute({ name, recipe }: Job): Uint8Array | FileError | undefined {
    try {
      return this.#calculator(recipe).digest(name, this.#observerFor(recipe));
    } catch (error) {
      return error instanceof LargeFile ? undefined : fileErrorOf(error);
    }
  }

  #observerFor(recipe: Recipe): Observer {
    return this.#threads > 1 && isForPool(recipe) ? this.#stopping : this.#observer;
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

/** Estimates the bytes that the workers would hash; 0 for a single file. */
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

/** The bytes that the workers would hash; 0 for large files, which Blake3Pool hashes, and files of unknown size. */
function sizeOf({ name, recipe }: Job): number {
  if (isStandardInput(name)) return 0;
  const status = statusOf(name);
  if (!status?.isFile() || (isForPool(recipe) && isLarge(status))) return 0;
  return status.size;
}
