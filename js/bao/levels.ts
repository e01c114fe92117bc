// Trees of several groups in the kernel, with the values of all levels, so that nodes can be compared or written.
import { NODE, VALUE } from "../tree/geometry.js";
import { type BaoKernel, VALUES } from "./kernel.js";

/**
 * Computes all levels over the kernel's first `leaves` values, of which there are at least two. The values of each level follow
 * those of the level below; the two under the root are last. There is room for as many leaves as a piece has chunks.
 *
 * @returns the index of the first value under the root
 */
export function foldLevels(kernel: BaoKernel, leaves: number): number {
  let from = 0;
  for (let count = leaves; count > 2; count = (count + 1) >> 1) {
    kernel.level(from, count, from + count);
    from += count;
  }
  return from;
}

/** Returns for each leaf the number of nodes before it in pre-order: those whose subtrees start at it or further left. */
export function nodesBefore(leaves: number): Uint16Array {
  const known = NODES_BEFORE.get(leaves);
  if (known) return known;
  const counts = new Uint16Array(leaves);
  for (let size = 2; size / 2 < leaves; size *= 2) {
    for (let at = 0; at + size / 2 < leaves; at += size) counts[at] = (counts[at] as number) + 1;
  }
  for (let leaf = 1; leaf < leaves; leaf++) counts[leaf] = (counts[leaf] as number) + (counts[leaf - 1] as number);
  if (Number.isInteger(Math.log2(leaves))) NODES_BEFORE.set(leaves, counts);
  return counts;
}

/** A cache for whole trees, of which there are few. */
const NODES_BEFORE = /* @__PURE__ */ new Map<number, Uint16Array>();

/**
 * Visits the nodes of a folded tree.
 *
 * @param visit is called with the address of a node's two values in the kernel, its number in pre-order, its first leaf, and
 *   the number of its leaves
 */
export function eachNode(
  leaves: number,
  nodes: Uint16Array,
  visit: (address: number, number: number, leaf: number, under: number) => void,
): void {
  let address = VALUES;
  for (let count = leaves, height = 1; count > 1; count = (count + 1) >> 1, height++) {
    for (let pair = 0; 2 * pair + 1 < count; pair++) {
      const at = pair << height;
      visit(address + pair * NODE, (nodes[at] as number) - height, at, Math.min(1 << height, leaves - at));
    }
    address += count * VALUE;
  }
}
