// The state and outcome of each job, in memory that the threads of a worker pool share.
import { FileError } from "./file-error.js";

/** The job is not finished. */
export const OPEN = 0;
/** The digest is in the table. */
export const DONE = 1;
/** The job is left to the main thread. */
export const ELSEWHERE = 2;

export class JobTable {
  readonly memory: SharedArrayBuffer;
  readonly count: number;
  readonly slot: number;
  /** The index of the next job to take, then each job's state: one of the above, or a negative system error number. */
  readonly #states: Int32Array;
  readonly #digests: Uint8Array;

  /** @param slot bytes in the longest digest */
  constructor(count: number, slot: number, memory = new SharedArrayBuffer((1 + count) * 4 + count * (slot + 4))) {
    this.memory = memory;
    this.count = count;
    this.slot = slot;
    this.#states = new Int32Array(memory, 0, 1 + 2 * count);
    this.#digests = new Uint8Array(memory, (1 + 2 * count) * 4);
  }

  /** Takes the next open job; returns undefined if there is none. */
  take(): number | undefined {
    for (;;) {
      const next = Atomics.add(this.#states, 0, 1);
      if (next >= this.count) return undefined;
      if (this.state(next) === OPEN) return next;
    }
  }

  state(i: number): number {
    return Atomics.load(this.#states, 1 + i);
  }

  put(i: number, outcome: Uint8Array | FileError): void {
    if (outcome instanceof FileError) {
      Atomics.store(this.#states, 1 + i, outcome.errno);
      return;
    }
    this.#digests.set(outcome, i * this.slot);
    this.#states[1 + this.count + i] = outcome.length;
    Atomics.store(this.#states, 1 + i, DONE);
  }

  /** Leaves a job to the main thread. */
  pass(i: number): void {
    Atomics.store(this.#states, 1 + i, ELSEWHERE);
  }

  outcome(i: number): Uint8Array | FileError {
    const state = this.state(i);
    if (state !== DONE) return new FileError(state);
    const at = i * this.slot;
    return this.#digests.slice(at, at + (this.#states[1 + this.count + i] as number));
  }
}
