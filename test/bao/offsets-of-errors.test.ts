// Where in the content an error says that it is: whoever reads on elsewhere begins there.
import { BaoDecodeStream, BaoEncodeStream, Outboard, outboard, VerifiedRangeStream } from "blake-simd/bao";
import { describe, expect, it } from "vitest";
import { content, flipped, passed, through } from "../support/bao.ts";

describe("an IntegrityError says where in the content", () => {
  const group = 1024;
  const short = content(20 * group - 300);
  const tree = outboard(short, { group });
  /** The first group under each node, in pre-order. */
  const firsts = (leaves: number, first = 0): number[] => {
    if (leaves === 1) return [];
    const left = 2 ** Math.ceil(Math.log2(leaves) - 1);
    return [first, ...firsts(left, first), ...firsts(leaves - left, first + left)];
  };
  const at = (offset: number, reason = "node") => expect.objectContaining({ name: "IntegrityError", reason, offset });

  it("a wrong node begins, when all are checked, and when content is decoded, verified or encoded", async () => {
    const encoding = await passed(new BaoEncodeStream(tree), short);
    expect(firsts(20)).toHaveLength(19);
    for (const [number, first] of firsts(20).entries()) {
      const offset = first * group;
      const nodes = flipped(tree.toBytes(), 8 + 64 * number + 40);
      const wrong = Outboard.from(nodes, { root: tree.root, group });
      expect(() => wrong.check()).toThrow(at(offset));
      // In pieces, so that no subtree comes as a whole.
      for (const make of [() => new VerifiedRangeStream(wrong), () => new BaoEncodeStream(wrong)]) {
        expect((await through(make(), short, 900)).error).toEqual(at(offset));
      }
      const decoder = new BaoDecodeStream(tree.root, { group });
      expect((await through(decoder, flipped(encoding, 8 + 64 * number + offset + 40), 900)).error).toEqual(at(offset));
    }
  });

  it("the bytes end, or that it is at the beginning before there is any", async () => {
    const encoding = await passed(new BaoEncodeStream(tree), short);
    for (const length of [0, 1, 7, 8, 71, 72, 8 + 5 * 64]) {
      const { error } = await through(new BaoDecodeStream(tree.root, { group }), encoding.subarray(0, length));
      expect(error).toEqual(at(0, "truncated"));
    }
    expect(() => Outboard.from(new Uint8Array(7), { root: tree.root })).toThrow(at(0, "truncated"));
    for (const length of [0, 1, 100, 1023, 1024, 5000, 10 * group]) {
      const range = { start: 10 * group + 5 };
      const { error } = await through(new BaoEncodeStream(tree, range), short.subarray(0, length), 999);
      expect(error).toEqual(at(length, "truncated"));
    }
  });

  it("a node is wrong before any content has come", async () => {
    const wrong = Outboard.from(flipped(tree.toBytes(), 8), { root: tree.root, group });
    for (const stream of [new VerifiedRangeStream(wrong), new BaoEncodeStream(wrong)]) {
      expect((await through(stream, new Uint8Array())).error).toEqual(at(0));
    }
  });
});
