// Trees in the kernel against the plain implementation: the values of each level, the places of its nodes in an
// encoding, and that nothing stays in memory.
import { beforeAll, describe, expect, it } from "vitest";
import { BaoKernel, INPUT, VALUES } from "../../js/bao/kernel.ts";
import { inPreOrder, nodesLeftOf, POST_ORDER, PRE_ORDER } from "../../js/bao/order.ts";
import { LATENCIES, useLatency } from "../support/backends.ts";
import { concat, flipped } from "../support/bao.ts";
import { PLAIN, parentValue } from "../support/specification.ts";

const VALUE = 32;
const STACK = 0x10000;
const STACK_END = 0x14000;

interface Node {
  readonly first: number;
  readonly bytes: Uint8Array;
}

/** The nodes over leaves in pre-order, and the value over them. */
function plainTree(leaves: readonly Uint8Array[], first = 0): { nodes: Node[]; value: Uint8Array } {
  if (leaves.length === 1) return { nodes: [], value: leaves[0]! };
  const half = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);
  const left = plainTree(leaves.slice(0, half), first);
  const right = plainTree(leaves.slice(half), first + half);
  const bytes = Uint8Array.of(...left.value, ...right.value);
  const value = parentValue(PLAIN, left.value, right.value);
  return { nodes: [{ first, bytes }, ...left.nodes, ...right.nodes], value };
}

const leavesOf = (count: number) => Array.from({ length: count }, (_, i) => new Uint8Array(VALUE).fill(i + 1));

function withLeaves(count: number): BaoKernel {
  const kernel = new BaoKernel();
  for (const [i, leaf] of leavesOf(count).entries()) kernel.putValues(leaf, i);
  return kernel;
}

describe.each([2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 17, 31, 32, 33, 255, 256])("a tree of %i leaves", (count) => {
  const { nodes, value } = plainTree(leavesOf(count));
  const preOrder = concat(nodes.map(({ bytes }) => bytes));
  const inPostOrder = new Uint8Array(preOrder.length);
  for (const [i, number] of postOrder(count).entries()) inPostOrder.set(nodes[i]!.bytes, number * 2 * VALUE);

  it("has the two values under its root, and its nodes in post-order", () => {
    const kernel = withLeaves(count);
    expect(kernel.collect(count, 4096)).toEqual(inPostOrder);
    expect(kernel.node()).toEqual(nodes[0]!.bytes);
    expect(kernel.value(kernel.join(0, false))).toEqual(value);
  });

  it("has these nodes, in either order, and no others", () => {
    for (const [own, isPreOrder] of [
      [preOrder, true],
      [inPostOrder, false],
    ] as const) {
      const kernel = withLeaves(count);
      expect(kernel.hasNodes(count, own, isPreOrder)).toBe(true);
      expect(kernel.value(kernel.join(0, false))).toEqual(value);
      for (let at = 0; at < own.length; at += 61) {
        expect(withLeaves(count).hasNodes(count, flipped(own, at, at % 8), isPreOrder), `byte ${at}`).toBe(false);
      }
    }
  });

  it("has nodes whose numbers in both orders follow from where they are", () => {
    const [pre, post]: number[][] = [[], []];
    inPreOrder(count, (leaf, left, leaves, depth) => {
      expect(left).toBe(nodesLeftOf(leaf));
      expect(PRE_ORDER.first(left, depth)).toBe(pre!.push(PRE_ORDER.number(left, leaves, depth)) - 1);
      expect(POST_ORDER.first(left, depth)).toBe(POST_ORDER.number(left, leaves, depth) - leaves + 2);
      post!.push(POST_ORDER.number(left, leaves, depth));
    });
    expect(pre).toEqual(nodes.map((_, number) => number));
    expect(post).toEqual(postOrder(count));
  });
});

it("counts the nodes to the left of leaves with numbers of any size", () => {
  const bitsIn = (leaf: number) => leaf.toString(2).replaceAll("0", "").length;
  for (const leaf of [0, 1, 2 ** 31, 2 ** 31 + 3, 2 ** 32 - 1, 2 ** 32, 2 ** 43 - 1, 2 ** 42 + 2 ** 31 + 5]) {
    expect(nodesLeftOf(leaf)).toBe(leaf - bitsIn(leaf));
  }
});

