// What is to be done with files, and how.
import type { Observer } from "./files.js";
import type { Recipe } from "./recipes.js";

export interface Job {
  readonly name: string;
  readonly recipe: Recipe;
}

/** Something that comes out in its turn, with the digest of its job or why there is none. */
export interface Item {
  readonly job?: Job | undefined;
  /** Computes it in its turn, when it is no digest of one file. */
  readonly later?: (() => Promise<Outcome>) | undefined;
  /** What follows may take long to come: all before is to be done first. */
  readonly last?: boolean;
}

/** A digest, or why there is none. */
export type Outcome = Uint8Array | Error;

/** How jobs are done. */
export interface RunOptions {
  /** How many threads may be used; by default as many as the machine runs at a time. */
  readonly threads: number | undefined;
  readonly observer: JobObserver;
}

export interface JobObserver extends Observer {
  onFile(): void;
}
