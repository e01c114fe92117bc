// BLAKE3 of large messages on several threads.

import { blake3 } from "../algorithms/blake3.js";
import { requireOptions } from "../engine/algorithm.js";
import { allocate } from "../engine/output.js";
import { outOfRange, wrongKind } from "../input/errors.js";
import { boolean, integer, requireKnown, wholeNumber } from "../input/options.js";
import { builtin } from "./builtin.js";
import { FifoSource, type FilePath, FileSource, type OpenFile, type Pieces } from "./file-source.js";
import { type Blake3Source, openSource } from "./open-source.js";
import { Parts } from "./parts.js";
import { type Blake3PoolHashOptions, type Request, toRequest, unlessAborted, wipeMode } from "./request.js";
import { Scheduler } from "./scheduler.js";
import type { SharedMemory } from "./shared-memory.js";
import type { Source } from "./source.js";
import { requireStack } from "./stack.js";
import { Task } from "./task.js";
import { hashAtOnce, hashPieces } from "./without-workers.js";
import { MAX_PART, PIECE, SLOT_SIZE } from "./worker-memory.js";

export type { Blake3PoolHashOptions, Blake3Source, FilePath, OpenFile };

/** @internal */
export type GroupsOptions = Pick<Blake3PoolHashOptions, "signal" | "onProgress">;

/** @internal */
export type Groups =
  | { readonly kind: "values"; readonly length: number; readonly unit: number; readonly values: Uint8Array }
  | { readonly kind: "pieces"; readonly pieces: AsyncIterable<Uint8Array> };

/** Who computes. */
export interface Blake3PoolOptions {
  /** Threads, 0 to 1024; by default as many as the machine runs at a time. With 0 the calling thread computes alone. */
  readonly threads?: number | undefined;
  /**
   * Makes the calling thread one of them, for a program that has nothing else to do. By default all are workers, and it
   * helps with a short message alone, for half a millisecond at most.
   */
  readonly callingThread?: boolean | undefined;
}

// Up to so many bytes the calling thread alone is as fast as two threads, or nearly. Two cores of an EPYC 9004, one thread's best
// time over that of a pool of two, for bytes, a SharedArrayBuffer and the pool's memory; Node 20, calls in a row: 384 KiB
// 0.98, 1.02, 1.23; 512 KiB 1.33, 1.30, 1.20; 769 KiB 1.39, 1.52, 1.48. With other work between them, so that workers have to
// wake: 513 KiB 0.95, 0.96, 1.08 in Node 20 and 1.05, 1.11, 1.37 in Node 26; 1 MiB 1.05, 1.24, 1.29 and 1.25, 1.42, 1.35.
const THRESHOLD = 0xc0000;
// A part is large enough for the messages about it not to count.
const MIN_PART = 0x40000;

const NAME = "Blake3Pool";
const MAX_THREADS = 1024;

/**
 * Workers that hash large messages together, each message on all of them. They start with the first hash that is large
 * enough to gain by them, without any file of their own, and go on to the next one; a pool that does nothing does not keep
 * the process alive.
 *
 * Where no worker can be had (edge runtimes, a page whose content security policy forbids them, Node before 20.16) the
 * calling thread computes the same digests, in small steps: `threads` is 0 then.
 *
 * @example
 * await using pool = new Blake3Pool();
 * const digest = await pool.hash({ path: "disk.img" }, { onProgress: (bytes, total) => show(bytes / total) });
 */
export class Blake3Pool {
  readonly #scheduler: Scheduler;
  readonly #inFlight = new Set<Promise<unknown>>();
  /** What `allocate` has given and `release` has not taken back, and the shared memory that it lies in. */
  readonly #allocated = new WeakMap<Uint8Array, SharedMemory | undefined>();
  #closed: Promise<void> | undefined;

  /** The same as `close`, for `await using`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  /** @throws TypeError for a wrong option or kind of value; RangeError for `threads` out of range */
  constructor(options: Blake3PoolOptions = {}) {
    requireOptions(NAME, options);
    requireKnown(NAME, options, ["threads", "callingThread"]);
    const threads = integer(NAME, "threads", options.threads, 0, MAX_THREADS, cores());
    const joins = boolean(NAME, "callingThread", options.callingThread);
    this.#scheduler = new Scheduler(joins ? Math.max(0, threads - 1) : threads, joins);
  }

