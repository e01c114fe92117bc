// Jobs, and a list of their outcomes in memory that several threads share.

import type { Observer } from "../files/read.js";
import { FileError } from "../system/errors.js";
import type { Recipe } from "./computation.js";

/** A digest, or the error that prevented it. */
export type Outcome = Uint8Array | Error;

/** A file to hash, or anything else whose outcome is reported in order. */
export interface FileJob {
  readonly name: string;
  /** How the file is hashed; undefined if the outcome is known, or computed otherwise. */
  readonly recipe?: Recipe | undefined;
  /** The outcome, if it is known. */
  readonly outcome?: Outcome | undefined;
  /** Computes the outcome when its turn comes. */
  readonly later?: ((runOptions: RunOptions) => Promise<Outcome>) | undefined;
  /** Computes an output that is too long to keep in memory. */
  readonly pieces?: ((observer: Observer) => Iterable<Uint8Array>) | undefined;
  /** The next job may take long to arrive: finish all jobs up to this one first. */
  readonly last?: boolean;
}

/** The options for running jobs. */
export interface RunOptions {
  /** The most threads to use; by default one per core. */
  readonly threads: number | undefined;
  readonly observer: Observer;
}

/** The job is not finished. */
const OPEN = 0;
/** The digest is in the list. */
const DONE = 1;
/** The job is left to the main thread. */
const MAIN_THREAD = 2;

export class JobList {
  readonly memory: SharedArrayBuffer;
  readonly count: number;
  readonly slot: number;
  /** The index of the next job to take, then each job's state, one of the above or a negative system error number. */
  readonly #states: Int32Array;
  readonly #lengths: Int32Array;
  readonly #digests: Uint8Array;

  /** @param slot bytes in the longest digest */
  constructor(count: number, slot: number, memory = new SharedArrayBuffer((1 + 2 * count) * 4 + count * slot)) {
    this.memory = memory;
    this.count = count;
    this.slot = slot;
    this.#states = new Int32Array(memory, 0, 1 + count);
    this.#lengths = new Int32Array(memory, (1 + count) * 4, count);
    this.#digests = new Uint8Array(memory, (1 + 2 * count) * 4);
  }

  /** Takes the next open job; returns undefined if there is none. */
  take(): number | undefined {
    for (;;) {
      const next = Atomics.add(this.#states, 0, 1);
      if (next >= this.count) return undefined;
      if (this.isOpen(next)) return next;
    }
  }

  isOpen(i: number): boolean {
    return Atomics.load(this.#states, 1 + i) === OPEN;
  }

  /** Sets the outcome of a job. One that is undefined, or an error without a number, is left to the main thread. */
  put(i: number, outcome: Outcome | undefined): void {
    if (outcome instanceof Uint8Array) {
      this.#digests.set(outcome, i * this.slot);
      this.#lengths[i] = outcome.length;
    }
    const state = outcome instanceof Uint8Array ? DONE : ((outcome as NodeJS.ErrnoException)?.errno ?? MAIN_THREAD);
    Atomics.store(this.#states, 1 + i, state);
  }

  /** Returns undefined if the job is not finished, or left to the main thread. */
  outcome(i: number): Uint8Array | FileError | undefined {
    const state = Atomics.load(this.#states, 1 + i);
    if (state === OPEN || state === MAIN_THREAD) return undefined;
    if (state !== DONE) return new FileError(state);
    return this.#digests.slice(i * this.slot, i * this.slot + (this.#lengths[i] as number));
  }
}
