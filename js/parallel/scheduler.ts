// Assigns the parts of the tasks in progress to a pool's workers. While no worker is ready, as in the first
// milliseconds or without workers at all, the calling thread computes the parts one by one, and yields to the event
// loop in between.
import { blake3 } from "../algorithms/blake3.js";
import { makeMemory } from "../engine/compile.js";
import { yieldToEventLoop } from "../input/event-loop.js";
import { FIRST_AREA, PAGE } from "../tree/kernel.js";
import { sharedTreeModule, treeModule, trees } from "../tree/module.js";
import { AREA_SIZE, filler, hashPart, MAX_PART, newPartKernel, type PartKernel } from "./part-kernel.js";
import { SharedMemory } from "./shared-memory.js";
import type { MessageTask } from "./task.js";
import { mayHaveWorkers, workersThatFit } from "./worker-handle.js";
import { type PartJob, WorkerLostError, WorkerThread, type Workspace } from "./worker-thread.js";

/** Bytes that the calling thread hashes before it yields: a millisecond's work, so that a page stays responsive. */
const STEP = 0x200000;
/** The most that it hashes to help with a short message, in bytes per thread: half as much. */
const HELP = 0x100000;

/** What a program does without. */
const NO_PART = { offset: 0, length: 0, group: 0, parameters: new Uint8Array() };

export class Scheduler {
  /** The number of workers to have: as many as requested, or fewer once the runtime has refused to start more. */
  wanted: number;
  /** Whether the calling thread computes even while workers are ready. */
  readonly #callingThreadComputes: boolean;
  readonly #threads = new Set<WorkerThread>();
  /** A task that has been given a part moves to the end, so that a short message need not wait for a long one. */
  readonly #tasks: MessageTask[] = [];
  #workspace: Workspace | undefined;
  /** Whether there was too little memory for a workspace. */
  #lacksMemory = false;
  #callingThread: CallingThread | undefined;
  /** Whether a worker has ever started. */
  #hasStartedOne = false;
  #computing = false;
  /** Number of parts in progress on the calling thread. */
  #partsBegun = 0;

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
      const workspace = makeWorkspace(this.wanted > 0);
      this.#callingThread = new CallingThread(workspace);
      void trees.kernel;
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
    const own = this.#shouldHelp(task) ? task.begin() : undefined;
    this.#tasks.push(task);
    try {
      this.#startWorkers(
        this.#tasks.reduce((sum, { count }) => sum + count, 0),
        this.#workspace,
      );
      this.#keepAlive(true);
      this.#distribute();
      if (own !== undefined) void this.#computePart(task, own);
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

