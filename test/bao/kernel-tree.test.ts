// Trees in the kernel against the plain implementation: each level's values, where its nodes lie in an encoding, and what is
// left afterwards.
import { describe, expect, it } from "vitest";
import { eachNode, nodesBefore } from "../../js/bao/format.ts";
import { BaoKernel, INPUT, VALUES } from "../../js/bao/kernel.ts";
import { PLAIN, parentValue } from "../support/reference-blake3.ts";

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

function folded(count: number) {
  const kernel = new BaoKernel();
  const leaves = leavesOf(count);
  for (const [i, leaf] of leaves.entries()) kernel.putValues(leaf, i);
  return { kernel, leaves, top: kernel.fold(count) };
}

describe.each([2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 17, 31, 32, 33, 255, 256])("a tree of %i leaves", (count) => {
  const { nodes, value } = plainTree(leavesOf(count));

  it("has the two values under its root last", () => {
    const { kernel, top } = folded(count);
    expect(kernel.bytes.slice(VALUES + top * VALUE, VALUES + (top + 2) * VALUE)).toEqual(nodes[0]!.bytes);
    expect(kernel.value(kernel.join(top, false))).toEqual(value);
  });

  it("has its nodes where pre-order has them", () => {
    const { kernel } = folded(count);
    const found: Node[] = [];
    eachNode(count, nodesBefore(count), (address, number, first) => {
      found[number] = { first, bytes: kernel.bytes.slice(address, address + 2 * VALUE) };
    });
    expect(found).toEqual(nodes);
  });

  it("has as many nodes before a leaf as begin there or further left", () => {
    const before = leavesOf(count).map((_, leaf) => nodes.filter(({ first }) => first <= leaf).length);
    expect(Array.from(nodesBefore(count))).toEqual(before);
  });
});

it("wiping leaves nothing of input, values and the stack", () => {
  const { kernel } = folded(9);
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

it("keeps the numbers of whole trees, of which there are few, and of no others", () => {
  for (const count of [2, 64, 256]) expect(nodesBefore(count)).toBe(nodesBefore(count));
  for (const count of [3, 63, 255]) expect(nodesBefore(count)).not.toBe(nodesBefore(count));
});

describe("wiping leaves nothing of", () => {
  const KiB = 1024;
  const bytes = (length: number) => new Uint8Array(length).fill(9);

  /** Each call by itself, in memory that others have filled. */
  const calls: [name: string, write: (kernel: BaoKernel) => unknown][] = [
    ["bytes at the beginning", (kernel) => kernel.put(bytes(5))],
    ["bytes further on, then fewer", (kernel) => [kernel.put(bytes(5), 9000), kernel.put(bytes(3))]],
    ["content without its nodes", (kernel) => kernel.gather(KiB, 4 * KiB, KiB, 0x80000)],
    ["groups", (kernel) => kernel.groups(0, 8 * KiB, KiB, 0)],
    ["groups further on", (kernel) => kernel.groups(0, 8 * KiB, KiB, 0, 9)],
    ["the chunks of a group further on", (kernel) => kernel.groups(0, 8 * KiB, 8 * KiB, 0, 9)],
    ["encoded groups", (kernel) => kernel.encodedGroups(0, 8 * KiB, 2 * KiB, 0)],
    ["nodes", (kernel) => [kernel.putValues(bytes(9 * VALUE), 0), kernel.collect(9)]],
    ["a level further on", (kernel) => kernel.level(0, 8, 20)],
    ["parents", (kernel) => kernel.parents(9)],
    ["a chunk", (kernel) => kernel.subtree(0, KiB, 0, true)],
    ["a message of no bytes", (kernel) => kernel.subtree(0, 0, 0, true)],
    ["a subtree of many pieces", (kernel) => kernel.subtree(0, 0x100000, 0, false)],
    ["a message of many pieces", (kernel) => kernel.subtree(0, 0x100000, 0, true)],
    ["a node's values", (kernel) => kernel.putValues(bytes(2 * VALUE), 0)],
    ["a value further on, then others", (kernel) => [9, 0].map((i) => kernel.putValues(bytes(VALUE), i))],
    ["a node of the input", (kernel) => kernel.loadNode(0)],
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
