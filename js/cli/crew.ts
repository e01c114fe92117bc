// Worker threads that hash files beside the main thread.
import { Worker } from "node:worker_threads";
import { Board } from "./board.js";
import { isStandardInput, type Observer } from "./files.js";
import type { Job } from "./job.js";
import { lengthOf, type Recipe } from "./recipes.js";

/** A recipe without functions, which no thread can pass on. */
export interface PlainRecipe extends Omit<Recipe, "algorithm"> {
  readonly algorithm: string;
}

/** What a member is told about a window of jobs. */
export interface Orders {
  readonly memory: SharedArrayBuffer;
  readonly count: number;
  readonly slot: number;
  readonly names: readonly string[];
  readonly recipes: readonly PlainRecipe[];
  /** The place in `recipes` of each job's. */
  readonly kinds: readonly number[];
}

/** Marks a worker of the command as one; where it counts the bytes that it reads. */
export interface Membership {
  readonly read: SharedArrayBuffer;
}

/** Digests of so many bytes in all are kept for the main thread at a time. */
const MAX_DIGESTS = 64 * 1024 * 1024;

const REPORT_MS = 100;

export class Crew {
  readonly #members: Worker[] = [];
  readonly #read = new BigInt64Array(new SharedArrayBuffer(8));
  #reported = 0n;
  /** Members that have not said yet that nothing is left of the window. */
  readonly #busy = new Set<Worker>();
  #onSettled: () => void = () => {};

  constructor(size: number) {
    const membership: Membership = { read: this.#read.buffer as SharedArrayBuffer };
    for (let i = 0; i < size; i++) this.#hire(membership);
  }

  #hire(membership: Membership): void {
    const member = new Worker(__filename, { workerData: membership, stdout: true, stderr: true });
    const leave = (): void => {
      this.#members.splice(this.#members.indexOf(member) >>> 0, 1);
      this.#rest(member);
    };
    member.on("message", () => this.#rest(member));
    // A member that cannot start, or falls, leaves its jobs to the others.
    member.on("error", leave).on("exit", leave);
    member.unref();
    this.#members.push(member);
  }

  #rest(member: Worker): void {
    this.#busy.delete(member);
    if (this.#busy.size === 0) this.#onSettled();
  }

  /** Gives the members a window of jobs; undefined where they cannot take it. */
  hand(jobs: readonly (Job | undefined)[]): Board | undefined {
    const slot = Math.max(0, ...new Set(jobs.map((job) => (job ? lengthOf(job.recipe) : 0))));
    if (slot * jobs.length > MAX_DIGESTS || this.#members.length === 0) return undefined;
    const board = new Board(jobs.length, slot);
    for (const [i, job] of jobs.entries()) if (!job || isStandardInput(job.name)) board.pass(i);
    const orders = ordersFor(jobs, board);
    for (const member of this.#members) {
      member.postMessage(orders);
      this.#busy.add(member);
    }
    return board;
  }

  /** Resolves when no member does anything. */
  async settle(observer: Observer): Promise<void> {
    if (this.#busy.size === 0) return;
    const timer = setInterval(() => this.report(observer), REPORT_MS);
    await new Promise<void>((resolve) => {
      this.#onSettled = resolve;
    });
    clearInterval(timer);
  }

  /** Tells an observer what the members have read since the last time. */
  report(observer: Observer): void {
    const read = Atomics.load(this.#read, 0);
    if (read === this.#reported) return;
    observer.onBytes(Number(read - this.#reported));
    this.#reported = read;
  }

  end(): void {
    for (const member of this.#members) void member.terminate();
  }
}

function ordersFor(jobs: readonly (Job | undefined)[], { memory, count, slot }: Board): Orders {
  const recipes = [...new Set(jobs.map((job) => job?.recipe))];
  const places = new Map(recipes.map((recipe, i) => [recipe, i]));
  return {
    memory,
    count,
    slot,
    names: jobs.map((job) => job?.name ?? ""),
    recipes: recipes.map((recipe) => ({
      ...(recipe ?? { options: {}, seek: 0n }),
      algorithm: recipe?.algorithm.algorithm ?? "blake3",
    })),
    kinds: jobs.map((job) => places.get(job?.recipe) ?? 0),
  };
}
