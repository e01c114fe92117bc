// What the streams make of a subtree that comes whole: it is hashed at once, its nodes are not opened one by one, and
// it is taken of its own stream's bytes alone.
import { BaoDecodeStream, BaoEncodeStream, IntegrityError, outboard, VerifiedRangeStream } from "blake-simd/bao";
import { describe, expect, it, vi } from "vitest";
import { BaoKernel } from "../../js/bao/kernel.ts";
import { Outboard as SourceOutboard } from "../../js/bao/outboard.ts";
import { outboard as sourceOutboard } from "../../js/bao/outboard-of.ts";
import { concat, content, passed, through } from "../support/bao.ts";
import { countSingleNodes, Decoding, encoderOf, verifierOf } from "../support/bao-machines.ts";
import { expectBytes } from "../support/messages.ts";

const KiB = 1024;
const PIECE = 256 * KiB;
const message = content(2 * PIECE);

/** Verifies pieces, and returns how many nodes are opened for each. */
function opened(tree: SourceOutboard, ...pieces: readonly Uint8Array[]): number[] {
  const nodes = vi.spyOn(SourceOutboard.prototype, "node");
  const given: Uint8Array[] = [];
  const verifier = verifierOf(tree, {}, (bytes) => given.push(bytes));
  const counts = pieces.map((piece) => {
    nodes.mockClear();
    verifier.push(piece);
    return nodes.mock.calls.length;
  });
  verifier.end();
  nodes.mockRestore();
  expectBytes(concat(given), concat(pieces));
  return counts;
}

describe.each([1, 16, 128].map((kib) => kib * KiB))("of groups of %i bytes", (group) => {
  const lengths = [2, 3, 5, 8, 13, 31, 100, 256].map((groups) => groups * group).filter((length) => length <= PIECE);

  it.each(lengths.flatMap((length) => [length, length - 77]))("%i bytes open no node", (length) => {
    const bytes = message.subarray(0, length);
    expect(opened(sourceOutboard(bytes, { group }), bytes)).toEqual([0]);
  });

  it("two pieces open the root node alone", () => {
    const tree = sourceOutboard(message, { group });
    expect(opened(tree, message.subarray(0, PIECE), message.subarray(PIECE))).toEqual([1, 0]);
  });

  it.each([PIECE - group, PIECE - 77, PIECE, 2 * PIECE])(
    "the nodes of %i bytes are decoded together",
    async (length) => {
      const bytes = message.subarray(0, length);
      const tree = outboard(bytes, { group });
      const encoding = await passed(new BaoEncodeStream(tree), bytes);
      const given: Uint8Array[] = [];
      const decoder = new Decoding(tree.root, { group }, (part) => given.push(part));
      // A window has room for a piece and its nodes, without what comes before.
      const ends = length > PIECE ? [72, 72 + PIECE + (PIECE / group - 1) * 64, encoding.length] : [encoding.length];
      const single = countSingleNodes(() => {
        for (const [i, end] of ends.entries()) decoder.push(encoding.subarray(ends[i - 1] ?? 0, end));
      });
      expectBytes(concat(given), bytes);
      expect(decoder.decoder.length).toBe(length);
      expect(single).toBe(length > PIECE ? 1 : 0);
    },
  );
});

describe.each([4, 16].map((kib) => kib * KiB))("more than a piece, in groups of %i bytes,", (group) => {
  const bytes = message.subarray(0, PIECE + 1);
  const tree = outboard(bytes, { group });

  it("is not verified at once: its root is opened", () => {
    expect(opened(sourceOutboard(bytes, { group }), bytes)).toEqual([1]);
  });

  it("is not decoded at once, but its two halves are", async () => {
    const encoding = await passed(new BaoEncodeStream(tree), bytes);
    const given: Uint8Array[] = [];
    const decoder = new Decoding(tree.root, { group }, (part) => given.push(part));
    expect(countSingleNodes(() => decoder.push(encoding))).toBe(1);
    expectBytes(concat(given), bytes);
  });

  it("is refused as a whole if only a part was asked for", async () => {
    const encoding = await passed(new BaoEncodeStream(tree), bytes);
    for (const range of [{ start: group }, { end: 3 * group }, { start: group, end: 5 * group }]) {
      const { bytes: given, error } = await through(new BaoDecodeStream(tree.root, { group, ...range }), encoding);
      expect(error).toBeInstanceOf(IntegrityError);
      expectBytes(given, bytes.subarray(range.start, (range.start ?? 0) + given.length));
    }
  });
});

it("groups that are wanted whole are not taken apart for iroh", () => {
  const group = 16 * KiB;
  const tree = sourceOutboard(message, { group });
  const apart = vi.spyOn(BaoKernel.prototype, "collect");
  const encode = (end: number) => {
    apart.mockClear();
    const encoder = encoderOf(tree, { format: "iroh", start: group, end }, () => {});
    for (let at = 0; at < message.length; at += group) encoder.push(message.subarray(at, at + group));
    return apart.mock.calls.map(([chunks]) => chunks);
  };
  expect(encode(2 * group)).toEqual([]);
  expect(encode(2 * group - KiB)).toEqual([group / KiB]);
  apart.mockRestore();
});

describe.each([KiB, 8 * KiB])("bytes that another stream has left in the kernel, in groups of %i bytes,", (group) => {
  const bytes = message.subarray(0, 64 * KiB);
  const tree = outboard(bytes, { group });

  /**
   * Gives one stream all bytes but does not close it; then a second one of the same kind only the first few of them.
   */
  async function expectNothingTaken(
    make: () => TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>,
    all: Uint8Array,
    few: number,
  ) {
    const other = make();
    const reading = other.readable.getReader();
    await Promise.all([other.writable.getWriter().write(all), reading.read()]);
    const given = await through(make(), all.subarray(0, few));
    await reading.cancel();
    expect(given.error).toBeInstanceOf(IntegrityError);
    expect(given.error).toMatchObject({ reason: "truncated" });
    return given.bytes;
  }

  it("are not decoded", async () => {
    const encoding = await passed(new BaoEncodeStream(tree), bytes);
    expect(await expectNothingTaken(() => new BaoDecodeStream(tree.root, { group }), encoding, 8 + 64)).toHaveLength(0);
  });

  it("are not verified", async () => {
    expect(await expectNothingTaken(() => new VerifiedRangeStream(tree), bytes, 100)).toHaveLength(0);
  });

  it("are not encoded", async () => {
    const given = await expectNothingTaken(() => new BaoEncodeStream(tree), bytes, 100);
    // The header, and the nodes over the first group.
    expect(given.length).toBe(8 + 64 * Math.log2(bytes.length / group));
  });
});
