// However a stream ends before its time, its digest rejects with the reason and its hasher is wiped.
import { blake3 } from "blake-simd";
import { DigestStream, HashStream, VerifyStream } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import {
  bytes,
  cut,
  forbidUnhandledRejections,
  nobleDigest,
  quiet,
  rejection,
  streamOf,
  type Watched,
  watched,
} from "../support/streams.ts";

forbidUnhandledRejections();

const reason = new Error("enough");

type Passing = HashStream | VerifyStream;

/** A way to end a stream early; the test then waits for nothing but the digest. */
type Ending = (stream: Passing) => unknown;

const swallow = (...promises: Promise<unknown>[]) => Promise.allSettled(promises);

const endings: Record<string, Ending> = {
  "the writer aborts before any chunk": ({ writable }) => writable.abort(reason),
  "the writer aborts while a write waits": ({ writable }) => {
    const writer = writable.getWriter();
    void swallow(writer.write(bytes(5)), writer.closed, writer.abort(reason));
  },
  "the writer aborts while a write in progress waits": async ({ writable }) => {
    const writer = writable.getWriter();
    void swallow(writer.write(bytes(5)), writer.closed);
    await quiet();
    void swallow(writer.abort(reason));
  },
  "the writer aborts while writes and the close wait": ({ writable }) => {
    const writer = writable.getWriter();
    void swallow(writer.write(bytes(5)), writer.write(bytes(6)), writer.close(), writer.closed, writer.abort(reason));
  },
  "the writer aborts after some chunks": async ({ readable, writable }) => {
    const writer = writable.getWriter();
    const reader = readable.getReader();
    void swallow(reader.read(), reader.read(), reader.closed, writer.closed);
    await writer.write(bytes(5));
    await writer.write(bytes(6));
    await writer.abort(reason);
  },
  "the reader cancels before any chunk": ({ readable }) => readable.cancel(reason),
  "the reader cancels while a write waits": async ({ readable, writable }) => {
    const writer = writable.getWriter();
    void swallow(writer.write(bytes(5)), writer.closed);
    await quiet();
    await readable.cancel(reason);
  },
  "the reader cancels while the close waits": async ({ readable, writable }) => {
    const writer = writable.getWriter();
    void swallow(writer.write(bytes(5)), writer.close(), writer.closed);
    await quiet();
    await readable.cancel(reason);
  },
  "the reader cancels while it waits": async ({ readable }) => {
    const reader = readable.getReader();
    void swallow(reader.read());
    await quiet();
    await reader.cancel(reason);
  },
  "the reader cancels between chunks": async ({ readable, writable }) => {
    const reader = readable.getReader();
    void swallow(streamOf([bytes(5), bytes(6), bytes(7)]).pipeTo(writable));
    await reader.read();
    await reader.cancel(reason);
  },
  "the source fails at once": (stream) => swallow(failing(0).pipeThrough(stream).pipeTo(new WritableStream())),
  "the source fails after some chunks": (stream) =>
    swallow(failing(3).pipeThrough(stream).pipeTo(new WritableStream())),
  "the source fails before anything is read": (stream) => void failing(0).pipeThrough(stream),
  "the sink fails at its start": (stream) =>
    swallow(
      streamOf([bytes(5)])
        .pipeThrough(stream)
        .pipeTo(new WritableStream({ start: () => Promise.reject(reason) })),
    ),
  "the sink fails at a chunk": (stream) =>
    swallow(
      streamOf(cut(bytes(50), 5))
        .pipeThrough(stream)
        .pipeTo(new WritableStream({ write: fail })),
    ),
  "the sink was aborted": async (stream) => {
    const sink = new WritableStream();
    await sink.abort(reason);
    await swallow(
      streamOf([bytes(5)])
        .pipeThrough(stream)
        .pipeTo(sink),
    );
  },
  "the pipe to it is aborted before": ({ writable }) =>
    swallow(endless().pipeTo(writable, { signal: AbortSignal.abort(reason) })),
  "the pipe to it is aborted while it waits for the source": ({ readable, writable }) => {
    const { signal, abort } = aborter();
    void swallow(new ReadableStream().pipeTo(writable, { signal }), readable.pipeTo(new WritableStream()));
    setTimeout(abort, 2);
  },
  "the pipe from it is aborted": (stream) => {
    const { signal, abort } = aborter();
    void swallow(
      endless()
        .pipeThrough(stream)
        .pipeTo(new WritableStream({ write: quiet }), { signal }),
    );
    setTimeout(abort, 20);
  },
  "one of the pipe's consumers stops": async (stream) => {
    for await (const chunk of endless().pipeThrough(stream).values()) {
      if (chunk.length > 0) break;
    }
  },
};

function aborter() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(reason) };
}

function fail(): never {
  throw reason;
}

function endless(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      await quiet();
      controller.enqueue(bytes(5));
    },
  });
}

