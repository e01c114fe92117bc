// Streams that end early: the digest rejects with the reason, the hasher is wiped, and nothing is left unhandled.
import { blake3 } from "blake-simd";
import { DigestStream, HashStream, VerifyStream } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import {
  bytes,
  forbidUnhandledRejections,
  nobleDigest,
  quiet,
  rejection,
  type Watched,
  watched,
} from "../support/streams.ts";

forbidUnhandledRejections();

type Passing = HashStream | VerifyStream;
type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
type Writer = WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;

const reason = new Error("enough");
const swallow = (...promises: Promise<unknown>[]) => Promise.allSettled(promises);

function fail(): never {
  throw reason;
}

/** A signal that is aborted some milliseconds later. */
function abortedIn(milliseconds: number): { signal: AbortSignal } {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), milliseconds);
  return controller;
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

/** What a stream is doing when one of its ends is ended, by what has been done with both. */
const moments: Record<string, (writer: Writer, reader: Reader) => unknown> = {
  "before any chunk": () => {},
  "later, before any chunk": quiet,
  "while a write waits": (writer) => void swallow(writer.write(bytes(5))),
  "while a write in progress waits": (writer) => {
    void swallow(writer.write(bytes(5)));
    return quiet();
  },
  "while writes and the close wait": (writer) =>
    void swallow(writer.write(bytes(5)), writer.write(bytes(6)), writer.close()),
  "while the close waits for a write in progress": (writer) => {
    void swallow(writer.write(bytes(5)), writer.close());
    return quiet();
  },
  "while the reader waits": (_, reader) => void swallow(reader.read()),
  "between chunks": (writer, reader) => {
    void swallow(writer.write(bytes(5)), writer.write(bytes(6)));
    return reader.read();
  },
  "after some chunks": (writer, reader) => {
    void swallow(reader.read(), reader.read());
    return Promise.all([writer.write(bytes(5)), writer.write(bytes(6))]);
  },
};

describe.each<[string, (algorithm: Watched["algorithm"]) => Passing]>([
  ["HashStream", (algorithm) => new HashStream(algorithm)],
  ["VerifyStream", (algorithm) => new VerifyStream(algorithm, new Uint8Array(32))],
])("%s", (_, make) => {
  /** A stream with both sides locked, whose rejections are not looked at. */
  function locked() {
    const subject = watched();
    const stream = make(subject.algorithm);
    const [writer, reader] = [stream.writable.getWriter(), stream.readable.getReader()];
    void swallow(writer.closed, reader.closed);
    return { stream, subject, writer, reader };
  }

  async function expectEnded(stream: Passing, { disposed }: Watched, error: unknown = reason): Promise<void> {
    expect(await rejection(stream.digest)).toBe(error);
    expect(disposed()).toBe(true);
  }

  describe.each(Object.entries(moments))("ended %s", (_, prepare) => {
    it.each(["abort", "cancel"])("by %s: digest, both sides and all that waits reject with the reason", async (way) => {
      const { stream, subject, writer, reader } = locked();
      await prepare(writer, reader);
      void (way === "abort" ? writer.abort(reason) : reader.cancel(reason));
      // As in every TransformStream, an abort waits for the write in progress, and this for the reader.
      if (way === "abort") void swallow(reader.read());
      await expectEnded(stream, subject);
      const ended = way === "abort" ? [reader.read(), reader.closed] : [writer.write(bytes(5))];
      for (const each of [...ended, writer.closed]) expect(await rejection(each)).toBe(reason);
    });
  });

  it("rejects the write in progress at once if the reader cancels", async () => {
    const { writer, reader } = locked();
    const write = rejection(writer.write(bytes(5)));
    await quiet();
    await reader.cancel(reason);
    expect(await write).toBe(reason);
  });

  it("refuses a write and a close right after a cancel", async () => {
    const { writer, reader } = locked();
    await quiet();
    const cancelled = reader.cancel(reason);
    const ended = [writer.write(bytes(5)), writer.close(), writer.closed].map(rejection);
    await cancelled;
    expect(await Promise.all(ended)).toEqual([reason, reason, reason]);
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

  it("rejects the write of a wrong chunk that waited for the reader", async () => {
    const { stream, subject, writer, reader } = locked();
    let written: unknown = "waiting";
    writer.write(5 as never).catch((error: unknown) => {
      written = error;
    });
    await quiet();
    expect(written).toBe("waiting");
    const error = await rejection(reader.read());
    expect(error).toBeInstanceOf(TypeError);
    await quiet();
    expect(written).toBe(error);
    await expectEnded(stream, subject, error);
  });
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
    await writer.abort(reason);
    expect(await digest).toEqual(nobleDigest(bytes(5)));
  });
});

it("HashStream has its digest before the reader has taken the last chunk, and its hasher is wiped", async () => {
  const { algorithm, disposed } = watched();
  const hash = new HashStream(algorithm);
  const [writer, reader] = [hash.writable.getWriter(), hash.readable.getReader()];
  const first = reader.read();
  await writer.write(bytes(5));
  await writer.close();
  expect(await hash.digest).toEqual(nobleDigest(bytes(5)));
  expect((await first).value).toEqual(bytes(5));
  expect(disposed()).toBe(true);
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
    "has its pipe aborted": (stream) => swallow(endless().pipeTo(stream, abortedIn(5))),
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
  const create = () => Object.defineProperty(algorithm.create(), "digest", { configurable: true, value: fail });
  const stream = make(Object.create(algorithm, { create: { value: create } }));
  const writable = stream instanceof HashStream ? stream.writable : stream;
  expect(await rejection(writable.close())).toBe(reason);
  expect(await rejection(stream.digest)).toBe(reason);
  expect(disposed()).toBe(true);
});