/** The numbers in post-order of a tree's nodes in pre-order. */
function postOrder(leaves: number, before = 0): number[] {
  if (leaves === 1) return [];
  const half = 2 ** (Math.ceil(Math.log2(leaves)) - 1);
  const left = postOrder(half, before);
  const right = postOrder(leaves - half, before + left.length);
  return [before + leaves - 2, ...left, ...right];
}

it("wiping leaves nothing of input, values and the stack", () => {
  const kernel = withLeaves(9);
  kernel.put(new Uint8Array(5000).fill(7), 3000);
  kernel.bytes.fill(7, STACK, STACK_END);
  kernel.wipe();
  const wiped = [
    kernel.bytes.subarray(STACK, STACK_END),
    kernel.bytes.subarray(VALUES, INPUT),
    kernel.bytes.subarray(INPUT),
  ];
  expect(wiped.map((area) => area.findIndex((byte) => byte !== 0))).toEqual([-1, -1, -1]);
});

describe.each(LATENCIES)("where a vector operation takes %i, wiping leaves nothing of", (latency) => {
  beforeAll(() => useLatency(latency));

  const KiB = 1024;
  const bytes = (length: number) => new Uint8Array(length).fill(9);

  /** Each call by itself, in memory that others have filled. */
  const calls: [name: string, write: (kernel: BaoKernel) => unknown][] = [
    ["bytes at the beginning", (kernel) => kernel.put(bytes(5))],
    ["bytes further on, then fewer", (kernel) => [kernel.put(bytes(5), 9000), kernel.put(bytes(3))]],
    ["content without its nodes", (kernel) => kernel.gather(KiB, 4 * KiB, KiB, 0x80000)],
    ["groups", (kernel) => kernel.groups(0, 8 * KiB, KiB, 0)],
    ["the chunks of many pieces", (kernel) => kernel.groups(0, 0x100000, KiB, 0)],
    ["a group of many chunks", (kernel) => kernel.groups(0, 8 * KiB, 8 * KiB, 0)],
    ["nodes after the largest group", (kernel) => [kernel.groups(0, 0x100000, KiB, 0), kernel.collect(1024, 0x100000)]],
    ["nodes", (kernel) => [kernel.putValues(bytes(9 * VALUE), 0), kernel.collect(9)]],
    ["nodes further on", (kernel) => [kernel.putValues(bytes(9 * VALUE), 0), kernel.collect(9, 0x80000)]],
    [
      "nodes that are looked for",
      (kernel) => [kernel.putValues(bytes(9 * VALUE), 0), kernel.hasNodes(9, bytes(8 * 64), true)],
    ],
    ["a level further on", (kernel) => kernel.level(0, 8, 20)],
    ["a chunk", (kernel) => kernel.subtree(0, KiB, 0, true)],
    ["a message of no bytes", (kernel) => kernel.subtree(0, 0, 0, true)],
    ["a subtree of many pieces", (kernel) => kernel.subtree(0, 0x100000, 0, false)],
    ["a message of many pieces", (kernel) => kernel.subtree(0, 0x100000, 0, true)],
    ["a node's values", (kernel) => kernel.putValues(bytes(2 * VALUE), 0)],
    ["a value further on, then others", (kernel) => [9, 0].map((i) => kernel.putValues(bytes(VALUE), i))],
    ["a parent further on", (kernel) => kernel.join(9, true)],
  ];

  it.each(calls)("%s", (_, write) => {
    const kernel = new BaoKernel();
    kernel.bytes.fill(7, VALUES, VALUES + 9 * VALUE);
    kernel.bytes.fill(5, INPUT, INPUT + 0x80000);
    const before = kernel.bytes.slice();
    write(kernel);
    const after = kernel.bytes.slice();
    kernel.wipe();
    let written = 0;
    let left = 0;
    for (let at = 0; at < after.length; at++) {
      if (after[at] === before[at]) continue;
      written++;
      if (kernel.bytes[at] !== 0) left++;
    }
    expect(written).toBeGreaterThan(2);
    expect(left).toBe(0);
  });
});
