// Worker threads, and the list of jobs that they share with the main thread.

import { types } from "node:util";
import type { Worker } from "node:worker_threads";
import { isStandardInput, type Observer } from "../files/read.js";
import { workerThreads } from "../system/descriptors.js";
import { FileError } from "../system/errors.js";
import { FileDigests, type Outcome, poolSizeOf, type Recipe } from "./computation.js";

/** A list of jobs, as it is sent to workers. */
interface Jobs {
  readonly names: readonly string[];
  /** How each file is hashed; undefined if only the main thread can. */
  readonly recipes: readonly (Recipe | undefined)[];
  /** Bytes in the longest digest. */
  readonly slot: number;
  /** The index of the next job as an Int32, each job's state, and then the digests. */
  readonly memory: SharedArrayBuffer;
}

/** The job is not finished; otherwise its state is one of the next or a negative system error number. */
const OPEN = 0;
/** The digest is in the list. */
const DONE = 1;
/** The job is left to the main thread. */
const MAIN_THREAD = 2;

/** The most bytes of digests in a list. */
const MAX_DIGESTS = 64 * 1024 * 1024;

/** Jobs that several threads run, each the next that no other has taken. */
export class JobList {
  readonly #jobs: Jobs;
  readonly #states: Int32Array;
  readonly #digests: Uint8Array;

  constructor(jobs: Jobs) {
    const head = 1 + jobs.names.length;
    this.#jobs = jobs;
    this.#states = new Int32Array(jobs.memory, 0, head);
    this.#digests = new Uint8Array(jobs.memory, head * 4);
  }

  /** Runs the next job; returns false if none is left. */
  runNext(digests: FileDigests): boolean {
    const i = Atomics.add(this.#states, 0, 1);
    const { names, recipes } = this.#jobs;
    if (i >= names.length) return false;
    const recipe = recipes[i];
    this.#put(i, recipe && digests.digest(names[i] as string, recipe));
    return true;
  }

  /** An error without a number, like a file that was left unread, is the main thread's. */
  #put(i: number, outcome: Outcome | undefined): void {
    const isDigest = types.isUint8Array(outcome);
    if (isDigest) this.#digests.set(outcome, i * this.#jobs.slot);
    const state = isDigest ? DONE : ((outcome as NodeJS.ErrnoException | undefined)?.errno ?? MAIN_THREAD);
    Atomics.store(this.#states, 1 + i, state);
  }

  isOpen(i: number): boolean {
    return Atomics.load(this.#states, 1 + i) === OPEN;
  }

  /** Returns undefined if the job is not finished, or left to the main thread. */
  outcome(i: number): Outcome | undefined {
    const state = Atomics.load(this.#states, 1 + i);
    if (state === OPEN || state === MAIN_THREAD) return undefined;
    if (state !== DONE) return new FileError(state);
    const { slot, recipes } = this.#jobs;
    return this.#digests.slice(i * slot, i * slot + (recipes[i] as Recipe).length);
  }
}

export class Workers {
  readonly #workers: Worker[] = [];
  /** The number of bytes that they have read. */
  readonly #read = new BigInt64Array(new SharedArrayBuffer(8));
  #reported = 0n;
  /** Whether a worker has failed, perhaps with a job that it had taken. The main thread then goes on alone. */
  #failed = false;

  constructor(size: number) {
    // A system that has no room for another thread throws here; the threads that there are run all jobs.
    try {
      for (let i = 0; i < size; i++) this.#workers.push(this.#start());
    } catch {}
  }

  #start(): Worker {
    const { Worker } = workerThreads();
    const program = `require(${JSON.stringify(__filename)})`;
    const worker = new Worker(program, { eval: true, workerData: this.#read, stdout: true, stderr: true });
    const fail = (): void => {
      this.#failed = true;
    };
    worker.on("error", fail).on("exit", fail).unref();
    return worker;
  }

  /** Makes a list of jobs for all threads; returns undefined if workers cannot run it. */
  submit(jobs: readonly { readonly name: string; readonly recipe?: Recipe | undefined }[]): JobList | undefined {
    const slot = jobs.reduce((most, { recipe }) => Math.max(most, recipe?.length ?? 0), 0);
    if (this.#failed || slot * jobs.length > MAX_DIGESTS) return undefined;
    const list: Jobs = {
      names: jobs.map(({ name }) => name),
      recipes: jobs.map(({ name, recipe }) => (isStandardInput(name) ? undefined : recipe)),
      slot,
      memory: new SharedArrayBuffer((1 + jobs.length) * 4 + jobs.length * slot),
    };
    for (const worker of this.#workers) worker.postMessage(list);
    return new JobList(list);
  }

  /** Waits for a job that a worker has taken; returns undefined if there is nothing to wait for. */
  finish(list: JobList, i: number, observer: Observer): Promise<void> | undefined {
    this.#report(observer);
    if (!list.isOpen(i) || this.#failed) return undefined;
    return new Promise<void>((resolve) => setTimeout(resolve, 1)).then(() => this.finish(list, i, observer));
  }

  /** Reports to an observer the bytes that the workers have read since the last report. */
  #report(observer: Observer): void {
    const read = Atomics.load(this.#read, 0);
    if (read === this.#reported) return;
    observer.onBytes(Number(read - this.#reported));
    this.#reported = read;
  }

  end(): void {
    for (const worker of this.#workers) void worker.terminate();
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
  parentPort?.on("message", (jobs: Jobs) => {
    const list = new JobList(jobs);
    const digests = new FileDigests(observer, poolSizeOf);
    while (list.runNext(digests)) {}
  });
}