  /**
   * Runs a program in each worker, from its start on; resolves when all have ended. What a worker has not done, because
   * it has ended or failed, is left to the caller.
   *
   * @param path of a CommonJS file with a function `perform`
   */
  async runProgram(path: string, input: unknown): Promise<void> {
    if (this.#threads.size === 0) this.wanted = Math.min(this.wanted, workersThatFit());
    this.#startWorkers(Number.POSITIVE_INFINITY);
    this.#keepAlive(true);
    const job: PartJob = { source: { kind: "program", path, input }, ...NO_PART };
    const free = Array.from(this.#threads).filter(({ room }) => room > 0);
    await Promise.allSettled(free.map((thread) => thread.run(job)));
    if (this.#tasks.length === 0) this.#keepAlive(false);
  }

  /** Waits for all tasks, then terminates the workers and releases memory and kernels. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#tasks.map((task) => task.result));
    await Promise.all(Array.from(this.#threads, (thread) => thread.terminate()));
    this.#threads.clear();
    // A read for an aborted hash may still write to the memory, which must not be reused then.
    if (this.#partsBegun === 0) this.#callingThread?.end();
    this.#callingThread = undefined;
    this.#workspace = undefined;
  }

  /** Whether the calling thread computes a part itself: for a short message, that is faster than waking a worker. */
  #shouldHelp({ bytesInMemory }: MessageTask): boolean {
    const idle = this.#tasks.length === 0 && this.threads > 1;
    return idle && bytesInMemory > 0 && bytesInMemory <= this.threads * HELP;
  }

  /**
   * Starts as many workers as there are jobs for, up to the number wanted, and replaces those that have ended.
   *
   * @param workspace what parts need
   */
  #startWorkers(jobs: number, workspace?: Workspace): void {
    const canWork = (thread: WorkerThread): boolean => (workspace ? thread.prepare(workspace) : thread.alive);
    for (const thread of this.#threads) if (!canWork(thread)) this.#threads.delete(thread);
    while (this.#threads.size < Math.min(this.wanted, jobs)) {
      const thread = new WorkerThread((changed) => this.#onChangeOf(changed));
      if (canWork(thread)) this.#threads.add(thread);
      else this.wanted = this.#threads.size;
    }
  }

  /** Handles a worker's start or end. If all have ended and none has ever started, the pool does without workers. */
  #onChangeOf(thread: WorkerThread): void {
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
      const task = thread && this.#take();
      if (!task) break;
      void this.#assign(task, thread);
    }
    if (!this.#computing && this.#isNeeded()) void this.#computeOnCallingThread();
  }

  #freest(): WorkerThread | undefined {
    let best: WorkerThread | undefined;
    for (const thread of this.#threads) if (thread.ready && thread.room > (best?.room ?? 0)) best = thread;
    return best;
  }

  #take(): MessageTask | undefined {
    const at = this.#tasks.findIndex((task) => task.waiting);
    if (at < 0) return undefined;
    const task = this.#tasks.splice(at, 1)[0] as MessageTask;
    this.#tasks.push(task);
    return task;
  }

  async #assign(task: MessageTask, thread: WorkerThread): Promise<void> {
    const part = task.begin();
    try {
      task.complete(part, (await thread.run(task.jobOf(part))) as Uint8Array);
    } catch (error) {
      if (error instanceof WorkerLostError) task.requeue(part);
      else task.fail(error);
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
      const task = this.#take();
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
    this.#partsBegun++;
    try {
      const here = this.#callingThread as CallingThread;
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

/** Shares memory if there are to be workers and the runtime supports it. Compiles the kernel before it reserves any. */
function makeWorkspace(workers: boolean): Workspace {
  const module = workers ? sharedTreeModule() : undefined;
  const memory = module && SharedMemory.create();
  return memory ? { module, memory } : { module: treeModule(), memory: undefined };
}

/** The bytes of its area, and room for one part. */
const CALLING_SIZE = AREA_SIZE + MAX_PART;

/**
 * Computes parts on the calling thread, with the workers' kernel, so that the engine has optimised it by the time that
 * they start.
 */
class CallingThread {
  /** Bytes that are written here are hashed in place. */
  readonly room: Uint8Array;
  readonly #memory: SharedMemory;
  readonly #kernel: PartKernel;
  /** The address of its area in the workers' memory, if it has one there. */
  readonly #area: number | undefined;

  constructor({ module, memory }: Workspace) {
    const area = memory?.allocate(CALLING_SIZE);
    this.#memory = area === undefined ? ownMemory(memory !== undefined) : (memory as SharedMemory);
    this.#area = area;
    const start = area ?? FIRST_AREA;
    this.room = this.#memory.view(start + AREA_SIZE, MAX_PART);
    this.#kernel = newPartKernel(module, this.#memory.memory, start);
  }

  /** Returns the chaining values of the part's groups. */
  run({ source, ...job }: PartJob<Uint8Array>): Uint8Array {
    const isHere = source.buffer === this.room.buffer;
    return hashPart(this.#kernel, { ...job, slot: 0 }, isHere ? source.byteOffset : filler(source));
  }

  /** Wipes and releases its memory. It must not be used after that. */
  end(): void {
    if (this.#area !== undefined) this.#memory.release(this.#area, CALLING_SIZE);
  }
}

/** Memory for this thread alone, if none is shared with workers or the shared memory is full. */
function ownMemory(shared: boolean): SharedMemory {
  const pages = (FIRST_AREA + CALLING_SIZE) / PAGE;
  return new SharedMemory(makeMemory({ initial: pages, maximum: pages, shared }));
}
