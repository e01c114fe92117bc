// Streams that encode, decode and verify: ranges, groups and chunks of any size, side by side, and a wrong root.
import { blake3, useBackend } from "blake-simd";
import { BaoDecodeStream, BaoEncodeStream, outboard, outboardOf, VerifiedRangeStream } from "blake-simd/bao";
import { afterAll, describe, expect, it } from "vitest";
import { concat, content, flipped, passed, through } from "../support/bao.ts";
import { expectBytes } from "../support/messages.ts";

const message = content(1_200_001);
const expected = outboard(message);
const nodes = expected.toBytes("bao");

afterAll(() => useBackend("simd128"));

it.each([1000, 60_000, 200_000, 2 ** 30])("ranges with gaps of any size are encoded, in chunks of %i", async (size) => {
  for (const group of [1024, 16_384]) {
    const tree = outboard(message, { group });
    const ends = [1, 17_000, 50_000, 300_000, 320_000, 1_000_000];
    const ranges = ends.map((start) => ({ start, end: start + 3 }));
    const encoding = await passed(new BaoEncodeStream(tree, { ranges }), message, size);
    const right = concat(ranges.map(({ start, end }) => message.subarray(start, end)));
    expectBytes(await passed(new BaoDecodeStream(tree.root, { group, ranges }), encoding, size), right);
  }
});

describe("concurrent streams", () => {
  it("do not disturb one another, other hashes, or a change of backend", async () => {
    const tree = outboard(message, { group: 1024 });
    const encoded = await passed(new BaoEncodeStream(tree), message);
    const hasher = blake3.create();
    const one = through(new BaoDecodeStream(tree.root, { group: 1024 }), encoded, 10_000);
    const two = through(new BaoDecodeStream(tree.root, { group: 1024 }), flipped(encoded, 700_000), 7777);
    const three = passed(new VerifiedRangeStream(expected), message, 5000);
    const four = outboardOf(
      (async function* () {
        for (let at = 0; at < message.length; at += 50_000) {
          useBackend((at / 50_000) % 2 ? "simd128" : "baseline");
          hasher.update(message.subarray(at, at + 50_000));
          yield message.subarray(at, at + 50_000);
        }
      })(),
    );
    expectBytes((await one).bytes, message);
    const { bytes, error } = await two;
    expect(error).toMatchObject({ name: "IntegrityError" });
    expectBytes(bytes, message.subarray(0, bytes.length));
    expectBytes(await three, message);
    expectBytes((await four).toBytes(), nodes);
    expectBytes(hasher.digest(), blake3(message));
  });

  it("are read by the engine's own getters, whatever an array says of itself", async () => {
    class Liar extends Uint8Array {
      override get length(): number {
        return blake3("a call in the middle").length;
      }
      override subarray(): never {
        throw new Error("asked");
      }
    }
    const liar = new Liar(message.buffer);
    expectBytes(outboard(liar).root, blake3(message));
    const stream = new VerifiedRangeStream(expected);
    const writer = stream.writable.getWriter();
    writer.write(liar).then(() => writer.close());
    const parts: Uint8Array[] = [];
    for await (const part of stream.readable) parts.push(part);
    expectBytes(Buffer.concat(parts), message);
  });
});

describe("ranges", () => {
  it("that overlap or touch are one, whatever their order", async () => {
    const encode = (ranges: { start: number; end: number }[]) =>
      passed(new BaoEncodeStream(expected, { ranges }), message);
    const one = await encode([{ start: 10_000, end: 300_000 }]);
    const three = [
      { start: 200_000, end: 300_000 },
      { start: 10_000, end: 150_000 },
      { start: 20_000, end: 200_000 },
    ];
    expectBytes(await encode(three), one);
    expectBytes(
      await passed(new BaoDecodeStream(expected.root, { group: expected.group, ranges: three }), one),
      message.subarray(10_000, 300_000),
    );
  });
});

describe("streams", () => {
  const KiB = 1024;

  it("give no chunk of no bytes", async () => {
    const empty = outboard("");
    const streams: [TransformStream, Uint8Array][] = [
      [new BaoEncodeStream(empty), new Uint8Array()],
      [new BaoEncodeStream(empty, { format: "iroh" }), new Uint8Array()],
      [new BaoDecodeStream(empty.root), new Uint8Array(8)],
      [new VerifiedRangeStream(empty), new Uint8Array()],
      [new VerifiedRangeStream(expected, { start: 5, end: 5 }), message.subarray(0, expected.group)],
    ];
    for (const [stream, bytes] of streams) {
      const given: number[] = [];
      const writer = stream.writable.getWriter();
      const written = writer.write(bytes).then(() => writer.close());
      for await (const chunk of stream.readable) given.push(chunk.length);
      await written;
      expect(given).not.toContain(0);
    }
  });

  it.each([700_000, 1_000_000, 1_100_000])("take groups of 2^20 bytes, in chunks of %i bytes", async (size) => {
    const long = content(3 * 2 ** 20 + 5);
    const group = 2 ** 20;
    const tree = outboard(long, { group });
    const encoding = await passed(new BaoEncodeStream(tree), long, size);
    expectBytes(await passed(new VerifiedRangeStream(tree), long, size), long);
    const decoder = new BaoDecodeStream(tree.root, { group });
    expectBytes(await passed(decoder, encoding, size), long);
    expect(decoder.length).toBe(long.length);
  });

  it.each([16, 512, 1024].map((kib) => kib * KiB))("cut iroh's groups of %i bytes down to chunks", async (group) => {
    const bytes = message.subarray(0, 900_001);
    const tree = outboard(bytes, { group });
    for (const range of [
      { start: 5, end: 10 },
      { start: 2000, end: 5000 },
      { start: 290_000, end: 301_000 },
      { start: 800_000, end: 900_001 },
      { ranges: [{ end: 1 }, { start: 3 * KiB, end: 5 * KiB }, { start: 900_000 }] },
    ]) {
      const encoding = await passed(new BaoEncodeStream(tree, { format: "iroh", ...range }), bytes);
      const decoder = new BaoDecodeStream(tree.root, { format: "iroh", group, ...range });
      const spans = "ranges" in range ? range.ranges : [range];
      const right = concat(spans.map(({ start, end }: { start?: number; end?: number }) => bytes.subarray(start, end)));
      expectBytes(await passed(decoder, encoding), right);
    }
  });
});
