// Worker threads that hash files alongside the main thread.
import type { Worker } from "node:worker_threads";
import { isStandardInput, type Observer } from "./files.js";
import type { Job } from "./job.js";
import { JobTable } from "./job-table.js";
import { lengthOf, type Recipe } from "./recipes.js";
import { workerThreads } from "./system.js";

/** A recipe without functions, which cannot be sent between threads. */
export interface PlainRecipe extends Omit<Recipe, "algorithm"> {
  readonly algorithm: string;
}

/** The message to a worker about a window of jobs. */
export interface JobWindow {
  readonly memory: SharedArrayBuffer;
  readonly count: number;
  readonly slot: number;
  readonly names: readonly string[];
  readonly recipes: readonly PlainRecipe[];
  /** Each job's index in `recipes`. */
  readonly kinds: readonly number[];
}

/** The data of a worker: the shared counter of bytes read. */
export interface WorkerData {
  readonly read: SharedArrayBuffer;
}

/** The most bytes of digests in a job table. */
const MAX_DIGESTS = 64 * 1024 * 1024;

const REPORT_MS = 100;

export class WorkerPool {
  readonly #workers: Worker[] = [];
  readonly #read = new BigInt64Array(new SharedArrayBuffer(8));
  #reported = 0n;
  /** Workers that have not finished the current window. */
  readonly #busy = new Set<Worker>();
  #onSettled: () => void = () => {};

  constructor(size: number) {
    const data: WorkerData = { read: this.#read.buffer as SharedArrayBuffer };
    // A system that has no room for another thread throws here; the threads that there are run all jobs.
    try {
      for (let i = 0; i < size; i++) this.#start(data);
    } catch {}
  }

  #start(data: WorkerData): void {
    const { Worker } = workerThreads();
    const program = `require(${JSON.stringify(__filename)})`;
    const worker = new Worker(program, { eval: true, workerData: data, stdout: true, stderr: true });
    const leave = (): void => {
      this.#workers.splice(this.#workers.indexOf(worker) >>> 0, 1);
      this.#rest(worker);
    };
    worker.on("message", () => this.#rest(worker));
    // If a worker fails, the other threads run its jobs.
    worker.on("error", leave).on("exit", leave);
    worker.unref();
    this.#workers.push(worker);
  }

  #rest(worker: Worker): void {
    this.#busy.delete(worker);
    if (this.#busy.size === 0) this.#onSettled();
  }

  /** Gives the workers a window of jobs; returns undefined if they cannot take it. */
  hand(jobs: readonly (Job | undefined)[]): JobTable | undefined {
    const slot = Math.max(0, ...new Set(jobs.map((job) => (job ? lengthOf(job.recipe) : 0))));
    if (slot * jobs.length > MAX_DIGESTS || this.#workers.length === 0) return undefined;
    const table = new JobTable(jobs.length, slot);
    for (const [i, job] of jobs.entries()) if (!job || isStandardInput(job.name)) table.pass(i);
    const jobWindow = windowFor(jobs, table);
    for (const worker of this.#workers) {
      worker.postMessage(jobWindow);
      this.#busy.add(worker);
    }
    return table;
  }

  /** Resolves when all workers are idle. */
  async settle(observer: Observer): Promise<void> {
    if (this.#busy.size === 0) return;
    const timer = setInterval(() => this.report(observer), REPORT_MS);
    await new Promise<void>((resolve) => {
      this.#onSettled = resolve;
    });
    clearInterval(timer);
  }

  /** Reports to an observer the bytes that the workers have read since the last report. */
  report(observer: Observer): void {
    const read = Atomics.load(this.#read, 0);
    if (read === this.#reported) return;
    observer.onBytes(Number(read - this.#reported));
    this.#reported = read;
  }

  end(): void {
    for (const worker of this.#workers) void worker.terminate();
  }
}

function windowFor(jobs: readonly (Job | undefined)[], { memory, count, slot }: JobTable): JobWindow {
  const recipes = [...new Set(jobs.map((job) => job?.recipe))];
  const places = new Map(recipes.map((recipe, i) => [recipe, i]));
  return {
    memory,
    count,
    slot,
    names: jobs.map((job) => job?.name ?? ""),
    recipes: recipes.map((recipe) => ({
      ...(recipe ?? { options: {}, seek: 0n }),
      algorithm: recipe?.algorithm.algorithm ?? "blake3",
    })),
    kinds: jobs.map((job) => places.get(job?.recipe) as number),
  };
}
