// What to request for a range: the groups of the content, and the nodes of the outboard.
import { nodesOf, Outboard, outboard, rangeOf, VerifiedRangeStream } from "blake-simd/bao";
import { expect, it } from "vitest";
import { content, through } from "../support/bao.ts";
import { expectBytes } from "../support/messages.ts";

const message = content(1_000_001);

it.each([
  [0, "bytes=0-"],
  [1, "bytes=0-0"],
  [2, "bytes=0-1"],
])("rangeOf asks for all of %i bytes", (length, header) => {
  expect(rangeOf({ length, group: 1024 })).toEqual({ start: 0, end: length, header });
});

it.each([
  ["rangeOf", rangeOf],
  ["nodesOf", nodesOf],
])("%s refuses a shape and a range that are none", (name, call) => {
  expect(() => call(null as never)).toThrow(new RegExp(`^${name}: options must be `));
  const shape = { length: 5000, group: 1024 };
  expect(() => call(shape, { from: 5 } as never)).toThrow(
    new TypeError(`${name}: unknown option "from"; allowed are start, end`),
  );
  expect(() => call(shape, null as never)).toThrow(new RegExp(`^${name}: options must be `));
});

it.each([
  [0, 0, 0, 16_384],
  [0, 16_384, 0, 16_384],
  [0, 16_385, 0, 32_768],
  [16_383, 16_384, 0, 16_384],
  [16_384, 16_384, 16_384, 32_768],
  [16_384, 16_385, 16_384, 32_768],
  [16_385, 16_385, 16_384, 32_768],
  [98_304, 98_304, 98_304, 100_000],
  [100_000, 100_000, 98_304, 100_000],
  [99_999, 200_000, 98_304, 100_000],
])("rangeOf rounds %i to %i to whole groups", (start, end, from, to) => {
  expect(rangeOf({ length: 100_000, group: 16_384 }, { start, end })).toMatchObject({ start: from, end: to });
});

it.each(["bao", "iroh", "post-order"] as const)(
  "nodesOf names the nodes over the groups, and no others, in %s",
  (format) => {
    const group = 1024;
    const options = { length: 13 * group, group, format };
    for (let first = 0; first < 13; first++) {
      for (let last = first; last < 13; last++) {
        const wanted = { start: first * group, end: (last + 1) * group };
        const spans = nodesOf(options, wanted);
        // In their order, and none touches the next.
        expect(spans.slice(1).every(({ start }, i) => start > spans[i]!.end)).toBe(true);
        // As many as there are subtrees of several groups that have one of these.
        expect(spans.reduce((sum, { start, end }) => sum + (end - start) / 64, 0)).toBe(nodesOver(13, first, last));
      }
    }
  },
);

function nodesOver(leaves: number, first: number, last: number): number {
  if (leaves === 1 || last < 0 || first >= leaves) return 0;
  const left = 2 ** Math.ceil(Math.log2(leaves) - 1);
  return 1 + nodesOver(left, first, last) + nodesOver(leaves - left, first - left, last - left);
}

it("rangeOf and nodesOf say what a range needs, and no more of it than that", async () => {
  for (const group of [1024, 16384, 1 << 20]) {
    const whole = outboard(message, { group });
    const { root, length } = whole;
    for (const [start, end] of [
      [0, 1],
      [999_999, 1_000_001],
      [16_384, 32_768],
      [0, 1_000_001],
      [500_000, 500_000],
    ] as const) {
      const { start: from, end: to, header } = rangeOf(whole, { start, end });
      expect(header).toBe(`bytes=${from}-${to - 1}`);
      expect([from % group, to === length || to % group === 0]).toEqual([0, true]);
      const verify = (tree: Outboard) =>
        through(new VerifiedRangeStream(tree, { start, end }), message.subarray(from, to), 9999);
      for (const format of ["bao", "iroh", "post-order"] as const) {
        const bytes = whole.toBytes(format);
        const options = { root, length, group, format };
        const spans = nodesOf({ length, group, format }, { start, end });
        // Some more bytes than those of the nodes, which are no whole nodes.
        const parts = spans.map((span) => {
          const first = Math.max(0, span.start - 5);
          return { start: first, bytes: bytes.subarray(first, span.end + 60) };
        });
        const part = Outboard.fromParts(parts, options);
        const { bytes: given, error } = await verify(part);
        expect(error).toBeUndefined();
        expectBytes(given, message.subarray(start, end));
        expect(() => part.toBytes()).toThrow(/whole, got one of parts/);
        if (parts.length === 0) continue;
        const { error: missing } = await verify(Outboard.fromParts(parts.slice(1), options));
        expect(missing).toMatchObject({ name: "RangeError", message: expect.stringMatching(/range's nodes/) });
      }
    }
  }
});

it("nodesOf finds in a tree with more than 2^31 leaves a node at each of its levels", () => {
  // 2^32 chunks: 32 nodes lead to the first one. In pre-order they are the first ones, after 8 bytes of header.
  const length = 2 ** 42;
  expect(nodesOf({ length, group: 1024, format: "bao" }, { start: 0, end: 1 })).toEqual([
    { start: 8, end: 8 + 32 * 64 },
  ]);
  // The right half of twice as many: its root follows the 2^32 - 1 nodes of the left one.
  const right = 8 + 64 * (1 + (2 ** 32 - 1));
  expect(nodesOf({ length: 2 * length, group: 1024, format: "bao" }, { start: length, end: length + 1 })).toEqual([
    { start: 8, end: 8 + 64 },
    { start: right, end: right + 32 * 64 },
  ]);
});
