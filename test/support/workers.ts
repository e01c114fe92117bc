// Node's workers, watched: what they have been sent, what they have computed, and how they hold the process.
import threads, { Worker } from "node:worker_threads";
import type { Blake3Pool } from "blake-simd/parallel";
import { afterEach } from "vitest";
import { expectBytes } from "./messages.ts";
import { digestOf, MESSAGE, withPool } from "./pool.ts";

interface PartMessage {
  readonly slot: number;
  readonly place?: { readonly kind: string };
  readonly parameters?: Uint8Array;
}

interface Reply {
  readonly kind: string;
  readonly slot: number;
  readonly buffer?: ArrayBuffer;
}

/** Workers that are alive. */
export const workers = new Set<WatchedWorker>();

/** The kinds of place of parts that workers have computed. */
export const computed = new Set<string>();

/** Keys that were sent to workers, and buffers of content that came back: all must be wiped. */
export const secrets: Uint8Array[] = [];

/** The parts of one worker. */
export class Parts {
  /** Those that it has not finished: slot -> kind of place. */
  readonly inHand = new Map<number, string>();
  /** The most that any worker has had at a time. */
  static most = 0;
  sent = 0;

  send({ slot, place, parameters }: PartMessage): void {
    if (!place) return;
    this.sent++;
    this.inHand.set(slot, place.kind);
    Parts.most = Math.max(Parts.most, this.inHand.size);
    if (parameters) secrets.push(parameters);
  }

  receive({ kind, slot, buffer }: Reply): void {
    if (kind === "values") computed.add(this.inHand.get(slot) as string);
    if (buffer) secrets.push(new Uint8Array(buffer.slice()));
    this.inHand.delete(slot);
  }
}

export class WatchedWorker extends Worker {
  /** Sees each message to a worker, in place of its sending if it returns true. */
  static intercept: ((worker: WatchedWorker, message: PartMessage, transfer: ArrayBuffer[]) => boolean) | undefined;
  readonly parts = new Parts();
  holds = true;

  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args);
    workers.add(this);
    this.on("message", (reply) => this.parts.receive(reply));
    this.once("exit", () => workers.delete(this));
  }

  override postMessage(...args: Parameters<Worker["postMessage"]>): void {
    const message = args[0] as PartMessage;
    this.parts.send(message);
    if (message.place && WatchedWorker.intercept?.(this, message, args[1] as ArrayBuffer[])) return;
    super.postMessage(...args);
  }

  override ref(): void {
    this.holds = true;
    super.ref();
  }

  override unref(): void {
    this.holds = false;
    super.unref();
  }
}

/** Has pools start workers of another class until the test ends. */
export function useWorkers(Kind: typeof Worker): void {
  threads.Worker = Kind;
}

afterEach(() => {
  threads.Worker = Worker;
  WatchedWorker.intercept = undefined;
  workers.clear();
});

/**
 * Hashes until something is true; each digest must be right. Until workers have started, the calling thread computes.
 */
export async function hashUntil(pool: Blake3Pool, done: () => boolean): Promise<void> {
  while (!done()) expectBytes(await pool.hash(MESSAGE), digestOf(MESSAGE.length));
}

/** A pool whose workers, which are watched, have all computed something. */
export async function withWorkingPool(count: number, use: (pool: Blake3Pool) => Promise<void>): Promise<void> {
  useWorkers(WatchedWorker);
  await withPool({ threads: count }, async (pool) => {
    const working = () => [...workers].filter(({ parts }) => parts.sent > 0);
    await hashUntil(pool, () => working().length === count);
    await use(pool);
  });
}
