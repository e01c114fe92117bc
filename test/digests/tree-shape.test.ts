// The shape of a tree, up to lengths that no message in a test has; and the stack of subtrees.
import { expect, it } from "vitest";
import { leftLeaves, leftLength, SubtreeStack } from "../../js/tree/geometry.ts";
import { PLAIN, parentValue } from "../support/specification.ts";

const value = (i: number) => new Uint8Array(32).fill(i + 1);

/** The value over leaves, by the definition of the tree. */
function valueOver(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 1) return leaves[0]!;
  const half = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);
  return parentValue(PLAIN, valueOver(leaves.slice(0, half)), valueOver(leaves.slice(half)));
}

it("the left subtree has the largest power of 2 that leaves some for the right one", () => {
  for (let leaves = 2; leaves < 300; leaves++) {
    const half = leftLeaves(leaves);
    expect([Number.isInteger(Math.log2(half)), half < leaves, 2 * half >= leaves]).toEqual([true, true, true]);
  }
  for (const bits of [31, 32, 43, 52]) {
    expect([leftLeaves(2 ** bits), leftLeaves(2 ** bits + 1)]).toEqual([2 ** (bits - 1), 2 ** bits]);
  }
  expect([leftLength(2n ** 64n), leftLength(2n ** 64n - 1n), leftLength(1025n)]).toEqual([2n ** 63n, 2n ** 63n, 1024n]);
});

it("a stack of subtrees merges those of any lengths that make up a message, the root excepted", () => {
  for (const lengths of [[1], [2, 1], [2, 1, 1, 4, 8, 1], [1, 1, 1, 1], [4, 4, 4, 2, 1], [1, 1, 2, 4, 8, 16, 2]]) {
    const leaves = Array.from({ length: lengths.reduce((sum, length) => sum + length, 0) }, (_, i) => value(i));
    const stack = new SubtreeStack((left, right) => parentValue(PLAIN, left, right));
    let at = 0;
    for (const length of lengths) {
      const own = leaves.slice(at, at + length);
      stack.push(length, () => valueOver(own));
      at += length;
    }
    const values = stack.finish();
    expect(values).toHaveLength(Math.min(leaves.length, 2));
    expect(valueOver(values), lengths.join()).toEqual(valueOver(leaves));
  }
});
