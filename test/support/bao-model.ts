// Bao in the plainest words: a tree that is walked from its root down, by single calls of the hash. Says what each way
// in and out must make of any bytes.
import { blake3 } from "blake-simd";
import type { ContentRange, ContentRanges, OutboardFormat } from "blake-simd/bao";
import { chainingValue, mergeSubtrees, rootOf } from "blake-simd/hazmat";
import { concat } from "./bao.ts";
import { same } from "./messages.ts";

const CHUNK = 1024;
const NODE = 64;

/** What came out, and the reason and the place of the error that ended it. */
export interface Verdict {
  readonly given: Uint8Array;
  readonly reason?: string | undefined;
  readonly offset?: number | undefined;
  /** How many nodes are above what is wrong. Errors do not say so. */
  readonly depth?: number | undefined;
}

/** How an encoding is made: its groups, its format and its ranges. */
export interface Shape extends ContentRanges {
  readonly group: number;
  readonly format: "bao" | "iroh";
}

class Failure {
  readonly reason: string;
  readonly offset: number;
  readonly depth: number | undefined;

  constructor(reason: string, offset: number, depth?: number) {
    this.reason = reason;
    this.offset = offset;
    this.depth = depth;
  }
}

function verdictOf(act: (give: (bytes: Uint8Array) => void) => void): Verdict {
  const parts: Uint8Array[] = [];
  try {
    act((bytes) => parts.push(bytes));
    return { given: concat(parts) };
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    return { given: concat(parts), ...failure };
  }
}

/** The length of the left half of a subtree. */
function leftOf(length: number): number {
  let half = CHUNK;
  while (2 * half < length) half *= 2;
  return half;
}

const spansOf = ({ start, end, ranges }: ContentRanges): readonly ContentRange[] => ranges ?? [{ start, end }];

/** The chunks that ranges of content need: each has one at least, if only the last, which proves the length. */
function chunksOf(ranges: ContentRanges, total: number) {
  const last = Math.max(0, Math.ceil(total / CHUNK) - 1);
  const spans = spansOf(ranges).map(({ start = 0, end = Number.POSITIVE_INFINITY }) => {
    const first = Math.min(Math.floor(start / CHUNK), last);
    return { from: first * CHUNK, to: Math.max(first + 1, Math.ceil(end / CHUNK)) * CHUNK };
  });
  const touch = (offset: number, length: number) =>
    spans.some(({ from, to }) => from < offset + Math.max(length, 1) && to > offset);
  const cover = (offset: number, length: number) => {
    for (let at = 0; at < length; at += CHUNK) if (!touch(offset + at, 1)) return false;
    return true;
  };
  return { touch, cover };
}

/** The bytes of some content that are in its ranges, each once and in order. */
export function selected(ranges: ContentRanges, bytes: Uint8Array, offset = 0): Uint8Array {
  const parts: Uint8Array[] = [];
  let done = offset;
  for (const { start = 0, end = Number.POSITIVE_INFINITY } of [...spansOf(ranges)].sort(byStart)) {
    const part = bytes.subarray(Math.max(start, done) - offset, Math.max(end, done) - offset);
    parts.push(part);
    done = Math.max(start, done) + part.length;
  }
  return concat(parts);
}

const byStart = ({ start: a = 0 }: ContentRange, { start: b = 0 }: ContentRange) => a - b;

/** What nodes and content are taken from. */
interface Source {
  node(offset: number, length: number, depth: number): Uint8Array;
  leaf(offset: number, length: number, depth: number): Uint8Array;
}

/** What is made of what is right. */
interface Product {
  node?(bytes: Uint8Array): void;
  leaf(bytes: Uint8Array, offset: number, depth: number): void;
}

const valueOver = (bytes: Uint8Array, offset: number, depth: number) =>
  depth === 0 ? blake3(bytes) : chainingValue(bytes, { offset });

/** Walks the wanted subtrees in pre-order, and compares each with the value that its parent has for it. */
function walk(shape: Shape, total: number, root: Uint8Array, source: Source, product: Product): void {
  const { touch, cover } = chunksOf(shape, total);
  const visit = (offset: number, length: number, depth: number, value: Uint8Array): void => {
    if (!touch(offset, length)) return;
    const isLeaf = length <= CHUNK || (length <= shape.group && (shape.format === "bao" || cover(offset, length)));
    if (isLeaf) {
      const bytes = source.leaf(offset, length, depth);
      if (!same(valueOver(bytes, offset, depth), value)) throw new Failure("bytes", offset, depth);
      product.leaf(bytes, offset, depth);
      return;
    }
    const node = source.node(offset, length, depth);
    const [left, right] = [node.slice(0, 32), node.slice(32)];
    const own = depth === 0 ? rootOf(left, right) : mergeSubtrees(left, right);
    if (!same(own, value)) throw new Failure("node", offset, depth);
    product.node?.(node);
    const half = leftOf(length);
    visit(offset, half, depth + 1, left);
    visit(offset + half, length - half, depth + 1, right);
  };
  visit(0, total, 0, root);
}

