// The shape of BLAKE3's tree (BLAKE3 paper, section 2.1), and the order of its nodes in an outboard.
//
// A tree of n leaves has n - 1 nodes. The number of leaves in a node's left subtree is the largest power of 2 less than the
// number of all its leaves. Leaves are chunks, or groups of them. There are up to 2^43, too many for shifts of 32 bits.

/** The lengths in bytes of a chunk, of a chaining value, and of a node: its left child's value, then its right child's. */
export const CHUNK = 1024;
export const VALUE = 32;
export const NODE = 2 * VALUE;

/** Returns the number of chunks in a message. The last one may be short; an empty message has one empty chunk. */
export function chunksIn(length: number): number {
  return Math.max(1, Math.ceil(length / CHUNK));
}

/** Returns the number of groups in a message. */
export function groupsIn(length: number, group: number): number {
  return Math.max(1, Math.ceil(length / group));
}

const HALF_RANGE = 2 ** 31;

/** Returns the number of leaves in the left subtree of a tree of at least two. */
export function leftLeaves(leaves: number): number {
  if (leaves <= HALF_RANGE) return 2 ** (31 - Math.clz32(leaves - 1));
  return HALF_RANGE * leftLeaves(Math.ceil(leaves / HALF_RANGE));
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
export interface Place {
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
export function walk(leaves: number, orders: readonly Order[], visit: (place: Place) => boolean | undefined): void {
  const pending: Place[] = [];
  if (leaves > 1) pending.push({ at: 0, leaves, numbers: orders.map((order) => order.root(leaves)) });
  for (let place = pending.pop(); place; place = pending.pop()) {
    if (visit(place) === false) continue;
    const { at, leaves: all, numbers } = place;
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
