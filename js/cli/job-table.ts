// What the threads of a crew share: who does which job, and what has come of it.
import { FileError } from "./file-error.js";

/** Nobody has done it yet. */
export const OPEN = 0;
/** The digest is there. */
export const DONE = 1;
/** Only the main thread can do it. */
export const ELSEWHERE = 2;

export class JobTable {
  readonly memory: SharedArrayBuffer;
  readonly count: number;
  readonly slot: number;
  /** The next job that nobody has taken, then the state of each; negative ones are numbers of the system's errors. */
  readonly #states: Int32Array;
  readonly #digests: Uint8Array;

  /** @param slot the bytes of the longest digest */
  constructor(count: number, slot: number, memory = new SharedArrayBuffer((1 + count) * 4 + count * (slot + 4))) {
    this.memory = memory;
    this.count = count;
    this.slot = slot;
    this.#states = new Int32Array(memory, 0, 1 + 2 * count);
    this.#digests = new Uint8Array(memory, (1 + 2 * count) * 4);
  }

  /** A job that nobody else does; undefined when there is none left. */
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
    return this.#digests.slice(at, at + (this.#states[1 + this.count + i] ?? 0));
  }
}
