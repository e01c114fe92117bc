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
  return {
    total,
    async next() {
      let result: IteratorResult<unknown>;
      try {
        result = await iterator.next();
      } catch (error) {
        hasFailed = true;
        throw error;
      }
      // The values of an iterable that is not async may be promises.
      return result.done ? { done: true, value: undefined } : { done: false, value: await result.value };
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
