// Trees in the kernel against the plain implementation: each level's values, where its nodes lie in an encoding, and what is
// left afterwards.
import { describe, expect, it } from "vitest";
import { INPUT, TreeKernel, VALUES } from "../../js/bao/kernel.ts";
import { eachNode, foldLevels, nodesBefore } from "../../js/bao/kernel-tree.ts";
import { PLAIN, parentValue } from "../support/reference-blake3.ts";

const VALUE = 32;
const STACK = 0x10000;
const STACK_END = 0x12000;

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
  const kernel = new TreeKernel();
  const leaves = leavesOf(count);
  for (const [i, leaf] of leaves.entries()) kernel.putValues(leaf, i);
  return { kernel, leaves, top: foldLevels(kernel, count) };
}

describe.each([2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 17, 31, 32, 33, 255, 256])("a tree of %i leaves", (count) => {
  const { nodes, value } = plainTree(leavesOf(count));

  it("has the two values under its root last", () => {
    const { kernel, top } = folded(count);
    expect(kernel.bytes.slice(VALUES + top * VALUE, VALUES + (top + 2) * VALUE)).toEqual(nodes[0]!.bytes);
    kernel.join(top, false);
    expect(kernel.value(top)).toEqual(value);
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