/** What a decoder makes of bytes. */
export function decoded(shape: Shape, root: Uint8Array, bytes: Uint8Array): Verdict {
  let at = 0;
  let end = 0;
  const take = (count: number, offset: number, depth = 0) => {
    if (at + count > bytes.length) throw new Failure("truncated", offset, depth);
    at += count;
    return bytes.subarray(at - count, at);
  };
  return verdictOf((give) => {
    const total = Number(new DataView(take(8, 0).slice().buffer).getBigUint64(0, true));
    if (total > Number.MAX_SAFE_INTEGER) throw new Failure("length", 0);
    walk(
      shape,
      total,
      root,
      {
        node: (offset, _, depth) => take(NODE, offset, depth),
        leaf: (offset, length, depth) => take(length, offset, depth),
      },
      {
        leaf(content, offset) {
          give(selected(shape, content, offset));
          end = offset + content.length;
        },
      },
    );
    if (at < bytes.length) throw new Failure("trailing", end);
  });
}

/** Returns a node of an outboard; undefined for one that is missing. */
export type NodeAt = (offset: number, length: number, depth: number) => Uint8Array | undefined;

/** The nodes in the bytes of an outboard. */
export function nodesIn(bytes: Uint8Array, format: OutboardFormat, group: number): NodeAt {
  return (offset, length, depth) => {
    const leaf = offset / group;
    const left = leaf - leaf.toString(2).replaceAll("0", "").length;
    const number = format === "post-order" ? left + Math.ceil(length / group) - 2 : left + depth;
    const at = (format === "bao" ? 8 : 0) + number * NODE;
    return at + NODE <= bytes.length ? bytes.subarray(at, at + NODE) : undefined;
  };
}

/** Content, with the nodes that somebody says are over it. */
export interface Content {
  readonly root: Uint8Array;
  readonly length: number;
  readonly nodes: NodeAt;
}

/** Reads content from an offset to an end, and verifies it by groups. */
function read(shape: Shape, content: Content, bytes: Uint8Array, start: number, end: number, product: Product): void {
  walk(
    { ...shape, format: "bao" },
    content.length,
    content.root,
    {
      node(offset, length, depth) {
        const node = content.nodes(offset, length, depth);
        if (!node) throw new Failure("missing", 0);
        return node;
      },
      leaf(offset, length) {
        if (offset - start + length > bytes.length)
          throw new Failure("truncated", Math.min(offset, start + bytes.length));
        return bytes.subarray(offset - start, offset - start + length);
      },
    },
    product,
  );
  if (bytes.length > end - start) throw new Failure("trailing", end);
}

/** The groups that a range of content needs. */
export function groupsOf({ start = 0, end = Number.POSITIVE_INFINITY }: ContentRange, length: number, group: number) {
  const first = Math.floor(Math.min(start, Math.max(0, length - 1)) / group) * group;
  return { start: first, end: Math.min(Math.max(first + group, Math.ceil(end / group) * group), length) };
}

/** What a verified range makes of content from its first group on. */
export function verified(range: ContentRange, group: number, content: Content, bytes: Uint8Array): Verdict {
  const shape = { ...range, group, format: "bao" } as const;
  const { start, end } = groupsOf(range, content.length, group);
  return verdictOf((give) =>
    read(shape, content, bytes, start, end, { leaf: (each, offset) => give(selected(range, each, offset)) }),
  );
}

/** What an encoder makes of content from its beginning on. */
export function encoded(shape: Shape, content: Content, bytes: Uint8Array): Verdict {
  const { length } = content;
  const { touch, cover } = chunksOf(shape, length);
  return verdictOf((give) => {
    const inside = (part: Uint8Array, offset: number): void => {
      if (!touch(offset, part.length)) return;
      if (shape.format === "bao" || part.length <= CHUNK || cover(offset, part.length)) {
        give(part);
        return;
      }
      const half = leftOf(part.length);
      const halves = [part.subarray(0, half), part.subarray(half)] as const;
      give(concat([valueOver(halves[0], offset, 1), valueOver(halves[1], offset + half, 1)]));
      inside(halves[0], offset);
      inside(halves[1], offset + half);
    };
    give(new Uint8Array(new BigUint64Array([BigInt(length)]).buffer));
    read(shape, content, bytes, 0, length, { node: give, leaf: inside });
  });
}
