// Iterables as sources: arrays and generators of chunks, async ones, Node's streams, and bytes.
import type { ByteInput } from "../input/bytes.js";
import type { Chunks } from "./chunks.js";

type AnyIterable = Partial<AsyncIterable<unknown> & Iterable<unknown>> & { destroy?(): unknown };

/** The chunks of an iterable, async if it is both; undefined for any other object. */
export function iterableChunks(source: object, total?: number): Chunks | undefined {
  const iterable = source as AnyIterable;
  const iterator = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]?.();
  if (!iterator) return undefined;
  /** Whether the iterator has failed, and so is not to be told to return. */
  let hasFailed = false;
  const fail = (error: unknown): never => {
    hasFailed = true;
    throw error;
  };
  return {
    total,
    async next() {
      const { done, value } = await (async () => iterator.next())().catch(fail);
      // The values of an iterable that is not async may be promises.
      return { done, value: done ? undefined : await value } as IteratorResult<unknown>;
    },
    end() {},
    cancel() {
      if (hasFailed) return;
      // The iterator of a Node stream would return only after the next chunk.
      iterable.destroy?.();
      return iterator.return?.();
    },
  };
}

/** Bytes in memory, as one chunk. */
export const wholeChunks = (bytes: ByteInput): Chunks => iterableChunks([bytes], bytes.byteLength) as Chunks;
