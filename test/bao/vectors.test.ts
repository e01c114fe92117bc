// Every official vector of bao: hashes, encodings, outboards, slices, seeks, and each position at which a flipped bit
// must be noticed.
import { blake3, toHex, useBackend } from "blake-simd";
import {
  BaoDecodeStream,
  BaoEncodeStream,
  IntegrityError,
  Outboard,
  outboard,
  rangeOf,
  VerifiedRangeStream,
} from "blake-simd/bao";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useVariant, VARIANTS } from "../support/backends.ts";
import { baoVectors, content, flipped, passed, through } from "../support/bao.ts";

const GROUP = 1024;
const SIZES = [Number.POSITIVE_INFINITY, 1000, 61];

afterAll(() => useBackend("simd128"));

it("are all there", () => {
  const count = (lists: readonly (readonly unknown[])[]): number => lists.reduce((sum, list) => sum + list.length, 0);
  expect(Object.keys(baoVectors)).toEqual(["source", "licence", "hash", "encode", "outboard", "seek", "slice"]);
  expect(baoVectors.hash).toHaveLength(13);
  expect(count(baoVectors.slice.map(({ slices }) => slices))).toBe(222);
  expect(count(baoVectors.seek.map(({ seek_offsets }) => seek_offsets))).toBe(111);
  expect(count(baoVectors.encode.map(({ corruptions }) => corruptions))).toBe(93);
  expect(count(baoVectors.outboard.map(({ outboard_corruptions }) => outboard_corruptions))).toBe(47);
  expect(count(baoVectors.outboard.map(({ input_corruptions }) => input_corruptions))).toBe(46);
  expect(count(baoVectors.slice.flatMap(({ slices }) => slices.map(({ corruptions }) => corruptions)))).toBe(876);
});

describe.each(VARIANTS)("the vectors in the $backend build, $latency", (variant) => {
  beforeAll(() => useVariant(variant));

  it.each(baoVectors.hash)("hash $input_len bytes", ({ input_len, bao_hash }) => {
    for (const group of [GROUP, 2048, 16384]) {
      expect(toHex(outboard(content(input_len), { group }).root)).toBe(bao_hash);
    }
  });

  it.each(baoVectors.encode)("encode and decode $input_len bytes", async (vector) => {
    const { input_len, output_len, bao_hash, encoded_blake3, corruptions } = vector;
    const message = content(input_len);
    const tree = outboard(message, { group: GROUP });
    for (const size of SIZES) {
      const encoded = await passed(new BaoEncodeStream(tree), message, size);
      expect(encoded).toHaveLength(output_len);
      expect(toHex(blake3(encoded))).toBe(encoded_blake3);
      expect(await passed(new BaoDecodeStream(bao_hash, { group: GROUP }), encoded, size)).toEqual(message);
      for (const at of size === 1000 ? corruptions : []) {
        const decoder = new BaoDecodeStream(bao_hash, { group: GROUP });
        const { bytes, error } = await through(decoder, flipped(encoded, at), size);
        expect(error, `a flipped bit at ${at}`).toBeInstanceOf(IntegrityError);
        expect(bytes).toEqual(message.subarray(0, bytes.length));
      }
    }
  });

  it.each(baoVectors.outboard)("make the outboard of $input_len bytes", async (vector) => {
    const { input_len, output_len, bao_hash, encoded_blake3 } = vector;
    const message = content(input_len);
    const bytes = outboard(message, { group: GROUP }).toBytes("bao");
    expect(bytes).toHaveLength(output_len);
    expect(toHex(blake3(bytes))).toBe(encoded_blake3);
    const options = { root: bao_hash, group: GROUP };
    const use = async (nodes: Uint8Array, body: Uint8Array): Promise<unknown> => {
      const tree = Outboard.from(nodes, options);
      return (await through(new VerifiedRangeStream(tree, {}), body)).error;
    };
    expect(await use(bytes, message)).toBeUndefined();
    for (const at of vector.input_corruptions) {
      expect(await use(bytes, flipped(message, at)), `content, ${at}`).toBeInstanceOf(IntegrityError);
    }
    for (const at of vector.outboard_corruptions) {
      const wrong = async (): Promise<void> => {
        const tree = Outboard.from(flipped(bytes, at), options);
        tree.check();
        // A wrong length cannot make a node wrong if there is no node.
        const error = await use(flipped(bytes, at), message);
        if (error) throw error;
      };
      await expect(wrong(), `outboard, ${at}`).rejects.toBeInstanceOf(IntegrityError);
    }
  });

  it.each(baoVectors.slice)("make and decode slices of $input_len bytes", async ({ input_len, bao_hash, slices }) => {
    const message = content(input_len);
    const tree = outboard(message, { group: GROUP });
    for (const { start, len, output_len, output_blake3, corruptions } of slices) {
      const range = { start, end: start + len };
      const slice = await passed(new BaoEncodeStream(tree, range), message);
      expect(slice, `slice ${start}, ${len}`).toHaveLength(output_len);
      expect(toHex(blake3(slice)), `slice ${start}, ${len}`).toBe(output_blake3);
      const wanted = message.subarray(start, start + len);
      expect(await passed(new BaoDecodeStream(bao_hash, { group: GROUP, ...range }), slice, 97)).toEqual(wanted);
      for (const at of corruptions) {
        const { bytes, error } = await through(
          new BaoDecodeStream(bao_hash, { group: GROUP, ...range }),
          flipped(slice, at),
        );
        expect(error, `slice ${start}, ${len}, ${at}`).toBeInstanceOf(IntegrityError);
        expect(bytes).toEqual(wanted.subarray(0, bytes.length));
      }
    }
  });

  // A seek reads from an offset to the end: as a slice does, and as a range of plain content does.
  it.each(baoVectors.seek)("seek in $input_len bytes", async ({ input_len, seek_offsets }) => {
    const message = content(input_len);
    const tree = outboard(message, { group: GROUP });
    for (const start of seek_offsets) {
      const wanted = message.subarray(start);
      const slice = await passed(new BaoEncodeStream(tree, { start }), message);
      const stream = new BaoDecodeStream(tree.root, { group: GROUP, start });
      expect(await passed(stream, slice, 500)).toEqual(wanted);
      expect(stream.length, "past the end too, the last chunk proves the length").toBe(input_len);
      if (start > input_len) continue;
      const needed = rangeOf(tree, { start });
      const body = message.subarray(needed.start, needed.end);
      expect(await passed(new VerifiedRangeStream(tree, { start }), body, 500)).toEqual(wanted);
    }
  });
});