  /** Workers that compute, or are to be started for that; 0 where the calling thread computes. */
  get threads(): number {
    return this.#scheduler.wanted;
  }

  /**
   * The BLAKE3 digest of a message: the one that `blake3` has for it under the same options.
   *
   * Bytes in memory must stay as they are until the promise settles; the digest is undefined where they change. Views of a
   * SharedArrayBuffer (not in Deno) and of memory from `allocate` are read by the workers themselves, all other bytes are
   * copied by the calling thread, piece by piece. Files are read by the workers, and in browsers Blobs too. A file has the
   * length that it has when it is opened; pipes and devices are read to their end on the calling thread.
   *
   * @param source text (as UTF-8), bytes, a Blob or File; in Node, Deno and Bun `{ path }`, a `file:` URL, or a FileHandle,
   *   which must stay open
   * @returns rejects with a TypeError or RangeError for a wrong source or option, the signal's reason, what `onProgress`
   *   throws, the system's error for a file that cannot be read, a RangeError where the stack is exhausted, or an Error
   *   after `close`
   * @example
   * await pool.hash(bytes);
   * await pool.hash(blob, { key, signal: AbortSignal.timeout(10_000) });
   */
  hash(source: Blake3Source, options?: Blake3PoolHashOptions): Promise<Uint8Array<ArrayBuffer>> {
    if (isShort(source) && !hasWishes(options)) return this.#hashShort(source, options);
    const work = this.#start(source, options);
    this.#inFlight.add(work);
    const forget = (): boolean => this.#inFlight.delete(work);
    work.then(forget, forget);
    return work;
  }

