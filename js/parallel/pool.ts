// BLAKE3 of large messages on several threads.
import { builtin } from "../input/builtin.js";
import { outOfRange, proxied, requireArguments, wrongKind } from "../input/errors.js";
import { readGlobal } from "../input/globals.js";
import { boolean, integer, NO_OPTIONS, requireKnown, wholeNumber } from "../input/options.js";
import { onAbort, unlessAborted } from "../input/signals.js";
import { type Chunks, cancel } from "../sources/chunks.js";
import { PIECE } from "../tree/kernel.js";
import { hashInOrder, inOrder } from "./in-order.js";
import { LentMemory } from "./lent-memory.js";
import { type Blake3Source, type FilePath, type OpenFile, openPoolSource, THRESHOLD } from "./open-source.js";
import { MAX_PART, SLOT_SIZE } from "./part-kernel.js";
import { type Blake3PoolHashOptions, type Request, toRequest, wipeMode } from "./request.js";
import { Scheduler } from "./scheduler.js";
import { isChunks, type PoolSource } from "./source.js";
import { MessageTask } from "./task.js";

export type { Blake3PoolHashOptions, Blake3Source, FilePath, OpenFile };

/** @internal */
type GroupsOptions = Pick<Blake3PoolHashOptions, "signal" | "onProgress">;

/** @internal */
type Groups =
  | { readonly kind: "values"; readonly length: number; readonly unit: number; readonly values: Uint8Array }
  | { readonly kind: "chunks"; readonly chunks: Chunks };

/** The threads of a pool. */
export interface Blake3PoolOptions {
  /** Number of threads, 0 to 1024; by default one per core. With 0, the calling thread computes alone. */
  readonly threads?: number | undefined;
  /**
   * Makes the calling thread one of them, for a program that has nothing else to do. By default all are workers, and
   * the calling thread computes in small steps only until they have started.
   */
  readonly callingThread?: boolean | undefined;
}

// Large enough that the cost of a part's messages is negligible.
const MIN_PART = 0x40000;

const NAME = "Blake3Pool";
const MAX_THREADS = 1024;

/**
 * A pool of workers that hash large messages, each message on all of them. The workers need no separate script file,
 * start with the first hash that is large enough to benefit, and are reused for later ones; an idle pool does not keep
 * the process alive.
 *
 * If workers are not available (in edge runtimes, in a page whose content security policy forbids them, in Node before
 * 20.16), the calling thread computes the same digests in small steps, and `threads` is 0.
 *
 * @example
 * await using pool = new Blake3Pool();
 * const digest = await pool.hash({ path: "disk.img" }, { onProgress: (bytes, total) => show(bytes, total) });
 */
export class Blake3Pool {
  readonly #scheduler: Scheduler;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #memory = new LentMemory();
  #closed: Promise<void> | undefined;

  /** Calls `close`; enables `await using`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  /** @throws TypeError for an unknown option or a value of the wrong type; RangeError for `threads` out of range */
  constructor(options: Blake3PoolOptions = NO_OPTIONS) {
    const value = Blake3Pool.prototype.close;
    // Without the symbol, compiled code uses the one of the registry of symbols.
    const symbol = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");
    // Configurable, since spies of test runners replace `close`.
    Object.defineProperty(Blake3Pool.prototype, symbol, { value, configurable: true });
    requireArguments(NAME, arguments.length, 1);
    requireKnown(NAME, options, ["threads", "callingThread"]);
    const threads = integer(NAME, "threads", options.threads, 0, MAX_THREADS, cores());
    const joins = boolean(NAME, "callingThread", options.callingThread);
    this.#scheduler = new Scheduler(joins ? Math.max(0, threads - 1) : threads, joins);
  }

  /** @internal So that Vue does not wrap a pool. */
  get [Symbol.toStringTag](): string {
    return NAME;
  }

