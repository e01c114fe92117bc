// digestOf: every way in which it ends early.
import { getEventListeners } from "node:events";
import { Readable } from "node:stream";
import { blake3 } from "blake-simd";
import { digestOf, type Source } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import {
  byteStream,
  bytes,
  forbidUnhandledRejections,
  nobleDigest,
  quiet,
  rejection,
  watched,
} from "../support/streams.ts";

forbidUnhandledRejections();

const message = bytes(200_000);
const digest = nobleDigest(message);
const reason = new Error("enough");

/** Sources that note how they are ended; after three chunks, nothing more comes. */
const stalling: Record<string, (note: (how: unknown) => void) => Source> = {
  "a stream": (note) => stalled({ cancel: note }),
  "a stream of bytes": (note) => stalled({ type: "bytes", cancel: note }),
  "a stream whose cancelling never ends": (note) =>
    stalled({
      cancel(how) {
        note(how);
        return new Promise(() => {});
      },
    }),
  "a stream whose cancelling fails": (note) =>
    stalled({
      cancel(how) {
        note(how);
        throw new Error("no");
      },
    }),
  "a Response": (note) => new Response(stalled({ cancel: note })),
  "an async iterator": (note) => {
    let given = 0;
    const next = () => (given++ < 3 ? Promise.resolve({ done: false, value: bytes(5) }) : new Promise<never>(() => {}));
    const end = async () => {
      note(reason);
      return { done: true as const, value: undefined };
    };
    return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
  },
  "a Node stream": (note) => {
    let given = 0;
    return new Readable({
      read() {
        if (given++ < 3) this.push(bytes(5));
      },
      destroy(error, done) {
        note(reason);
        done(error);
      },
    });
  },
};

function stalled(source: Pick<UnderlyingDefaultSource, "cancel"> & { type?: "bytes" }): ReadableStream {
  let given = 0;
  const pull = (controller: ReadableStreamController<Uint8Array>) => {
    if (given++ < 3) controller.enqueue(bytes(5) as never);
    else return new Promise<void>(() => {});
  };
  return new ReadableStream({ ...source, pull } as unknown as UnderlyingDefaultSource);
}

describe.each(Object.entries(stalling))("%s that stalls", (_, make) => {
  it("is cancelled if the signal is aborted while it waits", async () => {
    const ends: unknown[] = [];
    const { algorithm, disposed } = watched();
    const controller = new AbortController();
    const source = make((how) => ends.push(how));
    const result = rejection(digestOf(algorithm, source, { signal: controller.signal }));
    await quiet();
    controller.abort(reason);
    expect(await result).toBe(reason);
    expect(disposed()).toBe(true);
    await quiet();
    expect(ends).toEqual([reason]);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("is cancelled by a timer, though it never waits for one", async () => {
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

  it("is cancelled if the signal was aborted before", async () => {
    const ends: unknown[] = [];
    const { algorithm, disposed } = watched();
    const signal = AbortSignal.abort(reason);
    const source = make((how) => ends.push(how));
    expect(await rejection(digestOf(algorithm, source, { signal }))).toBe(reason);
    expect(disposed()).toBe(true);
    await quiet();
    expect(ends).toEqual([reason]);
  });

  it("is cancelled if onProgress throws, or aborts", async () => {
    const ends: unknown[] = [];
    const onProgress = () => {
      throw reason;
    };
    const source = () => make((how) => ends.push(how));
    expect(await rejection(digestOf(blake3, source(), { onProgress }))).toBe(reason);
    const controller = new AbortController();
    const { signal } = controller;
    let calls = 0;
    const abort = () => {
      calls++;
      controller.abort(reason);
    };
    expect(await rejection(digestOf(blake3, source(), { signal, onProgress: abort }))).toBe(reason);
    await quiet();
    expect(calls).toBe(1);
    expect(ends).toEqual([reason, reason]);
  });
});

describe("failures", () => {
  const failing: Record<string, () => Source> = {
    "a stream": () => new ReadableStream({ pull: (controller) => controller.error(reason) }),
    "a stream of bytes": () => byteStream(message, { pull: (controller) => controller.error(reason) }),
    "an async generator": () => throwing(),
    "an array of promises": () => [bytes(5), new Promise<never>((_, reject) => setTimeout(reject, 1, reason))],
    "a Node stream": () => new Readable({ read: () => {} }).destroy(reason).on("error", () => {}),
  };

  async function* throwing(): AsyncGenerator<Uint8Array> {
    yield bytes(5);
    throw reason;
  }

  it.each(Object.entries(failing))("of %s are passed on", async (_, make) => {
    const { algorithm, disposed } = watched();
    expect(await rejection(digestOf(algorithm, make()))).toBe(reason);
    expect(disposed()).toBe(true);
  });

  it("of a chunk end the source", async () => {
    const ends: string[] = [];
    function* wrong() {
      try {
        yield bytes(3);
        yield 5;
      } finally {
        ends.push("generator");
      }
    }
    const cancel = () => void ends.push("stream");
    const stream = new ReadableStream({ pull: (controller) => controller.enqueue({}), cancel });
    for (const [source, got] of [
      [wrong(), "a number"],
      [stream, "an object (Object)"],
    ] as const) {
      const { algorithm, disposed } = watched();
      const error = (await rejection(digestOf(algorithm, source as Source))) as Error;
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/^digestOf: chunk must be a string, an ArrayBuffer/);
      expect(error.message).toContain(got);
      expect(disposed()).toBe(true);
    }
    expect(ends).toEqual(["generator", "stream"]);
  });

  it("as rejected promises close an iterable, whose own error is not seen", async () => {
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

  it("refuses an array of numbers, which is not bytes", async () => {
    const error = (await rejection(digestOf(blake3, [1, 2] as unknown as Source))) as Error;
    expect(error.message).toContain("chunk must be a string, an ArrayBuffer, a SharedArrayBuffer or a view of one");
  });
});

it("is aborted while a Blob without a stream is read", async () => {
  const blob = { size: 5, type: "", arrayBuffer: () => new Promise<ArrayBuffer>(() => {}) };
  const controller = new AbortController();
  const result = rejection(digestOf(blake3, blob as unknown as Blob, { signal: controller.signal }));
  await quiet();
  controller.abort(reason);
  expect(await result).toBe(reason);
});

it("cancels its source if the signal cannot be listened to", async () => {
  const { signal } = new AbortController();
  signal.addEventListener = () => {
    throw reason;
  };
  const ends: unknown[] = [];
  const source = stalled({ cancel: (how) => void ends.push(how) });
  expect(await rejection(digestOf(blake3, source, { signal }))).toBe(reason);
  expect(ends).toEqual([reason]);
});

it("leaves the signal alone once it is done", async () => {
  const listeners = new Set<unknown>();
  const { signal } = new AbortController();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners.add(args[1]);
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners.delete(args[1]);
    removeEventListener.apply(signal, args);
  };
  let release!: (chunk: Uint8Array) => void;
  const chunk = new Promise<Uint8Array>((resolve) => {
    release = resolve;
  });
  const result = digestOf(blake3, [chunk], { signal });
  await quiet();
  expect(listeners.size).toBe(1);
  release(message);
  expect(await result).toEqual(digest);
  await quiet();
  expect(listeners.size).toBe(0);
});
