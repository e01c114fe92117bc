// One worker and its current jobs.
import { certainLatency } from "../engine/vector-latency.js";
import { isThenable } from "../input/promises.js";
import { FIRST_AREA, MODE_SIZE, modeAt } from "../tree/kernel.js";
import type { ErrorMessage, GroupedPart, PartMessage, Place, Reply, Start } from "./messages.js";
import { AREA_SIZE, filler, SLOT_SIZE, SLOTS, slotAt } from "./part-kernel.js";
import type { SharedMemory } from "./shared-memory.js";
import { startWorker, type WorkerHandle } from "./worker-handle.js";

/** The workers' kernel, and their shared memory if they have one. */
export interface Workspace {
  readonly module: WebAssembly.Module;
  readonly memory: SharedMemory | undefined;
}

/** A part to hash. */
export interface PartJob<S = Place | Uint8Array> extends GroupedPart {
  /** The location of the bytes, or the bytes themselves. */
  readonly source: S;
  /** Key and flags, wiped once they have been passed on. */
  readonly parameters: Uint8Array;
}

/** The worker ended before the job was complete. */
export class WorkerLostError extends Error {
  constructor() {
    super("the worker has ended");
  }
}

interface Pending {
  resolve(values: Uint8Array | undefined): void;
  reject(error: Error): void;
}

export class WorkerThread {
  /** Whether the worker can hash parts. */
  ready = false;
  readonly #onChange: (thread: WorkerThread) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #free = Array.from({ length: SLOTS }, (_, slot) => slot);
  /** The slots' buffers, which are transferred back and forth if no memory is shared. */
  readonly #buffers: (ArrayBuffer | undefined)[] = [];
  #worker: WorkerHandle | undefined;
  #workspace: Workspace | undefined;
  #area = FIRST_AREA;

  /** Starts a worker, if there can be one. Calls `onChange` when it is ready or has ended. */
  constructor(onChange: (thread: WorkerThread) => void) {
    this.#onChange = onChange;
    this.#worker = startWorker({ receive: (reply) => this.#receive(reply as Reply), end: () => this.#end() });
  }

  /** Sends the worker what it hashes parts with, once; ends it and returns false if that cannot be sent. */
  prepare(workspace: Workspace): boolean {
    if (this.#workspace || !this.#worker) return this.alive;
    const { module, memory } = workspace;
    try {
      const area = memory ? memory.allocate(AREA_SIZE) : FIRST_AREA;
      if (area === undefined) throw new WorkerLostError();
      [this.#workspace, this.#area] = [workspace, area];
      const start: Start = { module, memory: memory?.memory, area, latency: certainLatency() };
      this.#worker.post(start, []);
    } catch {
      void this.terminate();
    }
    return this.alive;
  }

  /** Whether there is a worker, started or starting. */
  get alive(): boolean {
    return this.#worker !== undefined;
  }

  /** The number of jobs that it can accept; they wait until it is ready. */
  get room(): number {
    return this.#free.length;
  }

  /** Sets whether the worker keeps the process alive. */
  setRef(isReferenced: boolean): void {
    this.#worker?.setRef(isReferenced);
  }

  /** Returns a job's chaining values; rejects with a WorkerLostError if the worker ends, or its error. */
  async run(job: PartJob | Promise<PartJob>): Promise<Uint8Array | undefined> {
    const slot = this.#free.pop() as number;
    try {
      // A job that is not a promise is sent without an await: the caller may be about to block the thread.
      return await this.#give(slot, isThenable(job) ? await job : job);
    } catch (error) {
      this.#wipeParameters(slot);
      throw error;
    } finally {
      this.#pending.delete(slot);
      this.#free.push(slot);
    }
  }

  #give(slot: number, { source, offset, length, group, parameters }: PartJob): Promise<Uint8Array | undefined> {
    try {
      if (!this.#worker) throw new WorkerLostError();
      const memory = this.#workspace?.memory;
      const place = ArrayBuffer.isView(source) ? this.#copyForWorker(slot, source, length) : source;
      memory?.view(modeAt(this.#area, slot), parameters.length).set(parameters);
      const message: PartMessage = { slot, offset, length, group, place, parameters: memory ? undefined : parameters };
      this.#worker.post(message, place.kind === "moved" ? [place.bytes.buffer] : []);
    } finally {
      parameters.fill(0);
    }
    return new Promise((resolve, reject) => this.#pending.set(slot, { resolve, reject }));
  }

  /** Wipes the parameters of a job that the worker has not begun. An ended worker's whole area is released instead. */
  #wipeParameters(slot: number): void {
    if (this.#worker) this.#workspace?.memory?.view(modeAt(this.#area, slot), MODE_SIZE).fill(0);
  }

  /** Copies bytes for the worker, into its slot or into a buffer that is transferred. */
  #copyForWorker(slot: number, bytes: Uint8Array, length: number): Place {
    const fill = filler(bytes);
    const memory = this.#workspace?.memory;
    if (memory) {
      fill(memory.view(slotAt(this.#area, slot), length), 0);
      return { kind: "slot" };
    }
    const moved = new Uint8Array(this.#buffers[slot] ?? new ArrayBuffer(SLOT_SIZE), 0, length);
    fill(moved, 0);
    this.#buffers[slot] = undefined;
    return { kind: "moved", bytes: moved };
  }

  #receive(reply: Reply): void {
    if (!this.#worker) return;
    if (reply.kind === "ready") {
      this.ready = true;
      this.#onChange(this);
      return;
    }
    const pending = this.#pending.get(reply.slot);
    if (reply.kind === "error") pending?.reject(errorOf(reply.value));
    else {
      this.#buffers[reply.slot] = reply.buffer;
      pending?.resolve(reply.value);
    }
  }

  #end(): void {
    if (!this.#worker) return;
    void this.terminate();
    this.#onChange(this);
  }

  /** Ends the worker; its pending jobs reject. */
  async terminate(): Promise<void> {
    const remote = this.#worker;
    this.#worker = undefined;
    this.ready = false;
    for (const { reject } of this.#pending.values()) reject(new WorkerLostError());
    // The area is released once the worker has certainly stopped.
    if (await remote?.terminate()) this.#workspace?.memory?.release(this.#area, AREA_SIZE);
  }
}

function errorOf({ message, name, ...system }: ErrorMessage): Error {
  const error = new Error(message);
  if (name !== error.name) error.name = name;
  return system.code === undefined ? error : Object.assign(error, system);
}