  /** Number of workers, started or not; 0 if the calling thread computes alone. */
  get threads(): number {
    return this.#scheduler.wanted;
  }

  /**
   * Computes the BLAKE3 digest of a message: the same digest as `blake3` with the same options.
   *
   * Bytes in memory must not change until the promise settles; if they do, the digest is unspecified. Workers read
   * files by their names, memory from `allocate` and, in browsers, Blobs; the calling thread copies other bytes. A file's length is
   * read when it is opened; pipes and devices are read to their end on the calling thread.
   *
   * Text is refused: `blake3(text)` is its digest, and `{ path: "disk.img" }` is the file of that name.
   *
   * @param source bytes, a Blob or File; in Node, Deno and Bun `{ path }`, which must be a plain object without other
   *   properties, a `file:` URL, or a FileHandle, which must stay open
   * @returns the digest; rejects with a TypeError or RangeError for a wrong source or option, the signal's reason, the
   *   error that `onProgress` throws, the system's error if a file cannot be read, or an Error if a worker ends or after
   *   `close`
   * @example
   * await pool.hash(bytes);
   * await pool.hash(blob, { key, signal: AbortSignal.timeout(10_000) });
   */
  async hash(source: Blake3Source, options?: Blake3PoolHashOptions): Promise<Uint8Array<ArrayBuffer>> {
    requireArguments(`${NAME}.hash`, arguments.length, 2);
    if (!(#scheduler in this)) throw proxied();
    const work = this.#withSource(source, options, undefined, (opened, request) =>
      isChunks(opened) ? hashInOrder(opened, request) : this.#hashTogether(opened, request),
    );
    return this.#track(work);
  }

  /** Makes `close` wait for work. */
  async #track<T>(work: Promise<T>): Promise<T> {
    this.#inFlight.add(work);
    try {
      return await work;
    } finally {
      this.#inFlight.delete(work);
    }
  }

  /**
   * @internal Returns what an outboard is computed from: the chaining values of the message's groups or, if the message
   * is short or of unknown length, its bytes.
   */
  groupsOf(source: Blake3Source, group: number, options: GroupsOptions): Promise<Groups> {
    const unit = Math.min(group, PIECE);
    const consume = async (opened: PoolSource | Chunks, request: Request): Promise<Groups> => {
      if (isChunks(opened)) return { kind: "chunks", chunks: opened };
      return { kind: "values", length: opened.length, unit, values: await this.#hashTogether(opened, request) };
    };
    const discard = (groups: Groups, reason: unknown): void => {
      if (groups.kind === "chunks") cancel(groups.chunks, reason);
    };
    return this.#track(this.#withSource(source, options, unit, consume, discard));
  }

  /** Opens a source and uses it, unless the pool is closed or the signal aborted. */
  async #withSource<T>(
    source: Blake3Source,
    options: Blake3PoolHashOptions = NO_OPTIONS,
    group: number | undefined,
    consume: (opened: PoolSource | Chunks, request: Request) => Promise<T>,
    discard?: (result: T, reason: unknown) => void,
  ): Promise<T> {
    const request = toRequest(options, group);
    try {
      // After the options, among which a getter may close the pool.
      this.#requireOpen("hash");
      const work = this.#open(source, request.signal).then((opened) => consume(opened, request));
      return await unlessAborted(request.signal, work, discard);
    } finally {
      wipeMode(request.mode);
    }
  }

