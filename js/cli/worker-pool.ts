// Worker threads that hash files beside the main thread.
import { Worker } from "node:worker_threads";
import { isStandardInput, type Observer } from "./files.js";
import type { Job } from "./job.js";
import { JobTable } from "./job-table.js";
import { lengthOf, type Recipe } from "./recipes.js";

/** A recipe without functions, which no thread can pass on. */
export interface PlainRecipe extends Omit<Recipe, "algorithm"> {
  readonly algorithm: string;
}

/** What a worker is told about a window of jobs. */
export interface JobWindow {
  readonly memory: SharedArrayBuffer;
  readonly count: number;
  readonly slot: number;
  readonly names: readonly string[];
  readonly recipes: readonly PlainRecipe[];
  /** The place in `recipes` of each job's. */
  readonly kinds: readonly number[];
}

/** Marks a worker of the command as one; where it counts the bytes that it reads. */
export interface WorkerData {
  readonly read: SharedArrayBuffer;
}

/** Digests of so many bytes in all are kept for the main thread at a time. */
const MAX_DIGESTS = 64 * 1024 * 1024;

const REPORT_MS = 100;

export class WorkerPool {
  readonly #workers: Worker[] = [];
  readonly #read = new BigInt64Array(new SharedArrayBuffer(8));
  #reported = 0n;
  /** Members that have not said yet that nothing is left of the window. */
  readonly #busy = new Set<Worker>();
  #onSettled: () => void = () => {};

  constructor(size: number) {
    const data: WorkerData = { read: this.#read.buffer as SharedArrayBuffer };
    for (let i = 0; i < size; i++) this.#start(data);
  }

  #start(data: WorkerData): void {
    const worker = new Worker(__filename, { workerData: data, stdout: true, stderr: true });
    const leave = (): void => {
      this.#workers.splice(this.#workers.indexOf(worker) >>> 0, 1);
      this.#rest(worker);
    };
    worker.on("message", () => this.#rest(worker));
    // A worker that cannot start, or falls, leaves its jobs to the others.
    worker.on("error", leave).on("exit", leave);
    worker.unref();
    this.#workers.push(worker);
  }

  #rest(worker: Worker): void {
    this.#busy.delete(worker);
    if (this.#busy.size === 0) this.#onSettled();
  }

  /** Gives the members a window of jobs; undefined where they cannot take it. */
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

  /** Resolves when no worker does anything. */
  async settle(observer: Observer): Promise<void> {
    if (this.#busy.size === 0) return;
    const timer = setInterval(() => this.report(observer), REPORT_MS);
    await new Promise<void>((resolve) => {
      this.#onSettled = resolve;
    });
    clearInterval(timer);
  }

  /** Tells an observer what the members have read since the last time. */
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
    kinds: jobs.map((job) => places.get(job?.recipe) ?? 0),
  };
}
