// A source as chunks, and the loop that reads them.
import type { Input } from "../input/bytes.js";
import { ignoreFailure } from "../input/promises.js";
import { unlessAborted } from "../input/signals.js";

/** A piece of a message: bytes of any kind, or text. */
export type Chunk = Input;

/** A source that has been opened. Each chunk is hashed or copied before the next one is asked for. */
export interface Chunks {
  /** Reads the next chunk. */
  next(): Promise<IteratorResult<unknown>>;
  /** The number of bytes in all chunks, if it is known. It is only shown to people. */
  readonly total?: number | undefined;
  /** Frees the source after its last chunk. What it returns is awaited. */
  end(): unknown;
  /** Stops reading and frees the source, after an error and during a read, too. */
  cancel(reason: unknown): unknown;
}

/** Cancels a source after a failure, without waiting. The source's own error would hide the first one. */
export function cancel(chunks: Chunks, reason: unknown): void {
  try {
    ignoreFailure(chunks.cancel(reason));
  } catch {}
}

/**
 * Gives each chunk to `take`. A source that is not read to its end is cancelled.
 *
 * @returns the number of chunks; rejects with the error of the source or of `take`, or with the signal's reason as soon
 *   as it is aborted
 */
export async function eachChunk(
  chunks: Chunks,
  signal: AbortSignal | undefined,
  take: (chunk: unknown) => void,
): Promise<number> {
  const read = async (): Promise<number> => {
    for (let count = 0; ; count++) {
      const { done, value } = await chunks.next();
      signal?.throwIfAborted();
      if (done) {
        await chunks.end();
        return count;
      }
      take(value);
    }
  };
  try {
    return await unlessAborted(signal, read());
  } catch (error) {
    cancel(chunks, error);
    throw error;
  }
}
