// The workers of a pool, and the hashes that are in flight: who does which part. Where no worker is ready, as in the first
// milliseconds or where none can be had, the calling thread does one part after the other and lets others run in between.
import { Here } from "./here.js";
import { mayHaveWorkers } from "./remote.js";
import { SharedMemory } from "./shared-memory.js";
import { sharedSubtreeModule, subtreeModule } from "./subtree-module.js";
import type { Task } from "./task.js";
import { type Ground, LostError, Thread } from "./thread.js";

/** Bytes that the calling thread hashes before it lets others run: a millisecond's work, in which a page can go on. */
const STEP = 0x200000;
/** The most that it hashes to save itself the waiting: half as much. */
const HELP = 0x100000;

export class Crew {
  /** How many workers there are to be: as many as were asked for, until it turns out that there cannot be. */
  wanted: number;
  /** Whether the calling thread always computes too. */
  readonly #joins: boolean;
  readonly #threads = new Set<Thread>();
  /** Whoever is served goes to the end, so that a short message need not wait for a long one. */
  readonly #tasks: Task[] = [];
  #ground: Ground | undefined;
  #here: Here | undefined;
  /** Whether a worker has ever started. */
  #proven = false;
  #computing = false;
  /** Parts that the calling thread has begun and not ended. */
  #partsHere = 0;

  constructor(wanted: number, joins: boolean) {
    this.wanted = mayHaveWorkers() ? wanted : 0;
    this.#joins = joins;
  }

  /** Threads that compute a message together. */
  get threads(): number {
    return this.wanted + (this.#joins ? 1 : 0);
  }

  /** What is computed with. */
  get ground(): Ground {
    this.#ground ??= makeGround(this.wanted > 0);
    return this.#ground;
  }

  /** Has all parts of a task done. */
  async run(task: Task): Promise<Uint8Array<ArrayBuffer>> {
    const own = this.#helps(task) ? task.begin() : undefined;
    this.#tasks.push(task);
    try {
      this.#recruit();
      this.#hold(true);
      this.#distribute();
      if (own !== undefined) void this.#computePart(task, own);
    } catch (error) {
      task.abort(error);
    }
    try {
      return await task.digest;
    } finally {
      this.#tasks.splice(this.#tasks.indexOf(task), 1);
      if (this.#tasks.length === 0) this.#hold(false);
    }
  }

  /** Waits for all tasks, then ends the workers, and lets go of memory and kernels. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#tasks.map((task) => task.digest));
    await Promise.all(Array.from(this.#threads, (thread) => thread.terminate()));
    this.#threads.clear();
    // A reading of an aborted hash may still write to the memory: then it is left alone.
    if (this.#partsHere === 0) this.#here?.end();
    this.#here = undefined;
    this.#ground?.memory?.retire();
    this.#ground = undefined;
  }

  /** Whether the calling thread does a part itself: a short one, rather than wait for another worker to wake and to answer. */
  #helps({ bytesInMemory }: Task): boolean {
    const idle = this.#tasks.length === 0 && this.threads > 1;
    return idle && bytesInMemory > 0 && bytesInMemory <= this.threads * HELP;
  }

  /** Starts workers that are missing and have something to do: those that were never there, and those that have ended. */
  #recruit(): void {
    const parts = this.#tasks.reduce((sum, task) => sum + task.count, 0);
    while (this.#threads.size < Math.min(this.wanted, parts)) {
      const thread = Thread.start(this.ground, (changed) => this.#notice(changed));
      if (thread) this.#threads.add(thread);
      else this.wanted = this.#threads.size;
    }
  }

  /** A worker has started or ended. Where all have ended before any has ever started, there will be none. */
  #notice(thread: Thread): void {
    if (thread.ready) this.#proven = true;
    if (!thread.alive) this.#threads.delete(thread);
    if (!this.#proven && this.#threads.size === 0) this.wanted = 0;
    this.#distribute();
  }

  #hold(held: boolean): void {
    for (const thread of this.#threads) thread.hold(held);
  }

  #distribute(): void {
    for (;;) {
      const thread = this.#roomiest();
      const task = thread && this.#take();
      if (!task) break;
      void this.#assign(task, thread);
    }
    if (!this.#computing && this.#isNeeded()) void this.#computeHere();
  }

  #roomiest(): Thread | undefined {
    let best: Thread | undefined;
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

  async #assign(task: Task, thread: Thread): Promise<void> {
    const part = task.begin();
    try {
      task.complete(part, await thread.run(task.order(part)));
    } catch (error) {
      if (error instanceof LostError) task.lose(part);
      else task.fail(error);
    }
    this.#distribute();
  }

  /** Whether the calling thread has to compute: always, or as long as nobody else does. */
  #isNeeded(): boolean {
    return this.#joins || !Array.from(this.#threads).some((thread) => thread.ready);
  }

  async #computeHere(): Promise<void> {
    this.#computing = true;
    for (let bytes = 0; this.#isNeeded(); ) {
      const task = this.#take();
      if (!task) break;
      bytes += await this.#computePart(task, task.begin());
      if (bytes < STEP) continue;
      await breathe();
      bytes = 0;
    }
    this.#computing = false;
  }

  /** Answers how many bytes that were. */
  async #computePart(task: Task, part: number): Promise<number> {
    this.#partsHere++;
    try {
      this.#here ??= new Here(this.ground);
      const here = this.#here;
      const order = await task.orderBytes(part, here.room);
      task.complete(part, here.run(order));
      return order.length;
    } catch (error) {
      task.fail(error);
      return 0;
    } finally {
      this.#partsHere--;
    }
  }
}

/** With memory that workers share, where there are to be any and it can be had. */
function makeGround(workers: boolean): Ground {
  const memory = workers ? SharedMemory.create() : undefined;
  const module = memory && sharedSubtreeModule();
  return module ? { module, memory } : { module: subtreeModule(), memory: undefined };
}

/** Lets everything run that waits for its turn. A browser's timers would take 4 ms. */
function breathe(): Promise<void> {
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
