// Digests of many files in order: by the calling thread alone or, if there is enough to hash, by the threads of a pool.

import { availableParallelism } from "node:os";
import { types } from "node:util";
import { Blake3Pool } from "../../parallel.js";
import { isStandardInput, type Observer, requireSame, statusNow, statusOf } from "../files/read.js";
import { toBytes } from "../system/byte-strings.js";
import { codeOf } from "../system/descriptors.js";
import { failureOf } from "../system/errors.js";
import { FileDigests, type Outcome, poolSizeOf, type Recipe, wholeOptions } from "./computation.js";
import { type FileToHash, SharedWindow } from "./shared-window.js";

/** A file to hash, or anything else whose outcome is reported in order. */
export interface FileJob extends FileToHash {
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
  readonly #observer: Observer;
  readonly #runOptions: RunOptions;
  #threads: number;
  readonly #digests: FileDigests;
  #seen = 0;
  /** The jobs at present, if workers hash them too. */
  #shared: SharedWindow | undefined;
  /** Resolves when no worker will hash more of them. */
  #workers: Promise<void> | undefined;

  constructor(runOptions: RunOptions) {
    const { observer, threads = availableParallelism() } = runOptions;
    this.#observer = observer;
    this.#runOptions = runOptions;
    this.#threads = threads;
    this.#digests = new FileDigests(observer, threads > 1 ? poolSizeOf : () => Number.POSITIVE_INFINITY);
  }

  /** The number of jobs that it takes at a time. */
  get window(): number {
    return this.#shared ? SHARED_WINDOW : WINDOW;
  }

  async run<T extends FileJob>(jobs: readonly T[], use: Use<T>): Promise<void> {
    const isMuch = this.#shared || this.#seen >= MANY_FILES || bytesIn(jobs) >= MANY_BYTES;
    this.#seen += jobs.length;
    if (isMuch && this.#threads > 1) this.#share(jobs);
    try {
      for (const [i, job] of jobs.entries()) {
        const pending = this.#outcome(job, i);
        // To await each would take longer than to hash a short file.
        const outcome = pending && "then" in pending ? await pending : pending;
        if (outcome !== job.outcome) this.#observer.onFile();
        use(job, outcome);
      }
      await this.#workers;
    } finally {
      this.#shared?.end();
      if (this.#threads === 1) this.#shared = undefined;
    }
  }

  #share(jobs: readonly FileJob[]): void {
    this.#shared = SharedWindow.of(jobs);
    for (const { recipe } of jobs) if (recipe) this.#digests.prepare(recipe);
    const ended = poolOf(this.#threads).runProgram(__filename, this.#shared.content);
    this.#workers = ended.then(() => {
      this.#workers = undefined;
    });
  }

  #outcome({ name, recipe, outcome }: FileJob, i: number): Outcome | undefined | Promise<Outcome | undefined> {
    if (!recipe) return typeof outcome === "function" ? outcome(this.#runOptions) : outcome;
    const shared = this.#shared;
    const known = (): Outcome | Promise<Outcome> => {
      const outcome = shared?.outcome(i) ?? this.#digests.digest(name, recipe);
      if (this.#threads > 1 && outcome && codeOf(outcome) === "EMFILE") return this.#digestAlone(name, recipe);
      return outcome ?? this.#digestLarge(name, recipe);
    };
    while (shared?.isOpen(i) && shared.hashNext(this.#digests)) {}
    shared?.report(this.#observer);
    return shared?.isOpen(i) && this.#workers ? this.#waitFor(shared, i).then(known) : known();
  }

  /** Waits for a file that a worker has taken, unless the worker is lost. */
  async #waitFor(shared: SharedWindow, i: number): Promise<void> {
    while (shared.isOpen(i) && this.#workers) {
      shared.wait(i);
      shared.report(this.#observer);
      await new Promise(setImmediate);
    }
  }

  /** Ends the workers, which have too many files open for this process, and hashes from then on without any. */
  async #digestAlone(name: string, recipe: Recipe): Promise<Outcome> {
    await this.#workers;
    await endThreads();
    pool = undefined;
    this.#threads = 1;
    return this.#digests.digest(name, recipe) ?? this.#digestLarge(name, recipe);
  }

  async #digestLarge(name: string, recipe: Recipe): Promise<Outcome> {
    let read = 0;
    const onProgress = (bytes: number): void => {
      this.#observer.onBytes(bytes - read);
      read = bytes;
    };
    // All threads hash it, once they have no other files.
    while (this.#shared?.hashNext(this.#digests)) {}
    await this.#workers;
    try {
      const before = statusNow(name);
      const options = { ...wholeOptions(recipe), onProgress };
      const outcome = await poolOf(this.#threads)
        .hash({ path: toBytes(name) }, options)
        .catch(failureOf);
      // First, since a change may be the reason of the pool's error.
      requireSame(before, statusNow(name));
      if (this.#threads > 1 && codeOf(outcome) === "EMFILE") return this.#digestAlone(name, recipe);
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
