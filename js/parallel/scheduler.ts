// Assigns the parts of the tasks in progress to a pool's workers. While no worker is ready, as in the first
// milliseconds or without workers at all, the calling thread computes the parts one by one, and yields to the event
// loop in between.
import { blake3 } from "../algorithms/blake3.js";
import { makeMemory } from "../engine/compile.js";
import { yieldToEventLoop } from "../input/event-loop.js";
import { FIRST_AREA, PAGE } from "../tree/kernel.js";
import { sharedTreeModule, treeKernel, treeModule } from "../tree/module.js";
import { AREA_SIZE, CALLING_SIZE, filler, hashPart, MAX_PART, newPartKernel, type PartKernel } from "./part-kernel.js";
import { type PartJob, PoolWorker, type Workspace } from "./pool-worker.js";
import { mayHaveWorkers, workersThatFit } from "./runtime-worker.js";
import { SharedMemory } from "./shared-memory.js";
import type { MessageTask } from "./task.js";

/** Bytes that the calling thread hashes before it yields: a millisecond's work, so that a page stays responsive. */
const STEP = 0x200000;

export class Scheduler {
  /** The number of workers to have: as many as requested, or fewer once the runtime has refused to start more. */
  wanted: number;
  /** Whether the calling thread computes even while workers are ready. */
  readonly #callingThreadComputes: boolean;
  readonly #threads = new Set<PoolWorker>();
  /** A task that has been given a part moves to the end, so that a short message need not wait for a long one. */
  readonly #tasks: MessageTask[] = [];
  #workspace: Workspace | undefined;
  /** Whether there was too little memory for a workspace. */
  #lacksMemory = false;
  #callingThread: CallingThread | undefined;
  /** Whether a worker has ever started. */
  #hasStartedOne = false;
  #computing = false;

  constructor(wanted: number, joins: boolean) {
    this.wanted = mayHaveWorkers() ? wanted : 0;
    this.#callingThreadComputes = joins;
  }

  /** Number of threads that compute a message together. */
  get threads(): number {
    return this.wanted + (this.#callingThreadComputes ? 1 : 0);
  }

  /**
   * The kernel and the memory, created on first use with all that a task needs on the calling thread; undefined if
   * there is too little memory for that, or too few addresses.
   */
  get workspace(): Workspace | undefined {
    if (!this.#workspace && !this.#lacksMemory) this.#prepare();
    return this.#workspace;
  }

  #prepare(): void {
    try {
      // BLAKE3's own kernel first: it is needed even without workers.
      blake3("");
      const workspace = makeWorkspace(this.wanted);
      this.#callingThread = new CallingThread(workspace);
      void treeKernel.kernel;
      this.#workspace = workspace;
      this.wanted = Math.min(this.wanted, workersThatFit());
    } catch {
      // `blake3` says why, if it cannot compute either.
      this.#lacksMemory = true;
      this.#callingThread = undefined;
      this.wanted = 0;
    }
  }

  /** Computes all parts of a task. There must be a workspace. */
  async run(task: MessageTask): Promise<Uint8Array<ArrayBuffer>> {
    this.#tasks.push(task);
    try {
      this.#startWorkers();
      this.#keepAlive(true);
      this.#distribute();
    } catch (error) {
      task.abort(error);
    }
    try {
      return await task.result;
    } finally {
      this.#tasks.splice(this.#tasks.indexOf(task), 1);
      if (this.#tasks.length === 0) this.#keepAlive(false);
    }
  }

  /** Waits for all tasks, then terminates the workers and releases memory and kernels. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#tasks.map((task) => task.result));
    await Promise.all(Array.from(this.#threads, (thread) => thread.terminate()));
    this.#threads.clear();
    this.#callingThread = undefined;
    this.#workspace = undefined;
  }

  /** Starts as many workers as there are parts, up to the number wanted, and replaces those that have ended. */
  #startWorkers(): void {
    const parts = this.#tasks.reduce((sum, { count }) => sum + count, 0);
    while (this.#threads.size < Math.min(this.wanted, parts)) {
      const thread = new PoolWorker(this.#workspace as Workspace, (changed) => this.#onChangeOf(changed));
      if (thread.alive) this.#threads.add(thread);
      else this.wanted = this.#threads.size;
    }
  }

  /** Handles a worker's start or end. If all have ended and none has ever started, the pool does without workers. */
  #onChangeOf(thread: PoolWorker): void {
    if (thread.ready) this.#hasStartedOne = true;
    if (!thread.alive) this.#threads.delete(thread);
    if (!this.#hasStartedOne && this.#threads.size === 0) this.wanted = 0;
    this.#distribute();
  }

  #keepAlive(isReferenced: boolean): void {
    for (const thread of this.#threads) thread.setRef(isReferenced);
  }

  #distribute(): void {
    for (;;) {
      const thread = this.#freest();
      const task = thread && this.#nextTask();
      if (!task) break;
      void this.#assign(task, thread);
    }
    if (!this.#computing && this.#isNeeded()) void this.#computeOnCallingThread();
  }

  #freest(): PoolWorker | undefined {
    let best: PoolWorker | undefined;
    for (const thread of this.#threads) if (thread.ready && thread.room > (best?.room ?? 0)) best = thread;
    return best;
  }

  #nextTask(): MessageTask | undefined {
    const at = this.#tasks.findIndex((task) => task.waiting);
    if (at < 0) return undefined;
    const task = this.#tasks.splice(at, 1)[0] as MessageTask;
    this.#tasks.push(task);
    return task;
  }

  async #assign(task: MessageTask, thread: PoolWorker): Promise<void> {
    const part = task.begin();
    try {
      task.complete(part, await thread.run(task.jobOf(part)));
    } catch (error) {
      task.fail(error);
    }
    this.#distribute();
  }

