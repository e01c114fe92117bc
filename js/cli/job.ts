// Jobs, and the options that they are run with.
import type { Observer } from "./files.js";
import type { Recipe } from "./recipes.js";

export interface Job {
  readonly name: string;
  readonly recipe: Recipe;
}

/** A digest, or the error that prevented it. */
export type Outcome = Uint8Array | Error;

/** An item whose outcome is reported in order. */
export interface Item {
  readonly job?: Job | undefined;
  /** Computes the outcome when its turn comes, if it is not the digest of one file. */
  readonly later?: (() => Promise<Outcome>) | undefined;
  /** The next item may take long to arrive: finish all items up to this one first. */
  readonly last?: boolean;
}

/** The options for running jobs. */
export interface RunOptions {
  /** The most threads to use; by default one per core. */
  readonly threads: number | undefined;
  readonly observer: JobObserver;
}

export interface JobObserver extends Observer {
  onFile(): void;
}