/** Fails after this many chunks. */
function failing(after: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let given = 0;
  return new ReadableStream(
    { pull: (controller) => (given++ < after ? controller.enqueue(bytes(5)) : fail()) },
    { highWaterMark: 0 },
  );
}

const makers: Record<string, (algorithm: Watched["algorithm"]) => Passing> = {
  HashStream: (algorithm) => new HashStream(algorithm),
  VerifyStream: (algorithm) => new VerifyStream(algorithm, new Uint8Array(32)),
};

/** The locks that tests hold on the sides of their streams. */
const writers = new WeakMap<WritableStream, WritableStreamDefaultWriter>();
const readers = new WeakMap<ReadableStream, ReadableStreamDefaultReader>();

function write(writable: WritableStream): void {
  const writer = writable.getWriter();
  writers.set(writable, writer);
  void swallow(writer.write(bytes(5)), writer.closed);
}

function readerOf(readable: ReadableStream): ReadableStreamDefaultReader {
  const reader = readable.getReader();
  readers.set(readable, reader);
  void swallow(reader.closed);
  return reader;
}

async function expectEnded(stream: Passing, { disposed }: Watched, error: unknown): Promise<void> {
  expect(await rejection(stream.digest)).toBe(error);
  expect(disposed()).toBe(true);
}

describe.each(Object.entries(makers))("%s", (_, make) => {
  describe.each(Object.entries(endings))("if %s", (name, end) => {
    it("rejects the digest and wipes the hasher", async () => {
      const subject = watched();
      const stream = make(subject.algorithm);
      void end(stream);
      // To stop reading is to cancel without a reason.
      if (!name.includes("consumers")) return expectEnded(stream, subject, reason);
      expect(await rejection(stream.digest)).toMatchObject({ name: "AbortError" });
      expect(subject.disposed()).toBe(true);
    });

    it("causes no unhandled rejection if the digest is not used", async () => {
      void end(make(blake3));
      await quiet();
    });
  });

  it("says AbortError if no reason is given", async () => {
    for (const end of [(s: Passing) => s.writable.abort(), (s: Passing) => s.readable.cancel()]) {
      const subject = watched();
      const stream = make(subject.algorithm);
      await end(stream);
      expect(await rejection(stream.digest)).toMatchObject({ name: "AbortError" });
      expect(subject.disposed()).toBe(true);
    }
  });

  it("ends the other side too", async () => {
    const aborted = make(blake3);
    await aborted.writable.abort(reason);
    expect(await rejection(aborted.readable.getReader().read())).toBe(reason);
    const cancelled = make(blake3);
    await cancelled.readable.cancel(reason);
    expect(await rejection(cancelled.writable.getWriter().write(bytes(5)))).toBe(reason);
  });

  it.each(["cancel", "abort"])("rejects the write in progress at %s", async (way) => {
    const { readable, writable } = make(blake3);
    const writer = writable.getWriter();
    const write = rejection(writer.write(bytes(5)));
    const closed = rejection(writer.closed);
    await quiet();
    await (way === "cancel" ? readable.cancel(reason) : writer.abort(reason));
    expect(await write).toBe(reason);
    expect(await closed).toBe(reason);
  });

  describe.each<[string, (stream: Passing) => unknown]>([
    ["at once", () => {}],
    ["later", quiet],
    ["while a write waits", ({ writable }) => void write(writable)],
    [
      "while a write in progress waits",
      async ({ writable }) => {
        write(writable);
        await quiet();
      },
    ],
    ["while the reader waits", async ({ readable }) => void swallow(readerOf(readable).read())],
  ])("an abort and a cancel in one tick, %s", (_, prepare) => {
    const other = new Error("other");

    it.each(["abort", "cancel"])("both succeed, and %s comes first", async (first) => {
      const subject = watched();
      const stream = make(subject.algorithm);
      await prepare(stream);
      const calls = {
        abort: (why: Error) => (writers.get(stream.writable) ?? stream.writable).abort(why),
        cancel: (why: Error) => (readers.get(stream.readable) ?? stream.readable).cancel(why),
      };
      const second = first === "abort" ? "cancel" : "abort";
      const ended = [calls[first as "abort"](reason), calls[second](other)];
      expect(await Promise.all(ended)).toEqual([undefined, undefined]);
      await expectEnded(stream, subject, reason);
    });
  });

  it("refuses a write and a close right after a cancel", async () => {
    const { readable, writable } = make(blake3);
    const writer = writable.getWriter();
    await quiet();
    const cancelled = readable.cancel(reason);
    const ended = [writer.write(bytes(5)), writer.close(), writer.closed].map(rejection);
    await cancelled;
    expect(await Promise.all(ended)).toEqual([reason, reason, reason]);
  });

  it("can be aborted if the engine's sinks have no signal", async () => {
    const { prototype } = WritableStreamDefaultController;
    const signal = Object.getOwnPropertyDescriptor(prototype, "signal")!;
    Object.defineProperty(prototype, "signal", { configurable: true, value: undefined });
    try {
      const subject = watched();
      const stream = make(subject.algorithm);
      await stream.writable.abort(reason);
      await expectEnded(stream, subject, reason);
    } finally {
      Object.defineProperty(prototype, "signal", signal);
    }
  });
});

