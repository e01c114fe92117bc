// Worker threads that take jobs from a list alongside the main thread.
import type { Worker } from "node:worker_threads";
import { isStandardInput, type Observer } from "../files/read.js";
import { workerThreads } from "../system/descriptors.js";
import { type Algorithm, algorithmNamed } from "./algorithms.js";
import { Calculators, lengthOf, poolSizeOf, type Recipe } from "./computation.js";
import { type FileJob, JobList } from "./job-list.js";

/** A recipe without functions, which cannot be sent between threads. */
interface PlainRecipe extends Omit<Recipe, "algorithm"> {
  readonly algorithm: string;
}

/** The message to a worker about a list of jobs. */
interface ListMessage {
  readonly list: Pick<JobList, "memory" | "count" | "slot">;
  readonly names: readonly string[];
  readonly recipes: readonly PlainRecipe[];
  /** Each job's index in `recipes`. */
  readonly kinds: readonly number[];
}

/** The most bytes of digests in a list. */
const MAX_DIGESTS = 64 * 1024 * 1024;

const REPORT_MS = 100;

export class Workers {
  readonly #workers: Worker[] = [];
  /** The number of bytes that they have read. */
  readonly #read = new BigInt64Array(new SharedArrayBuffer(8));
  #reported = 0n;
  /** Workers that have not finished the current list. */
  readonly #busy = new Set<Worker>();
  #onSettled: () => void = () => {};

  constructor(size: number) {
    // A system that has no room for another thread throws here; the threads that there are run all jobs.
    try {
      for (let i = 0; i < size; i++) this.#start();
    } catch {}
  }

  #start(): void {
    const { Worker } = workerThreads();
    const program = `require(${JSON.stringify(__filename)})`;
    const worker = new Worker(program, { eval: true, workerData: this.#read, stdout: true, stderr: true });
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

  /** Makes a list of jobs for all threads; returns undefined if no worker can take it. */
  submit(jobs: readonly FileJob[]): JobList | undefined {
    const recipes = [...new Set(jobs.flatMap(({ recipe }) => recipe ?? []))];
    const slot = Math.max(0, ...recipes.map(lengthOf));
    if (slot * jobs.length > MAX_DIGESTS || this.#workers.length === 0) return undefined;
    const list = newList(jobs.length, slot);
    if (!list) return undefined;
    for (const [i, { name, recipe }] of jobs.entries()) if (!recipe || isStandardInput(name)) list.put(i, undefined);
    const indices = new Map<Recipe | undefined, number>(recipes.map((recipe, i) => [recipe, i]));
    const message: ListMessage = {
      list: { memory: list.memory, count: list.count, slot },
      names: jobs.map(({ name }) => name),
      recipes: recipes.map((recipe) => ({ ...recipe, algorithm: recipe.algorithm.algorithm })),
      kinds: jobs.map(({ recipe }) => indices.get(recipe) ?? 0),
    };
    for (const worker of this.#workers) {
      worker.postMessage(message);
      this.#busy.add(worker);
    }
    return list;
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

/** Returns undefined if there is no memory for it. */
function newList(count: number, slot: number): JobList | undefined {
  try {
    return new JobList(count, slot);
  } catch {
    return undefined;
  }
}

/** Runs jobs in a worker, for the main thread. */
export function serve(): void {
  const { parentPort, workerData } = workerThreads();
  const observer: Observer = {
    onLong() {},
    onBytes: (count) => Atomics.add(workerData as BigInt64Array, 0, BigInt(count)),
    onFile() {},
  };
  parentPort?.on("message", (message: ListMessage) => {
    runJobs(message, observer);
    parentPort?.postMessage("done");
  });
}

function runJobs({ list: { memory, count, slot }, names, kinds, ...message }: ListMessage, observer: Observer): void {
  const list = new JobList(count, slot, memory);
  const calculators = new Calculators(observer, poolSizeOf);
  const recipes = message.recipes.map((recipe) => ({
    ...recipe,
    algorithm: algorithmNamed(recipe.algorithm) as Algorithm,
  }));
  for (let i = list.take(); i !== undefined; i = list.take()) {
    list.put(i, calculators.digest(names[i] as string, recipes[kinds[i] as number] as Recipe));
  }
  calculators.dispose();
}
