// HashStream and DigestStream: what goes through, and the digest of it.
import { blake3 } from "blake-simd";
import { DigestStream, HashStream, VerifyStream } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import {
  bytes,
  cut,
  forbidUnhandledRejections,
  isPending,
  nobleDigest,
  pairs,
  quiet,
  rejection,
  streamOf,
  watched,
} from "../support/streams.ts";

forbidUnhandledRejections();

async function collect<C>(stream: ReadableStream<C>): Promise<C[]> {
  const chunks: C[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const SIZES = [0, 1, 129, 1025, 65536, 200_000];

describe.each(pairs)("$name", ({ algorithm, oracle }) => {
  it.each(SIZES)("hashes %i bytes in chunks of any size", async (size) => {
    const message = bytes(size);
    for (const chunkSize of [size > 2000 ? 4093 : 7, 64, 65536]) {
      const hash = new HashStream(algorithm);
      const sink = new DigestStream(algorithm);
      const chunks = cut(message, chunkSize);
      const passed: Uint8Array[] = [];
      const note = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          passed.push(chunk);
          controller.enqueue(chunk);
        },
      });
      await streamOf(chunks).pipeThrough(hash).pipeThrough(note).pipeTo(sink);
      expect(await hash.digest).toEqual(new Uint8Array(oracle(message)));
      expect(await sink.digest).toEqual(new Uint8Array(oracle(message)));
      expect(passed.length).toBe(chunks.length);
      expect(passed.every((chunk, i) => chunk === chunks[i])).toBe(true);
    }
  });

  it("takes the algorithm's options", async () => {
    const options = { length: 20, key: bytes(32) };
    const hash = new HashStream(algorithm, options);
    const sink = new DigestStream(algorithm, options);
    await streamOf([bytes(3000)])
      .pipeThrough(hash)
      .pipeTo(sink);
    expect(await hash.digest).toEqual(new Uint8Array(oracle(bytes(3000), options)));
    expect(await sink.digest).toEqual(await hash.digest);
  });
});

const backing = bytes(64);
const shared = new SharedArrayBuffer(5);
new Uint8Array(shared).set(bytes(5));
const kinds = {
  Uint8Array: backing.subarray(3, 9),
  Buffer: Buffer.from("buffer"),
  Uint16Array: new Uint16Array(backing.buffer, 2, 5),
  Float64Array: new Float64Array(backing.buffer, 8, 2),
  DataView: new DataView(backing.buffer, 1, 4),
  ArrayBuffer: backing.buffer.slice(7, 20),
  SharedArrayBuffer: shared,
  string: "häsh 🐚",
  "empty string": "",
  "empty bytes": new Uint8Array(0),
  "empty buffer": new ArrayBuffer(0),
};

function bytesOf(chunk: (typeof kinds)[keyof typeof kinds]): Uint8Array {
  if (typeof chunk === "string") return Buffer.from(chunk);
  return ArrayBuffer.isView(chunk)
    ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    : new Uint8Array(chunk);
}