  /** Whether the calling thread must compute: always if it was asked to, otherwise while no worker is ready. */
  #isNeeded(): boolean {
    return this.#callingThreadComputes || !Array.from(this.#threads).some((thread) => thread.ready);
  }

  async #computeOnCallingThread(): Promise<void> {
    this.#computing = true;
    for (let bytes = 0; this.#isNeeded(); ) {
      const task = this.#nextTask();
      if (!task) break;
      bytes += await this.#computePart(task, task.begin());
      if (bytes < STEP) continue;
      await yieldToEventLoop();
      bytes = 0;
    }
    this.#computing = false;
  }

  /** Returns the number of bytes hashed. */
  async #computePart(task: MessageTask, part: number): Promise<number> {
    try {
      const here = this.#callingThread as CallingThread;
      const job = await task.jobWithBytes(part, here.room);
      task.complete(part, here.run(job));
      return job.length;
    } catch (error) {
      task.fail(error);
      return 0;
    }
  }
}

/** Shares memory if there are to be workers and the runtime supports it. Compiles the kernel before it reserves any. */
function makeWorkspace(workers: number): Workspace {
  const module = workers > 0 ? sharedTreeModule() : undefined;
  const memory = module && SharedMemory.create(workers);
  return memory ? { module, memory } : { module: treeModule(), memory: undefined };
}

/**
 * Computes parts on the calling thread, with the workers' kernel, so that the engine has optimised it by the time that
 * they start.
 */
class CallingThread {
  /** Bytes that are written here are hashed in place. */
  readonly room: Uint8Array<ArrayBuffer>;
  readonly #kernel: PartKernel;

  constructor({ module, memory: shared }: Workspace) {
    const pages = (FIRST_AREA + CALLING_SIZE) / PAGE;
    const memory = shared?.memory ?? makeMemory({ initial: pages, maximum: pages, shared: false });
    const area = shared?.callingArea ?? FIRST_AREA;
    this.room = new Uint8Array(memory.buffer as ArrayBuffer, area + AREA_SIZE, MAX_PART);
    this.#kernel = newPartKernel(module, memory, area);
  }

  /** Returns the chaining values of the part's groups. */
  run({ source, ...job }: PartJob<Uint8Array>): Uint8Array {
    const isHere = source.buffer === this.room.buffer;
    return hashPart(this.#kernel, { ...job, slot: 0 }, isHere ? source.byteOffset : filler(source));
  }
}
