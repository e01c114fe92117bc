// Bytes in groups of another length than the reader takes them for: the error says that this may be why, and no other does.
import {
  BaoDecodeStream,
  BaoEncodeStream,
  type ContentRanges,
  fetchVerified,
  IntegrityError,
  nodesOf,
  Outboard,
  outboard,
  rangeOf,
  VerifiedRangeStream,
} from "blake-simd/bao";
import { describe, expect, it } from "vitest";
import { concat, content, flipped, passed, through } from "../support/bao.ts";

const KiB = 1024;
const GROUPS = [KiB, 4 * KiB, 16 * KiB, 1024 * KiB];
const LENGTHS = [1, KiB, KiB + 1, 16 * KiB, 70_000, 300_001];
const RANGES: ContentRanges[] = [
  {},
  { start: 0, end: 1 },
  { start: 3 * KiB },
  { start: 70_000, end: 200_000 },
  { ranges: [{ end: 2000 }, { start: 20 * KiB, end: 90 * KiB }, { start: 290_000 }] },
];

const explained = (group: number) => new RegExp(`, or its groups are not of ${group} bytes$`);
const unexplained = /does not match the root hash$/;
const pairs = GROUPS.flatMap((made) => GROUPS.flatMap((read) => (read === made ? [] : [[made, read] as const])));

describe.each(pairs)("made in groups of %i bytes, read in %i", (made, read) => {
  it.each(["bao", "iroh"] as const)(
    "an encoding in %s is decoded, if it is the same, or the error says why",
    async (format) => {
      for (const length of LENGTHS) {
        const tree = outboard(content(length), { group: made });
        for (const range of RANGES) {
          const encode = (group: number) =>
            passed(new BaoEncodeStream(outboard(content(length), { group }), { format, ...range }), content(length));
          const encoding = await encode(made);
          const { error } = await through(new BaoDecodeStream(tree.root, { format, group: read, ...range }), encoding);
          if (Buffer.compare(encoding, await encode(read)) === 0) expect(error).toBeUndefined();
          else expect((error as Error).message).toMatch(explained(read));
        }
      }
    },
  );

  it("an outboard has the wrong size, or parts of it wrong nodes", async () => {
    const bytes = content(300_001);
    const tree = outboard(bytes, { group: made });
    const { root, length } = tree;
    for (const format of ["bao", "iroh", "post-order"] as const) {
      const options = { root, length, group: read, format };
      const nodes = tree.toBytes(format);
      if (tree.toBytes(format).length !== outboard(bytes, { group: read }).toBytes(format).length) {
        expect(() => Outboard.from(nodes, options)).toThrow(explained(read));
      }
      // Nodes that are missing are not named: which ones there should be is what nodesOf says.
      const range = { start: 200_000, end: 200_001 };
      const parts = nodesOf(options, range).map(({ start, end }) => ({ start, bytes: nodes.subarray(start, end) }));
      const { start, end } = rangeOf(options, range);
      const part = bytes.subarray(start, end);
      const { error } = await through(new VerifiedRangeStream(Outboard.fromParts(parts, options), range), part);
      if (error instanceof IntegrityError) expect(error.message).toMatch(explained(read));
      else if (error) expect((error as Error).message).toMatch(/outboard must hold the range's nodes/);
    }
  });
});

it("a remote outboard in other groups is refused, and says why", async () => {
  const bytes = content(300_001);
  const { root, length } = outboard(bytes);
  const nodes = outboard(bytes, { group: KiB }).toBytes();
  const fetch = async (url: string | URL, { headers }: RequestInit) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec((headers as Record<string, string>).Range!)!;
    const body = (url === "nodes" ? nodes : bytes).slice(Number(first), Number(last) + 1);
    return new Response(body, { status: 206, headers: { "Content-Range": `bytes ${first}-${last}/*` } });
  };
  const options = { root, start: 200_000, end: 200_001, fetch, outboard: { url: "nodes", length } };
  await expect(fetchVerified("content", options)).rejects.toThrow(explained(16 * KiB));
});

describe.each(GROUPS.slice(0, 3))("in the right groups, of %i bytes", (group) => {
  const bytes = content(300_001);
  const tree = outboard(bytes, { group });

  it.each(["bao", "iroh"] as const)(
    "what is wrong in %s is not explained by others once a group is right",
    async (format) => {
      const encoding = await passed(new BaoEncodeStream(tree, { format }), bytes);
      const first = encoding.length - bytes.length + group;
      for (let at = first; at < encoding.length; at += 9973) {
        const { error } = await through(new BaoDecodeStream(tree.root, { format, group }), flipped(encoding, at), 5000);
        expect((error as Error).message).toMatch(unexplained);
      }
    },
  );

  it("a wrong hash is not explained by them, unless the content is a single group for some", async () => {
    const { root } = outboard(content(99));
    const long = concat([bytes, bytes, bytes, bytes]);
    const own = outboard(long, { group });
    const encoding = await passed(new BaoEncodeStream(own), long);
    const { error } = await through(new BaoDecodeStream(root, { group }), encoding);
    expect((error as Error).message).toMatch(unexplained);
    const whole = Outboard.from(own.toBytes(), { root, group });
    expect(((await through(new VerifiedRangeStream(whole), long)).error as Error).message).toMatch(unexplained);
  });
});
