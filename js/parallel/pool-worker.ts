// One worker and its current jobs.
import { certainLatency } from "../engine/vector-latency.js";
import { copyOf } from "../input/caller-bytes.js";
import { FIRST_AREA, MODE_SIZE, modeAt } from "../tree/kernel.js";
import {
  CALL,
  type ErrorMessage,
  type GroupedPart,
  type PartMessage,
  type Place,
  type Reply,
  type Start,
} from "./messages.js";
import { filler, SLOT_SIZE, SLOTS, slotAt } from "./part-kernel.js";
import { type RuntimeWorker, startWorker } from "./runtime-worker.js";
import type { SharedMemory } from "./shared-memory.js";

/** The workers' kernel, and their shared memory if they have one. */
export interface Workspace {
  readonly module: WebAssembly.Module;
  readonly memory: SharedMemory | undefined;
}

/** A part to hash. */
export interface PartJob<S = Place | Uint8Array> extends GroupedPart {
  /** The location of the bytes, or the bytes themselves. */
  readonly source: S;
  /** Key and flags. */
  readonly parameters: Uint8Array;
}

interface Pending {
  resolve(values: Uint8Array): void;
  reject(error: Error): void;
}

export class PoolWorker {
  /** Whether the worker can hash parts. */
  ready = false;
  readonly #onChange: (thread: PoolWorker) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #free = Array.from({ length: SLOTS }, (_, slot) => slot);
  /** The slots' buffers, which are transferred back and forth if no memory is shared. */
  readonly #buffers: (ArrayBuffer | undefined)[] = [];
  readonly #memory: SharedMemory | undefined;
  readonly #area: number;
  #worker: RuntimeWorker | undefined;

  /** Starts a worker, if there can be one. Calls `onChange` when it is ready or has ended. */
  constructor({ module, memory }: Workspace, onChange: (thread: PoolWorker) => void) {
    this.#onChange = onChange;
    this.#memory = memory;
    const area = memory ? memory.takeArea() : FIRST_AREA;
    this.#area = area ?? FIRST_AREA;
    if (area === undefined) return;
    try {
      this.#worker = startWorker({ receive: (reply) => this.#receive(reply as Reply), end: () => this.#end() });
      const start: Start = { module, memory: memory?.memory, area, latency: certainLatency() };
      this.#worker?.post(start, []);
    } catch {
      void this.terminate();
    }
  }

  /** Whether there is a worker, started or starting. */
  get alive(): boolean {
    return this.#worker !== undefined;
  }

  /** The number of jobs that it can accept. */
  get room(): number {
    return this.#free.length;
  }

  /** Sets whether the worker keeps the process alive. */
  setRef(isReferenced: boolean): void {
    this.#worker?.setRef(isReferenced);
  }

  /** Returns a job's chaining values; rejects with its error, or if the worker ends. */
  async run(job: Promise<PartJob>): Promise<Uint8Array> {
    const slot = this.#free.pop() as number;
    try {
      return await this.#give(slot, await job);
    } catch (error) {
      // The worker may not have begun the job.
      if (this.#worker) this.#memory?.view(modeAt(this.#area, slot), MODE_SIZE).fill(0);
      throw error;
    } finally {
      this.#pending.delete(slot);
      this.#free.push(slot);
    }
  }

  #give(slot: number, { source, offset, length, group, parameters }: PartJob): Promise<Uint8Array> {
    if (!this.#worker) throw workerEnded();
    const place = ArrayBuffer.isView(source) ? this.#copyForWorker(slot, source, length) : source;
    const memory = this.#memory;
    memory?.view(modeAt(this.#area, slot), parameters.length).set(parameters);
    // Moved, so that no copy stays here.
    const own = memory ? undefined : copyOf(parameters);
    const transfer = own ? [own.buffer] : [];
    if (place.kind === "moved") transfer.push(place.bytes.buffer);
    this.#worker.post({ slot, offset, length, group, place, parameters: own } satisfies PartMessage, transfer);
    return new Promise((resolve, reject) => this.#pending.set(slot, { resolve, reject }));
  }

  /** Copies bytes for the worker, into its slot or into a buffer that is transferred. */
  #copyForWorker(slot: number, bytes: Uint8Array, length: number): Place {
    const fill = filler(bytes);
    const memory = this.#memory;
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
    for (const { reject } of this.#pending.values()) reject(workerEnded());
    // The area is released once the worker has certainly stopped.
    if (await remote?.terminate()) this.#memory?.releaseArea(this.#area);
  }
}

const workerEnded = (): Error => new Error(`${CALL}: a worker ended before its part was hashed`);

function errorOf({ message, name, ...system }: ErrorMessage): Error {
  const error = new Error(message);
  if (name !== error.name) error.name = name;
  return system.code === undefined ? error : Object.assign(error, system);
}
