// Content whose chunks have numbers of more than 32 bits: encodings made by the plain implementation, of which only the
// last bytes are known, after a subtree of 2^33 chunks that has some value.
import { BaoDecodeStream, BaoEncodeStream, nodesOf, Outboard, VerifiedRangeStream } from "blake-simd/bao";
import { describe, expect, it } from "vitest";
import { concat, content, passed } from "../support/bao.ts";
import { Decoding } from "../support/bao-machines.ts";
import { expectBytes } from "../support/messages.ts";
import { PLAIN, parentValue, subtreeValue } from "../support/specification.ts";

const KiB = 1024;
const CHUNKS = 2 ** 33;
const START = CHUNKS * KiB;
const ROOT = 8;
const before = new Uint8Array(32).fill(5);
const all = content(70 * KiB + 9);

/** A subtree's nodes in pre-order and, in groups, the content that they are over. */
function plainEncoding(bytes: Uint8Array, group: number, chunk: number): { nodes: Uint8Array; encoding: Uint8Array } {
  if (bytes.length <= group) return { nodes: new Uint8Array(), encoding: bytes };
  const half = 2 ** (Math.ceil(Math.log2(bytes.length / KiB)) - 1) * KiB;
  const parts = [bytes.subarray(0, half), bytes.subarray(half)] as const;
  const chunks = [chunk, chunk + half / KiB] as const;
  const node = concat(parts.map((part, i) => subtreeValue(PLAIN, part, BigInt(chunks[i]!))));
  const [left, right] = [plainEncoding(parts[0], group, chunks[0]), plainEncoding(parts[1], group, chunks[1])];
  return {
    nodes: concat([node, left.nodes, right.nodes]),
    encoding: concat([node, left.encoding, right.encoding]),
  };
}

describe.each([1, 16].map((kib) => kib * KiB))("in groups of %i bytes,", (group) => {
  it.each([1, KiB, KiB + 1, 5000, 16 * KiB, 40_000, all.length])("the last %i bytes", async (size) => {
    const last = all.subarray(0, size);
    const node = concat([before, subtreeValue(PLAIN, last, BigInt(CHUNKS))]);
    const root = parentValue({ ...PLAIN, flags: ROOT }, before, node.subarray(32));
    const { nodes, encoding } = plainEncoding(last, group, CHUNKS);
    const header = new Uint8Array(new BigUint64Array([BigInt(START + size)]).buffer);
    const slice = concat([header, node, encoding]);

    const range = { start: START };
    expectBytes(await passed(new BaoDecodeStream(root, { group, ...range }), slice, 99), last);
    const given: Uint8Array[] = [];
    const decoder = new Decoding(root, { group, ...range }, (bytes) => given.push(bytes));
    decoder.push(slice);
    expectBytes(concat(given), last);
    expect(decoder.decoder.length).toBe(START + size);

    const shape = { length: START + size, group };
    const spans = nodesOf(shape, range);
    const after = { start: 8 + (START / group) * 64, bytes: nodes };
    expect(spans.at(-1)!.end).toBe(nodes.length > 0 ? after.start + nodes.length : 72);
    const tree = Outboard.fromParts([{ start: 8, bytes: node }, after], { root, ...shape });
    for (const chunk of [size, 999]) {
      expectBytes(await passed(new VerifiedRangeStream(tree, range), last, chunk), last);
      expectBytes(await passed(new BaoEncodeStream(tree, { ...range, offset: START }), last, chunk), slice);
    }
  });
});