describe("chunks", () => {
  it.each(Object.entries(kinds))("takes and passes on the same %s", async (_, chunk) => {
    const hash = new HashStream<typeof chunk>(blake3);
    const passed = await collect(streamOf([chunk]).pipeThrough(hash));
    expect(passed).toHaveLength(1);
    expect(passed[0]).toBe(chunk);
    expect(await hash.digest).toEqual(nobleDigest(bytesOf(chunk)));
  });

  it.each(Object.entries(kinds))(
    "are the same text, or a copy of the bytes, if they are verified: %s",
    async (_, chunk) => {
      const verify = new VerifyStream<typeof chunk>(blake3, nobleDigest(bytesOf(chunk)));
      const [passed] = await collect(streamOf([chunk]).pipeThrough(verify));
      expect(typeof passed === "string" ? passed : bytesOf(passed!)).toEqual(
        typeof chunk === "string" ? chunk : bytesOf(chunk),
      );
    },
  );

  it.each([
    ["cut inside a character", ["a\ud83d", "\udc1ab"], "a🐚b"],
    ["one code unit at a time", [..."x🐚y🐚"].join("").split(""), "x🐚y🐚"],
    ["with an empty chunk in the cut", ["\ud83d", "", "\udc1a"], "🐚"],
    ["ending in half a character", ["a\ud83d"], "a\ufffd"],
    ["two first halves", ["\ud83d", "\ud83d\udc1a"], "\ufffd🐚"],
    ["a second half alone", ["\udc1a", "a"], "\ufffda"],
  ])("hashes text %s as a whole", async (_, chunks, whole) => {
    const hash = new HashStream<string>(blake3);
    expect(await collect(streamOf(chunks).pipeThrough(hash))).toEqual(chunks);
    expect(await hash.digest).toEqual(nobleDigest(whole));
  });

  it("ends half a character if bytes follow", async () => {
    const sink = new DigestStream(blake3);
    await streamOf(["\ud83d", bytes(3), "\udc1a"]).pipeTo(sink);
    expect(await sink.digest).toEqual(
      nobleDigest(Buffer.concat([Buffer.from("\ufffd"), bytes(3), Buffer.from("\ufffd")])),
    );
  });

  it("are hashed before they are passed on", async () => {
    const { algorithm, log } = watched();
    const hash = new HashStream(algorithm);
    const sink = new WritableStream({ write: () => void log.push("write") });
    await streamOf([bytes(1), bytes(2)])
      .pipeThrough(hash)
      .pipeTo(sink);
    expect(log).toEqual(["update", "write", "update", "write"]);
  });

  const detached = new Uint8Array(4);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  const wrong: readonly (readonly [unknown, string])[] = [
    [undefined, "undefined"],
    [null, "null"],
    [5, "a number"],
    [{}, "an object (Object)"],
    [[1, 2], "an array"],
    [new Blob(["x"]), "an object (Blob)"],
    [detached, "detached"],
  ];
  it.each(wrong.map(([chunk, got]) => ({ chunk, got })))("refuses $got", async ({ chunk, got }) => {
    type Watched = ReturnType<typeof watched>["algorithm"];
    const makes = [(a: Watched) => new HashStream(a), (a: Watched) => new DigestStream(a)];
    for (const make of makes) {
      const { algorithm, disposed } = watched();
      const stream = make(algorithm);
      const both = stream instanceof HashStream;
      const output = both ? collect(stream.readable) : undefined;
      const writer = (both ? stream.writable : stream).getWriter() as WritableStreamDefaultWriter<unknown>;
      await writer.write(bytes(3));
      const error = await rejection(writer.write(chunk));
      expect(error).toBeInstanceOf(TypeError);
      expect((error as Error).message).toMatch(/^(Hash|Digest)Stream: chunk must be a string, an ArrayBuffer/);
      expect((error as Error).message).toContain(got);
      expect(await rejection(stream.digest)).toBe(error);
      expect(await rejection(writer.closed)).toBe(error);
      if (output) expect(await rejection(output)).toBe(error);
      expect(disposed()).toBe(true);
    }
  });
});

describe("construction", () => {
  it("extends the platform's classes", () => {
    expect(new HashStream(blake3)).toBeInstanceOf(TransformStream);
    expect(new VerifyStream(blake3, new Uint8Array(32))).toBeInstanceOf(TransformStream);
    expect(new DigestStream(blake3)).toBeInstanceOf(WritableStream);
  });

  it.each([HashStream, DigestStream, VerifyStream])("%o wants an algorithm and its options", (Stream) => {
    const make = (...args: unknown[]) => Reflect.construct(Stream, args);
    for (const [algorithm, got] of [
      ["blake3", "a string of length 6"],
      [undefined, "undefined"],
      [null, "null"],
      [{}, "an object (Object)"],
    ]) {
      const message = `${Stream.name}: algorithm must be one of this package's, such as blake3, got ${got}: it comes first`;
      expect(() => make(algorithm)).toThrow(new TypeError(message));
    }
    const before = Stream === VerifyStream ? [blake3, new Uint8Array(32)] : [blake3];
    expect(() => make(...before, { key: bytes(31) })).toThrow(RangeError);
    expect(() => make(...before, { nope: 1 })).toThrow(TypeError);
  });

  it("does not transfer a stream without its hasher", () => {
    const hash = new HashStream(blake3);
    expect(() => structuredClone(hash, { transfer: [hash as unknown as ArrayBuffer] })).toThrow(
      expect.objectContaining({ name: "DataCloneError" }),
    );
  });

  it("transfers the two sides", async () => {
    const hash = new HashStream(blake3);
    const { readable, writable } = hash;
    const sides = structuredClone(
      { readable, writable },
      { transfer: [readable, writable] as unknown as ArrayBuffer[] },
    );
    const passed = await collect(streamOf(cut(bytes(5000), 1000)).pipeThrough(sides));
    expect(Buffer.concat(passed)).toEqual(Buffer.from(bytes(5000)));
    expect(await hash.digest).toEqual(nobleDigest(bytes(5000)));
  });
});

