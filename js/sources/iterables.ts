// Iterables as sources: arrays and generators of chunks, async ones, and Node's streams.
import { tag } from "../input/errors.js";
import { isThenable } from "../input/promises.js";
import type { Chunks } from "./chunks.js";

type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>;

/** Returns an object's iterator, async if it has both; undefined if it has none. */
export function iteratorOf(source: object): AnyIterator | undefined {
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = source as AsyncIterable<unknown> &
    Iterable<unknown>;
  if (typeof later === "function") return later.call(source);
  return typeof now === "function" ? now.call(source) : undefined;
}

/** The values of an iterator, those of promises among them. */
export class IteratorChunks implements Chunks {
  readonly #iterator: AnyIterator;
  readonly #source: { destroy?(): unknown };
  /** Whether the iterator has ended by itself, or was told to. */
  #isOver = false;

  /**
   * @param source what is iterated; on its own, the iterator of a Node stream returns only after the next chunk has
   * arrived
   */
  constructor(iterator: AnyIterator, source: { destroy?(): unknown } = {}) {
    this.#iterator = iterator;
    this.#source = source;
  }

  next(): IteratorResult<unknown> | PromiseLike<IteratorResult<unknown>> {
    try {
      const result = this.#iterator.next();
      if (isThenable(result)) return this.#later(result);
      // Each is read once.
      const { done, value } = result;
      return !done && isThenable(value) ? this.#awaited(value) : ({ done, value } as IteratorResult<unknown>);
    } catch (error) {
      this.#isOver = true;
      throw error;
    }
  }

  /** The same promise: one of its own would settle later, when the chunk's memory may be in use again. */
  #later(result: PromiseLike<IteratorResult<unknown>>): PromiseLike<IteratorResult<unknown>> {
    // What is no promise may read at each call of `then`.
    const promise = tag(result) === "Promise" ? result : (async () => result)();
    promise.then(undefined, () => {
      this.#isOver = true;
    });
    return promise;
  }

  async #awaited(value: PromiseLike<unknown>): Promise<IteratorResult<unknown>> {
    return { done: false, value: await value };
  }

  total(): undefined {}

  end(): void {}

  cancel(): unknown {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.destroy?.();
    return this.#iterator.return?.();
  }
}