it.each<[string, () => Passing]>([
  ["HashStream", () => new HashStream(blake3)],
  ["VerifyStream", () => new VerifyStream(blake3, blake3("a"))],
])("%s rejects the write of a wrong chunk that waited for the reader", async (_, make) => {
  const stream = make();
  let written: unknown = "waiting";
  stream.writable
    .getWriter()
    .write(5 as never)
    .catch((error: unknown) => {
      written = error;
    });
  await quiet();
  expect(written).toBe("waiting");
  const error = await rejection(stream.readable.getReader().read());
  expect(error).toBeInstanceOf(TypeError);
  await quiet();
  expect(written).toBe(error);
  expect(await rejection(stream.digest)).toBe(error);
});

describe("after the end", () => {
  it("an abort or cancel changes nothing", async () => {
    const { algorithm, disposed } = watched();
    const hash = new HashStream(algorithm);
    const reader = hash.readable.getReader();
    const writer = hash.writable.getWriter();
    void writer.write(bytes(5));
    await reader.read();
    await writer.close();
    await reader.cancel(reason);
    await writer.abort(reason);
    expect(await hash.digest).toEqual(nobleDigest(bytes(5)));
    expect(disposed()).toBe(true);
  });

  it("the digest is there before the reader has taken the last chunk", async () => {
    const hash = new HashStream(blake3);
    const writer = hash.writable.getWriter();
    const reader = hash.readable.getReader();
    const first = reader.read();
    await writer.write(bytes(5));
    await writer.close();
    expect(await hash.digest).toEqual(nobleDigest(bytes(5)));
    expect((await first).value).toEqual(bytes(5));
  });
});

describe("DigestStream", () => {
  const ends: Record<string, (stream: DigestStream) => unknown> = {
    "is aborted": (stream) => stream.abort(reason),
    "is aborted after chunks": async (stream) => {
      const writer = stream.getWriter();
      void swallow(writer.closed);
      await writer.write(bytes(5));
      await writer.abort(reason);
    },
    "is piped from a source that fails": (stream) => swallow(failing(3).pipeTo(stream)),
    "has its pipe aborted": (stream) => {
      const { signal, abort } = aborter();
      void swallow(endless().pipeTo(stream, { signal }));
      setTimeout(abort, 5);
    },
  };

  it.each(Object.entries(ends))("rejects the digest if it %s", async (_, end) => {
    const { algorithm, disposed } = watched();
    const stream = new DigestStream(algorithm);
    void end(stream);
    expect(await rejection(stream.digest)).toBe(reason);
    expect(disposed()).toBe(true);
    void end(new DigestStream(blake3));
  });

  it("says AbortError if no reason is given", async () => {
    const stream = new DigestStream(blake3);
    await stream.abort();
    expect(await rejection(stream.digest)).toMatchObject({ name: "AbortError" });
  });
});

it.each([
  ["HashStream", (a: Watched["algorithm"]) => new HashStream(a)],
  ["DigestStream", (a: Watched["algorithm"]) => new DigestStream(a)],
] as const)("%s fails if the digest itself does", async (_, make) => {
  const { algorithm, disposed } = watched();
  const broken = Object.create(algorithm, {
    create: {
      value: () => {
        const hasher = algorithm.create();
        Object.defineProperty(hasher, "digest", { configurable: true, value: fail });
        return hasher;
      },
    },
  });
  const stream = make(broken);
  const writable = stream instanceof HashStream ? stream.writable : stream;
  expect(await rejection(writable.close())).toBe(reason);
  expect(await rejection(stream.digest)).toBe(reason);
  expect(disposed()).toBe(true);
});

describe.each<[string, () => Passing]>([
  ["HashStream", () => new HashStream(blake3)],
  ["VerifyStream", () => new VerifyStream(blake3, nobleDigest(bytes(5)))],
])("%s: a reader that cancels when the digest is there", (_, make) => {
  it.each([0, 1, 2, 3, 4, 5])("%i microtasks later: the writer has closed all the same", async (ticks) => {
    const { readable, writable, digest } = make();
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    const first = reader.read();
    void writer.write(bytes(5));
    const cancelled = digest.then(async () => {
      for (let i = 0; i < ticks; i++) await undefined;
      await reader.cancel(reason);
    });
    await Promise.all([writer.close(), writer.closed, cancelled, swallow(first)]);
    expect(await digest).toEqual(nobleDigest(bytes(5)));
  });
});