  /** Opens a source, as chunks if it is short or of unknown length, or if there is too little memory for a workspace. */
  async #open(source: Blake3Source, signal: AbortSignal | undefined): Promise<PoolSource | Chunks> {
    signal?.throwIfAborted();
    const opened = await openPoolSource(source, () => this.#sharing);
    try {
      signal?.throwIfAborted();
      if (isChunks(opened) || (opened.length > THRESHOLD && this.#scheduler.workspace)) return opened;
      return inOrder(opened);
    } catch (error) {
      if (isChunks(opened)) cancel(opened, error);
      else opened.close();
      throw error;
    }
  }

  /** Whether workers can read a SharedArrayBuffer. In Deno, they hang on views of one, especially on a busy machine. */
  get #sharing(): boolean {
    return this.#scheduler.workspace?.memory !== undefined && !("Deno" in globalThis);
  }

  async #hashTogether(source: PoolSource, request: Request): Promise<Uint8Array<ArrayBuffer>> {
    let task: MessageTask;
    try {
      task = new MessageTask(source, request, this.#countOfParts(source));
    } catch (error) {
      source.close();
      throw error;
    }
    const end = onAbort(request.signal, (reason) => task.abort(reason));
    try {
      return await this.#scheduler.run(task);
    } finally {
      end();
    }
  }

  /**
   * The fewest equal parts that keep all threads busy, if they are not too short then. A part whose bytes are sent must
   * fit into a slot.
   */
  #countOfParts(source: PoolSource): number {
    const { threads: computing, wanted } = this.#scheduler;
    const limit = wanted > 0 && source.place(0, 1) ? MAX_PART : SLOT_SIZE;
    const threads = Math.max(1, computing);
    const rounds = Math.ceil(source.length / (limit * threads));
    const most = Math.floor(source.length / MIN_PART);
    return Math.max(2, Math.min(most, rounds * threads));
  }

  /**
   * Allocates a SharedArrayBuffer, which workers read themselves, for one message or several in turn. Its bytes are
   * initially zero. Engines may free such memory late: `release` it, or use it again. If workers cannot read it, as in
   * a page that is not cross-origin isolated and in Deno, this returns an array over an ArrayBuffer.
   *
   * @param length in bytes
   * @returns an array over a buffer that holds nothing else
   * @throws TypeError for a value that is not a number; RangeError for a length that is out of range or cannot be
   *   allocated; Error after `close`
   * @example
   * const bytes = pool.allocate(file.size);
   * await handle.read(bytes);
   * await pool.hash(bytes);
   */
  allocate(length: number): Uint8Array {
    requireArguments(`${NAME}.allocate`, arguments.length, 1);
    this.#requireOpen("allocate");
    const size = Number(wholeNumber(`${NAME}.allocate`, "length", length, BigInt(Number.MAX_SAFE_INTEGER)));
    try {
      return this.#memory.lend(size, this.#sharing);
    } catch {
      throw outOfRange(`${NAME}.allocate`, "length must be a number of bytes that can be allocated", `number ${size}`);
    }
  }

  /**
   * Wipes memory from `allocate` and makes it available again. The array and its views must not be used after that, and
   * no hash of it may be in progress.
   *
   * @param bytes the array that `allocate` returned, not a view of it
   * @throws TypeError for any other array, or one that has already been released
   */
  release(bytes: Uint8Array): void {
    const call = `${NAME}.release`;
    requireArguments(call, arguments.length, 1);
    if (this.#memory.takeBack(bytes, !this.#closed)) return;
    throw wrongKind(call, "bytes", "an array from allocate that has not been released", bytes);
  }

  /**
   * Waits for the hashes in progress, terminates the workers, and frees the pool's memory, except for arrays from
   * `allocate`. Later calls of `hash` reject. To stop hashes at once, abort their signals.
   *
   * @returns resolves when the workers have ended; later calls return the same promise
   */
  close(): Promise<void> {
    this.#closed ??= this.#finish();
    return this.#closed;
  }

  async #finish(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
    await this.#scheduler.end();
    this.#memory.clear();
  }

  #requireOpen(method: string): void {
    if (this.#closed) throw new Error(`${NAME}.${method}: the pool is closed`);
  }
}

function cores(): number {
  const count = readGlobal(() => builtin("node:os")?.availableParallelism() ?? navigator.hardwareConcurrency) ?? 1;
  return Math.min(Math.max(count, 1), MAX_THREADS);
}
