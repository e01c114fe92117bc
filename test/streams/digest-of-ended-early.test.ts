// digestOf: every kind of source by every way in which it, its signal or its caller ends.
import { getEventListeners } from "node:events";
import { Readable } from "node:stream";
import { blake3 } from "blake-simd";
import { digestOf, type Source } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import { bytes, forbidUnhandledRejections, nobleDigest, quiet, rejection, watched } from "../support/streams.ts";

forbidUnhandledRejections();

const reason = new Error("enough");
const never = new Promise<never>(() => {});

/** Gives the next chunk, or undefined at the end; or fails, or never comes. */
type Next = () => Promise<unknown>;

/** Gives chunks, and then ends in a way. */
function feed(chunks: readonly unknown[], end: "done" | "fails" | "stalls"): Next {
  let given = 0;
  return async () => {
    if (given < chunks.length) return chunks[given++];
    if (end === "fails") throw reason;
    return end === "stalls" ? never : undefined;
  };
}

/** What a stream calls: a chunk of bytes is copied, since one that is transferred could not be given again. */
function streamOf(next: Next, source: { cancel(how: unknown): unknown; type?: "bytes" }): ReadableStream {
  const pull = async (controller: ReadableStreamController<unknown>) => {
    const chunk = await next();
    if (chunk === undefined) controller.close();
    else controller.enqueue((chunk instanceof Uint8Array ? chunk.slice() : chunk) as never);
  };
  return new ReadableStream({ ...source, pull } as unknown as UnderlyingDefaultSource, { highWaterMark: 0 });
}

/** Each kind of source, which notes how it is ended from outside. */
const kinds: Record<string, (next: Next, note: (how: unknown) => void) => Source> = {
  "a stream": (next, cancel) => streamOf(next, { cancel }),
  "a stream of bytes": (next, cancel) => streamOf(next, { type: "bytes", cancel }),
  "a stream whose cancelling never ends": (next, note) =>
    streamOf(next, {
      cancel(how) {
        note(how);
        return never;
      },
    }),
  "a stream whose cancelling fails": (next, note) =>
    streamOf(next, {
      cancel(how) {
        note(how);
        throw new Error("no");
      },
    }),
  "a Response": (next, cancel) => new Response(streamOf(next, { cancel })),
  "an async iterator": (next, note) => ({
    [Symbol.asyncIterator]: () => ({
      async next() {
        const value = (await next()) as Uint8Array;
        return { done: value === undefined, value } as IteratorResult<Uint8Array>;
      },
      async return() {
        note(reason);
        return { done: true as const, value: undefined };
      },
    }),
  }),
  "a Node stream": (next, note) => {
    let isOver = false;
    return new Readable({
      objectMode: true,
      highWaterMark: 0,
      read() {
        const push = (chunk: unknown) => {
          isOver ||= chunk === undefined;
          this.push(chunk ?? null);
        };
        const end = (error: Error) => {
          isOver = true;
          this.destroy(error);
        };
        next().then(push, end);
      },
      destroy(error, done) {
        if (!isOver) note(reason);
        done(error);
      },
    });
  },
};

