// How a source is read: the contract of its chunks, and the loops over them, without a signal and with one.
import { type ByteInput, type Input, toBytes } from "../input/bytes.js";
import { lengthOf } from "../input/caller-bytes.js";
import { yieldToEventLoop } from "../input/event-loop.js";
import { ignoreFailure, isThenable } from "../input/promises.js";
import { unlessAborted } from "../input/signals.js";

/** A piece of a message: bytes of any kind, or text. */
export type Chunk = Input;

/**
 * A source as chunks, in their order. Every kind of source keeps these promises, and its reader the first one:
 *
 * - A chunk is hashed or copied before anything is awaited: its memory may then be used again.
 * - No read is begun that an engine may leave pending.
 * - Whatever fails, at any read, is cancelled and unlocked.
 * - A size is used once a read has confirmed it. No other one ends a read, or makes a digest or memory.
 * - A read of N bytes has written N bytes where it was told to: the first and, in a file, the last are checked.
 * - Nothing is looked up after import that a program may replace.
 */
export interface Chunks {
  /** Reads the next chunk. */
  next(): IteratorResult<unknown> | PromiseLike<IteratorResult<unknown>>;
  /** Returns the number of bytes in all chunks, if it is known. It is for people to read. */
  total(): number | undefined;
  /** Frees the source once `next` has reported its end. */
  end(): void;
  /**
   * Stops reading early and frees the source, also after an error and during a read. Only its first call has an effect.
   */
  cancel(reason: unknown): unknown;
}

/** Chunks of what is closed once: at its end or when it is cancelled, but not before a read has ended. */
export function closingChunks(
  read: () => Promise<IteratorResult<unknown>>,
  total: () => number | undefined,
  close: () => void,
): Chunks {
  let isReading = false;
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    if (!isReading) close();
  };
  const next = async (): Promise<IteratorResult<unknown>> => {
    isReading = true;
    try {
      return await read();
    } finally {
      isReading = false;
      // A descriptor must not be another file's before the read has ended.
      if (isOver) close();
    }
  };
  return { next, total, end, cancel: end };
}

/** Bytes that are here already, which need not be read. */
export class Whole implements Chunks {
  readonly whole: ByteInput;
  readonly #length: number;
  #done = false;

  /** @throws TypeError for a detached or shrunk buffer */
  constructor(name: string, bytes: ByteInput) {
    this.#length = lengthOf(toBytes(name, "source", bytes));
    this.whole = bytes;
  }

  next(): IteratorResult<unknown> {
    const done = this.#done;
    this.#done = true;
    return { done, value: this.whole };
  }

  total(): number {
    return this.#length;
  }

  end(): void {}

  cancel(): void {}
}

/** Cancels a source after a failure, without waiting: its own errors, or its silence, would hide the first error. */
export function cancel(chunks: Chunks, reason: unknown): void {
  try {
    ignoreFailure(chunks.cancel(reason));
  } catch {}
}

/**
 * Gives each chunk to `take`, which hashes or copies it. A source that is not read to its end is cancelled.
 *
 * @returns the number of chunks; rejects with the error of the source or of `take`, or with the signal's reason as soon
 *   as it is aborted
 */
export async function eachChunk(
  chunks: Chunks,
  signal: AbortSignal | undefined,
  take: (chunk: unknown) => void,
): Promise<number> {
  try {
    if (signal) return requireCount(await unlessAborted(signal, takeUntil(signal, chunks, take)));
    for (let count = 0; ; count++) {
      const step = chunks.next();
      const { done, value } = isThenable(step) ? await step : step;
      if (done) {
        chunks.end();
        return count;
      }
      take(value);
    }
  } catch (error) {
    cancel(chunks, error);
    throw error;
  }
}

/** @throws TypeError for anything but a number: it comes from no promise of the engine's */
function requireCount(count: number): number {
  if (typeof count === "number") return count;
  throw new TypeError("blake-simd: a replaced Promise must be a class of promises");
}

/** Milliseconds after which a signal's timer can fire, even if the source never waits for the event loop. */
const TURN = 100;
const { now } = Date;

async function takeUntil(signal: AbortSignal, chunks: Chunks, take: (chunk: unknown) => void): Promise<number> {
  let turnAt = now() + TURN;
  for (let count = 0; ; count++) {
    signal.throwIfAborted();
    if (now() >= turnAt) {
      await yieldToEventLoop();
      turnAt = now() + TURN;
    }
    const step = chunks.next();
    const { done, value } = isThenable(step) ? await step : step;
    signal.throwIfAborted();
    if (done) {
      chunks.end();
      return count;
    }
    take(value);
  }
}
