// The workers of a pool, and the hashes that are in flight: who does which part. Where no worker is ready, as in the first
// milliseconds or where none can be had, the calling thread does one part after the other and lets others run in between.
import { CallingThread } from "./calling-thread.js";
import { SharedMemory } from "./shared-memory.js";
import { sharedSubtreeModule, subtreeModule } from "./subtree-module.js";
import type { Task } from "./task.js";
import { mayHaveWorkers } from "./worker-handle.js";
import { WorkerLostError, WorkerThread, type Workspace } from "./worker-thread.js";

/** Bytes that the calling thread hashes before it lets others run: a millisecond's work, in which a page can go on. */
const STEP = 0x200000;
/** The most that it hashes to save itself the waiting: half as much. */
const HELP = 0x100000;

export class Scheduler {
  /** How many workers there are to be: as many as were asked for, until it turns out that there cannot be. */
  wanted: number;
  /** Whether the calling thread always computes too. */
  readonly #callingThreadComputes: boolean;
  readonly #threads = new Set<WorkerThread>();
  /** Whoever is served goes to the end, so that a short message need not wait for a long one. */
  readonly #tasks: Task[] = [];
  #workspace: Workspace | undefined;
  #callingThread: CallingThread | undefined;
  /** Whether a worker has ever started. */
  #hasStartedOne = false;
  #computing = false;
  /** Parts that the calling thread has begun and not ended. */
  #partsBegun = 0;

  constructor(wanted: number, joins: boolean) {
    this.wanted = mayHaveWorkers() ? wanted : 0;
    this.#callingThreadComputes = joins;
  }

  /** Threads that compute a message together. */
  get threads(): number {
    return this.wanted + (this.#callingThreadComputes ? 1 : 0);
  }

  /** What is computed with. */
  get workspace(): Workspace {
    this.#workspace ??= makeWorkspace(this.wanted > 0);
    return this.#workspace;
  }

  /** Has all parts of a task done. */
  async run(task: Task): Promise<Uint8Array<ArrayBuffer>> {
    const own = this.#shouldHelp(task) ? task.begin() : undefined;
    this.#tasks.push(task);
    try {
      this.#startWorkers();
      this.#keepAlive(true);
      this.#distribute();
      if (own !== undefined) void this.#computePart(task, own);
    } catch (error) {
      task.abort(error);
    }
    try {
      return await task.digest;
    } finally {
      this.#tasks.splice(this.#tasks.indexOf(task), 1);
      if (this.#tasks.length === 0) this.#keepAlive(false);
    }
  }

  /** Waits for all tasks, then ends the workers, and lets go of memory and kernels. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#tasks.map((task) => task.digest));
    await Promise.all(Array.from(this.#threads, (thread) => thread.terminate()));
    this.#threads.clear();
    // A reading of an aborted hash may still write to the memory: then it is left alone.
    if (this.#partsBegun === 0) this.#callingThread?.end();
    this.#callingThread = undefined;
    this.#workspace?.memory?.retire();
    this.#workspace = undefined;
  }

  /** Whether the calling thread does a part itself: a short one, rather than wait for another worker to wake and to answer. */
  #shouldHelp({ bytesInMemory }: Task): boolean {
    const idle = this.#tasks.length === 0 && this.threads > 1;
    return idle && bytesInMemory > 0 && bytesInMemory <= this.threads * HELP;
  }

  /** Starts workers that are missing and have something to do: those that were never there, and those that have ended. */
  #startWorkers(): void {
    const parts = this.#tasks.reduce((sum, task) => sum + task.count, 0);
    while (this.#threads.size < Math.min(this.wanted, parts)) {
      const thread = WorkerThread.start(this.workspace, (changed) => this.#onChangeOf(changed));
      if (thread) this.#threads.add(thread);
      else this.wanted = this.#threads.size;
    }
  }

  /** A worker has started or ended. Where all have ended before any has ever started, there will be none. */
  #onChangeOf(thread: WorkerThread): void {
    if (thread.ready) this.#hasStartedOne = true;
    if (!thread.alive) this.#threads.delete(thread);
    if (!this.#hasStartedOne && this.#threads.size === 0) this.wanted = 0;
    this.#distribute();
  }

  #keepAlive(held: boolean): void {
    for (const thread of this.#threads) thread.hold(held);
  }

  #distribute(): void {
    for (;;) {
      const thread = this.#freest();
      const task = thread && this.#take();
      if (!task) break;
      void this.#assign(task, thread);
    }
    if (!this.#computing && this.#isNeeded()) void this.#computeOnCallingThread();
  }

  #freest(): WorkerThread | undefined {
    let best: WorkerThread | undefined;
    for (const thread of this.#threads) if (thread.room > (best?.room ?? 0)) best = thread;
    return best;
  }

  #take(): Task | undefined {
    const at = this.#tasks.findIndex((task) => task.waiting);
    if (at < 0) return undefined;
    const task = this.#tasks.splice(at, 1)[0] as Task;
    this.#tasks.push(task);
    return task;
  }

  async #assign(task: Task, thread: WorkerThread): Promise<void> {
    const part = task.begin();
    try {
      task.complete(part, await thread.run(task.jobOf(part)));
    } catch (error) {
      if (error instanceof WorkerLostError) task.lose(part);
      else task.fail(error);
    }
    this.#distribute();
  }

  /** Whether the calling thread has to compute: always, or as long as nobody else does. */
  #isNeeded(): boolean {
    return this.#callingThreadComputes || !Array.from(this.#threads).some((thread) => thread.ready);
  }

  async #computeOnCallingThread(): Promise<void> {
    this.#computing = true;
    for (let bytes = 0; this.#isNeeded(); ) {
      const task = this.#take();
      if (!task) break;
      bytes += await this.#computePart(task, task.begin());
      if (bytes < STEP) continue;
      await letOthersRun();
      bytes = 0;
    }
    this.#computing = false;
  }

  /** Answers how many bytes that were. */
  async #computePart(task: Task, part: number): Promise<number> {
    this.#partsBegun++;
    try {
      this.#callingThread ??= new CallingThread(this.workspace);
      const here = this.#callingThread;
      const job = await task.jobWithBytes(part, here.room);
      task.complete(part, here.run(job));
      return job.length;
    } catch (error) {
      task.fail(error);
      return 0;
    } finally {
      this.#partsBegun--;
    }
  }
}

/** With memory that workers share, where there are to be any and it can be had. */
function makeWorkspace(workers: boolean): Workspace {
  const memory = workers ? SharedMemory.create() : undefined;
  const module = memory && sharedSubtreeModule();
  return module ? { module, memory } : { module: subtreeModule(), memory: undefined };
}

/** Lets everything run that waits for its turn. A browser's timers would take 4 ms. */
function letOthersRun(): Promise<void> {
  if (typeof setImmediate === "function") return new Promise((resolve) => setImmediate(resolve));
  if (typeof MessageChannel !== "function") return new Promise((resolve) => setTimeout(resolve, 0));
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