  // The short way for what takes less time than looking at it.
  async #hashShort(source: Uint8Array | string, options?: Blake3PoolHashOptions): Promise<Uint8Array<ArrayBuffer>> {
    this.#requireOpen("hash");
    return blake3(source, options);
  }

  async #start(source: Blake3Source, options: Blake3PoolHashOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    requireStack();
    this.#requireOpen("hash");
    const request = toRequest(options);
    try {
      return await unlessAborted(request.signal, this.#hash(source, request));
    } finally {
      wipeMode(request.mode);
    }
  }

  async #hash(source: Blake3Source, request: Request): Promise<Uint8Array<ArrayBuffer>> {
    const opened = await openSource(source, this.#scheduler.workspace.memory);
    if (request.signal?.aborted) await opened.close?.();
    request.signal?.throwIfAborted();
    if (opened instanceof FifoSource || (opened instanceof FileSource && !opened.sized)) {
      return hashPieces(opened, request);
    }
    if (opened.length <= THRESHOLD) return hashAtOnce(opened, request);
    return this.#hashTogether(opened, request);
  }

  /**
   * @internal What an outboard is made of: the chaining values of the message's groups, or, of one that is short or has no
   * length, its bytes.
   */
  groupsOf(source: Blake3Source, group: number, options: GroupsOptions): Promise<Groups> {
    const work = this.#startGroups(source, group, options);
    this.#inFlight.add(work);
    const forget = (): boolean => this.#inFlight.delete(work);
    work.then(forget, forget);
    return work;
  }

  async #startGroups(source: Blake3Source, group: number, options: GroupsOptions): Promise<Groups> {
    requireStack();
    this.#requireOpen("hash");
    const request = { ...toRequest(options), group: Math.min(group, PIECE) };
    return unlessAborted(request.signal, this.#groupsOf(source, request));
  }

  async #groupsOf(source: Blake3Source, request: Request & { group: number }): Promise<Groups> {
    const opened = await openSource(source, this.#scheduler.workspace.memory);
    if (request.signal?.aborted) await opened.close?.();
    request.signal?.throwIfAborted();
    if (opened instanceof FifoSource || (opened instanceof FileSource && !opened.sized)) {
      return { kind: "pieces", pieces: piecesOf(opened) };
    }
    if (opened.length <= THRESHOLD) return { kind: "pieces", pieces: wholeOf(opened) };
    const { length } = opened;
    return { kind: "values", length, unit: request.group, values: await this.#hashTogether(opened, request) };
  }

  async #hashTogether(source: Source, request: Request): Promise<Uint8Array<ArrayBuffer>> {
    const { signal } = request;
    const task = new Task(source, request, this.#divide(source, request.group));
    const stop = (): void => task.abort(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await this.#scheduler.run(task);
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Equal parts, as few as may be: one for each thread, or so many times that. One that is sent has to fit into a slot. */
  #divide(source: Source, group?: number): Parts {
    const { threads: workers, wanted } = this.#scheduler;
    const limit = wanted > 0 && source.place(0, 1) ? MAX_PART : SLOT_SIZE;
    const threads = Math.max(1, workers);
    const rounds = Math.ceil(source.length / (limit * threads));
    const most = Math.floor(source.length / MIN_PART);
    return new Parts(source.length, Math.max(2, Math.min(most, rounds * threads)), group);
  }

  /**
   * Memory that the workers share: a message that is written there is hashed where it lies, without any copy. Its bytes are
   * zero at first. A pool has at most 4 GiB of it (less where the engine cannot reserve so much), workers included, and
   * gives it back to the system when pool and bytes are collected. Where memory cannot be shared (a page that is not
   * cross-origin isolated), this is an array like any other.
   *
   * @param length in bytes
   * @throws TypeError for what is no number; RangeError for one out of range, for more than there is, or where the stack is
   *   exhausted; Error after `close`
   * @example
   * const bytes = pool.allocate(file.size);
   * await handle.read(bytes);
   * await pool.hash(bytes);
   */
  allocate(length: number): Uint8Array {
    requireStack();
    this.#requireOpen("allocate");
    const size = Number(wholeNumber(NAME, "length", length, BigInt(Number.MAX_SAFE_INTEGER)));
    const { memory } = this.#scheduler.workspace;
    const address = memory?.allocate(size);
    if (memory && address === undefined) {
      throw outOfRange(NAME, "length must be at most what the pool's memory has left", length);
    }
    const bytes = memory && address !== undefined ? memory.view(address, size) : allocate(NAME, size);
    this.#allocated.set(bytes, memory);
    return bytes;
  }

  /**
   * Takes memory back that `allocate` has given, wipes it, and gives it out again later. Neither it nor any view of it may
   * be used any more; no hash of it may be in flight.
   *
   * @param bytes the very array that `allocate` has given
   * @throws TypeError for any other, or one that was taken back already
   */
  release(bytes: Uint8Array): void {
    requireStack();
    if (!this.#allocated.has(bytes)) throw wrongKind(NAME, "bytes", "what allocate has given", bytes);
    const memory = this.#allocated.get(bytes);
    this.#allocated.delete(bytes);
    memory?.release(bytes.byteOffset, bytes.length);
  }

  /**
   * Lets the hashes that are in flight come to their end, ends the workers, and drops the pool's memory, apart from what
   * `allocate` has given. Any later `hash` is refused. To stop hashes at once, abort their signals.
   *
   * @returns resolves when the workers have ended; a second call waits for the same
   * @throws RangeError where the stack is exhausted; the pool stays open then
   */
  close(): Promise<void> {
    requireStack();
    this.#closed ??= this.#finish();
    return this.#closed;
  }

  async #finish(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
    await this.#scheduler.end();
  }

  #requireOpen(method: string): void {
    if (this.#closed) throw new Error(`${NAME}: ${method} must be called before close, got a closed pool`);
  }
}

// Engines without explicit resource management have no such symbol.
if (Symbol.asyncDispose) {
  Object.defineProperty(Blake3Pool.prototype, Symbol.asyncDispose, { value: Blake3Pool.prototype.close });
}

/** A message's bytes, read and closed. */
async function* wholeOf(source: Source): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield await source.bytes(0, source.length);
  } finally {
    await source.close?.();
  }
}

async function* piecesOf(source: Pieces): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* source.pieces();
  } finally {
    await source.close();
  }
}

function cores(): number {
  const { hardwareConcurrency } = globalThis.navigator ?? {};
  const count = builtin("node:os")?.availableParallelism() ?? hardwareConcurrency ?? 1;
  return Math.min(Math.max(count, 1), MAX_THREADS);
}

function isShort(source: unknown): source is Uint8Array | string {
  const isMessage = typeof source === "string" || (ArrayBuffer.isView(source) && source instanceof Uint8Array);
  return isMessage && source.length <= THRESHOLD;
}

/** Whether there are options that BLAKE3 itself does not have. */
function hasWishes(options: unknown): boolean {
  return typeof options === "object" && options !== null && ("signal" in options || "onProgress" in options);
}