describe("back-pressure", () => {
  /** How many chunks a source has given once a consumer has read this many, and what the writable side wants. */
  async function trace(pair: ReadableWritablePair<Uint8Array, Uint8Array>): Promise<number[]> {
    let given = 0;
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        given++;
        controller.enqueue(bytes(1000));
      },
    });
    const reader = source.pipeThrough(pair).getReader();
    const counts: number[] = [];
    for (let read = 0; read < 6; read++) {
      await quiet();
      counts.push(given);
      await reader.read();
    }
    await reader.cancel();
    return counts;
  }

  it("is that of a TransformStream", async () => {
    const native = await trace(new TransformStream());
    expect(Math.max(...native)).toBeLessThan(12);
    expect(await trace(new HashStream(blake3))).toEqual(native);
  });

  it("holds back one chunk more to verify", async () => {
    const counts = await trace(new VerifyStream(blake3, new Uint8Array(32)));
    const native = await trace(new TransformStream());
    expect(counts.every((count, i) => count <= native[i]! + 1)).toBe(true);
  });

  it("makes the writer wait for the reader", async () => {
    const { readable, writable } = new HashStream(blake3);
    const writer = writable.getWriter();
    expect(writer.desiredSize).toBe(1);
    const first = writer.write(bytes(1));
    expect(writer.desiredSize).toBe(0);
    expect(await isPending(writer.ready)).toBe(true);
    expect(await isPending(first)).toBe(true);
    const reader = readable.getReader();
    expect((await reader.read()).value).toEqual(bytes(1));
    await Promise.all([first, writer.ready]);
    expect(writer.desiredSize).toBe(1);
    await Promise.all([reader.cancel(), rejection(writer.closed)]);
  });

  it("serves reads that were asked ahead", async () => {
    const hash = new HashStream(blake3);
    const reader = hash.readable.getReader();
    const reads = [reader.read(), reader.read(), reader.read()];
    const writer = hash.writable.getWriter();
    const writes = [writer.write(bytes(1)), writer.write(bytes(2)), writer.close()];
    expect((await Promise.all(reads)).map(({ value }) => value?.length)).toEqual([1, 2, undefined]);
    await Promise.all(writes);
    expect(await hash.digest).toEqual(nobleDigest(Buffer.concat([bytes(1), bytes(2)])));
  });
});

it("DigestStream has its digest once the close is over, and wipes the hasher", async () => {
  const { algorithm, disposed } = watched();
  const stream = new DigestStream(algorithm);
  await streamOf([bytes(5)]).pipeTo(stream);
  expect(disposed()).toBe(true);
  expect(await stream.digest).toEqual(nobleDigest(bytes(5)));
});

it("memory that changes while it waits: the digest is of what the reader gets", async () => {
  const stream = new HashStream<Uint8Array>(blake3);
  const chunk = new Uint8Array(9).fill(1);
  const writer = stream.writable.getWriter();
  const written = writer.write(chunk);
  chunk.fill(2);
  expect((await stream.readable.getReader().read()).value).toEqual(new Uint8Array(9).fill(2));
  await written;
  chunk.fill(3);
  await writer.close();
  expect(await stream.digest).toEqual(nobleDigest(new Uint8Array(9).fill(2)));
});

it.each(["before", "after"])("a chunk that is undefined fails the stream, written %s the reader asks", async (when) => {
  const { readable, writable, digest } = new HashStream<Uint8Array>(blake3);
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  const read = () => reader.read().catch((error: unknown) => error);
  const early = when === "after" ? read() : undefined;
  if (early) await quiet();
  const written = writer.write(undefined as never).catch((error: unknown) => error);
  const results = [await (early ?? read()), await written, await digest.catch((error: unknown) => error)];
  for (const error of results) expect(String(error)).toMatch(/^TypeError: HashStream: chunk must be .* got undefined$/);
});