describe.each(Object.entries(kinds))("%s", (name, make) => {
  const ends: unknown[] = [];
  const source = (chunks: readonly unknown[], end: "done" | "fails" | "stalls") => {
    ends.length = 0;
    return make(feed(chunks, end), (how) => ends.push(how));
  };
  const some = [bytes(5), bytes(5), bytes(5)];

  it("that ends is hashed to its end, and not cancelled", async () => {
    for (const chunks of [[], [bytes(5)], [bytes(5), bytes(2000)], Array(9).fill(bytes(30_000))]) {
      const { algorithm, disposed } = watched();
      const { signal } = new AbortController();
      const progress: unknown[] = [];
      const onProgress = (...call: unknown[]) => progress.push(call);
      const wanted = nobleDigest(Buffer.concat(chunks));
      const plain = source(chunks, "done");
      expect(await digestOf(blake3, plain)).toEqual(wanted);
      if (plain instanceof ReadableStream) expect(plain.locked).toBe(false);
      expect(await digestOf(algorithm, source(chunks, "done"), { signal, onProgress })).toEqual(wanted);
      expect(disposed()).toBe(true);
      const total = chunks.reduce((sum, { length }) => sum + length, 0);
      expect(progress.at(-1)).toEqual([total, total === 0 ? 0 : undefined]);
      await quiet();
      expect([ends, getEventListeners(signal, "abort")]).toEqual([[], []]);
    }
  });

  it.each([0, 1, 3])("that fails after %i chunks passes its error on", async (count) => {
    const { algorithm, disposed } = watched();
    const failing = source(some.slice(0, count), "fails");
    expect(await rejection(digestOf(algorithm, failing))).toBe(reason);
    expect(disposed()).toBe(true);
    if (failing instanceof ReadableStream) expect(failing.locked).toBe(false);
    expect(await rejection(digestOf(blake3, source(some.slice(0, count), "fails"), {}))).toBe(reason);
  });

  // The others cannot have such a chunk.
  if (!/Response|bytes/.test(name))
    it("with a wrong chunk is refused, and cancelled once", async () => {
      for (const chunks of [[{}], [bytes(3), {}, bytes(3)]]) {
        const { algorithm, disposed } = watched();
        const wrong = source(chunks, "stalls");
        const error = (await rejection(digestOf(algorithm, wrong))) as Error;
        expect(error).toBeInstanceOf(TypeError);
        expect(error.message).toMatch(/^digestOf: chunk must be a string, an ArrayBuffer.* got an object \(Object\)/);
        expect(disposed()).toBe(true);
        if (wrong instanceof ReadableStream) expect(wrong.locked).toBe(false);
        await quiet();
        expect(ends.length).toBe(1);
      }
    });

  it("that stalls is cancelled, once, if its signal is aborted before or while it waits", async () => {
    for (const early of [true, false]) {
      const { algorithm, disposed } = watched();
      const controller = new AbortController();
      if (early) controller.abort(reason);
      const result = rejection(digestOf(algorithm, source(some, "stalls"), { signal: controller.signal }));
      await quiet();
      controller.abort(reason);
      expect(await result).toBe(reason);
      expect(disposed()).toBe(true);
      await quiet();
      expect(ends).toEqual([reason]);
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    }
  });

  it("that stalls is cancelled if onProgress throws or aborts, or the signal cannot be listened to", async () => {
    const { signal } = new AbortController();
    signal.addEventListener = () => {
      throw reason;
    };
    const controller = new AbortController();
    let calls = 0;
    for (const options of [
      {
        onProgress: () => {
          throw reason;
        },
      },
      {
        signal: controller.signal,
        onProgress: () => {
          calls++;
          controller.abort(reason);
        },
      },
      { signal },
    ]) {
      expect(await rejection(digestOf(blake3, source(some, "stalls"), options))).toBe(reason);
      await quiet();
      expect(ends).toEqual([reason]);
    }
    expect(calls).toBe(1);
  });
});

it("a source that never waits for a timer is cancelled by one", async () => {
  const end = Date.now() + 60_000;
  let cancelled: unknown;
  const source = new ReadableStream({
    pull: (controller) => (Date.now() < end ? controller.enqueue(bytes(5)) : controller.close()),
    cancel: (reason) => {
      cancelled = reason;
    },
  });
  const error = (await rejection(digestOf(blake3, source, { signal: AbortSignal.timeout(20) }))) as Error;
  expect(error.name).toBe("TimeoutError");
  expect(cancelled).toBe(error);
});

it("a promise that rejects closes the iterable that gave it, whose own error is not seen", async () => {
  const hidden = new Error("hidden");
  const throws = () => {
    throw hidden;
  };
  for (const ending of [() => ({ done: true, value: 0 }), throws, () => Promise.reject(hidden)]) {
    let closed = 0;
    const values = [bytes(9), Promise.reject(reason), bytes(9)];
    const source = {
      [Symbol.iterator]: () => ({
        next: () => ({ done: values.length === 0, value: values.shift() as Uint8Array }),
        return() {
          closed++;
          return ending() as never;
        },
      }),
    };
    expect(await rejection(digestOf(blake3, source))).toBe(reason);
    expect([closed, values.length]).toEqual([1, 1]);
  }
});

it("a Blob without a stream is left alone if the signal is aborted while it is read", async () => {
  const blob = { size: 5, type: "", arrayBuffer: () => never };
  const controller = new AbortController();
  const result = rejection(digestOf(blake3, blob as unknown as Blob, { signal: controller.signal }));
  await quiet();
  controller.abort(reason);
  expect(await result).toBe(reason);
});
