// The formats of outboards: a header, which encodings have as well, and the order of the nodes. A tree of n leaves, which are
// groups or chunks, has n - 1 nodes.
import { leftLeaves, NODE, VALUE } from "../tree/geometry.js";
import { IntegrityError } from "./errors.js";
import { VALUES } from "./kernel.js";

/**
 * The format of an outboard. All formats contain the same nodes, of 64 bytes each.
 *
 * - `"bao"`: the content's length in 8 bytes, little-endian, then the nodes in pre-order, as in the `bao` program with groups
 *   of 1024 bytes and in `abao` with 16384
 * - `"iroh"`: only the nodes, in pre-order, as iroh stores them (`.obao4` with groups of 16384 bytes)
 * - `"post-order"`: only the nodes, in post-order, as `bao-tree` can store them
 */
export type OutboardFormat = "bao" | "iroh" | "post-order";

export const FORMATS: readonly OutboardFormat[] = ["bao", "iroh", "post-order"];

/** The number of bytes before the first node, and the order of the nodes. */
export function layoutOf(format: OutboardFormat): { header: number; order: Order } {
  return { header: format === "bao" ? HEADER : 0, order: format === "post-order" ? POST_ORDER : PRE_ORDER };
}

// The header: the content's length, 8 bytes, little-endian.

/** The length of a header in bytes. */
export const HEADER = 8;
const HALF = 2 ** 32;

/**
 * Returns the length that a header claims, which is proven only when the content's last chunk has been verified.
 *
 * @throws IntegrityError for a length of 2^53 or more, or a truncated header
 */
export function readLength(name: string, bytes: Uint8Array): number {
  if (bytes.length < HEADER) throw new IntegrityError(name, "truncated", 0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER);
  const length = view.getUint32(4, true) * HALF + view.getUint32(0, true);
  if (length > Number.MAX_SAFE_INTEGER) throw new IntegrityError(name, "length", 0);
  return length;
}

export function writeLength(bytes: Uint8Array, length: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER);
  view.setUint32(0, length % HALF, true);
  view.setUint32(4, Math.floor(length / HALF), true);
}

/** An order of nodes. A node's number follows from its parent's, so a walk from the root finds every node. */
export interface Order {
  /** Returns the root's number in a tree of so many leaves. */
  root(leaves: number): number;
  /** Returns the number of a left child with `left` leaves, whose sibling has `right` leaves. */
  left(parent: number, left: number, right: number): number;
  right(parent: number, left: number, right: number): number;
  /** Returns the lowest number in the subtree of a node over so many leaves. Its nodes have consecutive numbers. */
  first(node: number, leaves: number): number;
  /** Returns the number of the node over `leaves` leaves from `leaf` on, of which `before` come before it in pre-order. */
  within(first: number, before: number, leaf: number, leaves: number): number;
}

/** A node, then its left subtree, then its right one. */
export const PRE_ORDER: Order = {
  root: () => 0,
  left: (parent) => parent + 1,
  right: (parent, left) => parent + left,
  first: (node) => node,
  within: (first, before) => first + before,
};

/** Left subtree, right subtree, node: the order in which they are completed, so that none moves. */
export const POST_ORDER: Order = {
  root: (leaves) => leaves - 2,
  left: (parent, _, right) => parent - right,
  right: (parent) => parent - 1,
  first: (node, leaves) => node - leaves + 2,
  within: (first, _, leaf, leaves) => first + leaf - bitsIn(leaf) + leaves - 2,
};

function bitsIn(number: number): number {
  let count = 0;
  for (let rest = number; rest > 0; rest &= rest - 1) count++;
  return count;
}

/** A node during a walk. */
export interface VisitedNode {
  /** The first leaf of its subtree, and the number of leaves. */
  readonly at: number;
  readonly leaves: number;
  /** Its number in each of the requested orders. */
  readonly numbers: readonly number[];
}

/**
 * Visits nodes from the root down, left before right. Skips the nodes below one for which `visit` returns false.
 *
 * @param orders the orders in which the nodes are numbered
 */
export function walk(
  leaves: number,
  orders: readonly Order[],
  visit: (node: VisitedNode) => boolean | undefined,
): void {
  const pending: VisitedNode[] = [];
  if (leaves > 1) pending.push({ at: 0, leaves, numbers: orders.map((order) => order.root(leaves)) });
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (visit(node) === false) continue;
    const { at, leaves: all, numbers } = node;
    const left = leftLeaves(all);
    const right = all - left;
    if (right > 1)
      pending.push({
        at: at + left,
        leaves: right,
        numbers: orders.map((o, i) => o.right(numbers[i] as number, left, right)),
      });
    if (left > 1)
      pending.push({ at, leaves: left, numbers: orders.map((o, i) => o.left(numbers[i] as number, left, right)) });
  }
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
