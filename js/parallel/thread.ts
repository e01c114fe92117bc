// One worker, and the jobs that it has in hand.
import {
  AREA_SIZE,
  FIRST_AREA,
  type Job,
  PARAMETERS_SIZE,
  type Place,
  parametersAt,
  type Reply,
  SLOT_SIZE,
  SLOTS,
  type Start,
  slotAt,
  type Trouble,
} from "./layout.js";
import type { Part } from "./parts.js";
import { type Remote, startWorker } from "./remote.js";
import type { SharedMemory } from "./shared-memory.js";

/** What workers compute with: the kernel, and the memory that they share, where they can. */
export interface Ground {
  readonly module: WebAssembly.Module;
  readonly memory: SharedMemory | undefined;
}

/** A part to be hashed. */
export interface Order<S = Place | Uint8Array> extends Part {
  /** Where the worker finds the bytes, or the bytes themselves. */
  readonly source: S;
  /** Key and flags; they are wiped when they have been passed on. */
  readonly parameters: Uint8Array;
}

/** The worker has ended, and the job with it. */
export class LostError extends Error {
  constructor() {
    super("the worker has ended");
  }
}

interface Pending {
  resolve(values: Uint8Array): void;
  reject(error: Error): void;
}

export class Thread {
  /** Whether the worker has started, and not ended. */
  ready = false;
  readonly #ground: Ground;
  readonly #area: number;
  readonly #onChange: (thread: Thread) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #free = Array.from({ length: SLOTS }, (_, slot) => slot);
  /** What is moved back and forth where no memory is shared. */
  readonly #buffers: ArrayBuffer[] = [];
  #remote: Remote | undefined;

  /** Undefined where no worker or no memory is to be had. `onChange` is called when it is ready and when it has ended. */
  static start(ground: Ground, onChange: (thread: Thread) => void): Thread | undefined {
    const area = ground.memory ? ground.memory.allocate(AREA_SIZE) : FIRST_AREA;
    if (area === undefined) return undefined;
    const thread = new Thread(ground, area, onChange);
    if (thread.alive) return thread;
    thread.#leave();
    return undefined;
  }

  private constructor(ground: Ground, area: number, onChange: (thread: Thread) => void) {
    this.#ground = ground;
    this.#area = area;
    this.#onChange = onChange;
    const start: Start = { module: ground.module, memory: ground.memory?.memory, area };
    this.#remote = startWorker(start, { receive: (reply) => this.#receive(reply as Reply), end: () => this.#end() });
  }

  /** Whether there is a worker, started or about to. */
  get alive(): boolean {
    return this.#remote !== undefined;
  }

  /** How many parts it can be given. */
  get room(): number {
    return this.ready ? this.#free.length : 0;
  }

  /** Says whether the process has to wait for the worker. */
  hold(held: boolean): void {
    this.#remote?.hold(held);
  }

  /** The chaining values of its subtrees; rejects with a LostError where the worker ends before, else with what hindered it. */
  async run(order: Order | Promise<Order>): Promise<Uint8Array> {
    const slot = this.#free.pop() as number;
    try {
      // What is at hand is sent at once: whoever calls may be about to compute.
      return await this.#give(slot, order instanceof Promise ? await order : order);
    } catch (error) {
      this.#wipeParameters(slot);
      throw error;
    } finally {
      this.#pending.delete(slot);
      this.#free.push(slot);
    }
  }

  #give(slot: number, { source, at, length, parameters }: Order): Promise<Uint8Array> {
    try {
      if (!this.#remote) throw new LostError();
      const { memory } = this.#ground;
      const place = source instanceof Uint8Array ? this.#hand(slot, source) : source;
      memory?.view(parametersAt(this.#area, slot), parameters.length).set(parameters);
      const job: Job = { slot, at, length, place, parameters: memory ? undefined : parameters };
      this.#remote.post(job, place.kind === "moved" ? [place.buffer] : []);
    } finally {
      parameters.fill(0);
    }
    return new Promise((resolve, reject) => this.#pending.set(slot, { resolve, reject }));
  }

  /** For a job that the worker has not begun. The area of one that has ended is given back as a whole. */
  #wipeParameters(slot: number): void {
    if (this.#remote) this.#ground.memory?.view(parametersAt(this.#area, slot), PARAMETERS_SIZE).fill(0);
  }

  /** Copies bytes for the worker: into its slot, or into a buffer that is moved to it. */
  #hand(slot: number, bytes: Uint8Array): Place {
    const { memory } = this.#ground;
    if (memory) {
      memory.view(slotAt(this.#area, slot), bytes.length).set(bytes);
      return { kind: "slot" };
    }
    const buffer = this.#buffers.pop() ?? new ArrayBuffer(SLOT_SIZE);
    new Uint8Array(buffer).set(bytes);
    return { kind: "moved", buffer };
  }

  #receive(reply: Reply): void {
    if (!this.#remote) return;
    if ("ready" in reply) {
      this.ready = true;
      this.#onChange(this);
      return;
    }
    const pending = this.#pending.get(reply.slot);
    if ("trouble" in reply) {
      pending?.reject(errorOf(reply.trouble));
      return;
    }
    if (reply.buffer) this.#buffers.push(reply.buffer);
    pending?.resolve(reply.values);
  }

  #end(): void {
    if (!this.#remote) return;
    void this.terminate();
    this.#onChange(this);
  }

  /** Ends the worker; what it has in hand is lost. */
  async terminate(): Promise<void> {
    const remote = this.#remote;
    this.#remote = undefined;
    this.ready = false;
    for (const { reject } of this.#pending.values()) reject(new LostError());
    if (await remote?.terminate()) this.#leave();
  }

  /** Gives the area back, where nothing runs any more. */
  #leave(): void {
    this.#ground.memory?.release(this.#area, AREA_SIZE);
  }
}

function errorOf({ message, name, ...system }: Trouble): Error {
  const error = new Error(message);
  if (name !== error.name) error.name = name;
  return system.code === undefined ? error : Object.assign(error, system);
}
