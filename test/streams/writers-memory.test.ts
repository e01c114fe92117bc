// What a reader gets is what was hashed, whatever the writer does with its memory once a chunk has been written.
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { blake3 } from "blake-simd";
import { hashThrough } from "blake-simd/node";
import { HashStream, VerifyStream } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import { nobleDigest } from "../support/streams.ts";

const PARTS = ["AAAAAA", "BBBBBB", "CCCCCC", "DDDDDD"];
const TEXT = PARTS.join("");
const encode = (text: string) => new TextEncoder().encode(text);
const textOf = (chunk: ArrayBufferView) =>
  Buffer.from(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength).slice()).toString();

/**
 * Each way in which a writer uses its memory again: returns the next part in it, and is told that the part was written.
 */
const writers: Record<string, () => { next(part: string): Uint8Array; written(chunk: Uint8Array): void }> = {
  "fills its one buffer again": () => {
    const buffer = new Uint8Array(6);
    return {
      next(part) {
        buffer.set(encode(part));
        return buffer;
      },
      written: () => void buffer.fill(0x78),
    };
  },
  "has shared memory": () => {
    const buffer = new Uint8Array(new SharedArrayBuffer(6));
    return {
      next(part) {
        buffer.set(encode(part));
        return buffer;
      },
      written: () => void buffer.fill(0x78),
    };
  },
  "transfers its buffers": () => ({
    next: encode,
    written: ({ buffer }) => void structuredClone(buffer, { transfer: [buffer as ArrayBuffer] }),
  }),
  "shortens its buffers": () => ({
    next(part) {
      const bytes = new Uint8Array(new ArrayBuffer(6, { maxByteLength: 9 }));
      bytes.set(encode(part));
      return bytes;
    },
    written: ({ buffer }) => (buffer as ArrayBuffer).resize(2),
  }),
};

const streams = {
  VerifyStream: () => new VerifyStream<Uint8Array>(blake3, nobleDigest(TEXT)),
  HashStream: () => new HashStream<Uint8Array>(blake3),
};

describe.each(Object.entries(streams))("%s, whose writer", (_, make) => {
  const cases = Object.keys(writers).flatMap((name) =>
    ["", ", and whose reader leaves and comes back"].map((how) => [name, how]),
  );

  it.each(cases)("%s%s", async (name, leaves) => {
    const { readable, writable, digest } = make();
    const [writer, memory] = [writable.getWriter(), writers[name]!()];
    const write = async () => {
      for (const part of PARTS) {
        const chunk = memory.next(part);
        await writer.write(chunk);
        memory.written(chunk);
        if (!leaves) await setTimeout(1);
      }
      await writer.close();
    };
    let reader = readable.getReader();
    const left = leaves ? reader.read().catch(() => {}) : undefined;
    if (leaves) reader.releaseLock();
    await left;
    const writing = write();
    if (leaves) {
      await setTimeout(5);
      reader = readable.getReader();
    }
    let got = "";
    for (let each = await reader.read(); !each.done; each = await reader.read()) {
      got += textOf(each.value);
      if (leaves) await setTimeout(1);
    }
    await writing;
    expect(got).toBe(TEXT);
    expect(await digest).toEqual(nobleDigest(TEXT));
  });
});

it("memory that changes while it waits: the digest is of what the reader gets", async () => {
  for (const Buffer of [ArrayBuffer, SharedArrayBuffer]) {
    const stream = new HashStream<Uint8Array>(blake3);
    const chunk = new Uint8Array(new Buffer(9)).fill(1);
    const writer = stream.writable.getWriter();
    const written = writer.write(chunk);
    chunk.fill(2);
    const { value } = await stream.readable.getReader().read();
    await written;
    chunk.fill(3);
    await writer.close();
    expect(await stream.digest).toEqual(nobleDigest(new Uint8Array(9).fill(2)));
    if (Buffer === SharedArrayBuffer) expect(value).toEqual(new Uint8Array(9).fill(2));
  }
});

it.each(Object.entries(writers))("hashThrough, whose writer %s once it is told", async (_, start) => {
  let digest: Uint8Array | undefined;
  const through = hashThrough(blake3, (bytes) => {
    digest = bytes;
  });
  const memory = start();
  let got = "";
  const slow = new Writable({
    highWaterMark: 1,
    write(chunk, _encoding, done) {
      got += textOf(chunk);
      void setTimeout(2).then(() => done());
    },
  });
  const piped = pipeline(through, slow);
  for (const part of PARTS) {
    const chunk = memory.next(part);
    await new Promise<void>((written) => through.write(chunk, () => written()));
    memory.written(chunk);
  }
  through.end();
  await piped;
  expect(got).toBe(TEXT);
  expect(Uint8Array.from(digest ?? [])).toEqual(nobleDigest(TEXT));
});

it.each(["before", "after"])("a chunk that is undefined fails the stream, written %s the reader asks", async (when) => {
  const { readable, writable, digest } = new HashStream<Uint8Array>(blake3);
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  const read = () => reader.read().catch((error: unknown) => error);
  const early = when === "after" ? read() : undefined;
  if (early) await setTimeout(1);
  const written = writer.write(undefined as never).catch((error: unknown) => error);
  const results = [await (early ?? read()), await written, await digest.catch((error: unknown) => error)];
  for (const error of results) expect(String(error)).toMatch(/^TypeError: HashStream: chunk must be .* got undefined$/);
});
