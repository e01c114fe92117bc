// The shape of BLAKE3's tree (BLAKE3 paper, section 2.1), and where its nodes lie in an outboard.
//
// A tree of n leaves has n - 1 nodes: the left one of a node's two subtrees has the largest power of 2 of leaves that leaves
// at least one to the right. Leaves are chunks, or groups of them. Numbers go up to 2^43, so no shifts of 32 bits.

/** Bytes in a chunk, in a chaining value, and in a node: its left child's value, then its right child's. */
export const CHUNK = 1024;
export const VALUE = 32;
export const NODE = 2 * VALUE;

/** Chunks in a message: the last one may be short, and a message of no bytes is one of none. */
export function chunksIn(length: number): number {
  return Math.max(1, Math.ceil(length / CHUNK));
}

/** Groups in a message. */
export function groupsIn(length: number, group: number): number {
  return Math.max(1, Math.ceil(length / group));
}

const HALF_RANGE = 2 ** 31;

/** Leaves in the left subtree of a tree of more than one. */
export function leftLeaves(leaves: number): number {
  if (leaves <= HALF_RANGE) return 2 ** (31 - Math.clz32(leaves - 1));
  return HALF_RANGE * leftLeaves(Math.ceil(leaves / HALF_RANGE));
}

/** The order in which nodes lie: a node's number follows from its parent's, so a walk from the root finds each. */
export interface Order {
  /** The root's number in a tree of that many leaves. */
  root(leaves: number): number;
  /** The left child's, whose subtree has `left` leaves where its sibling has `right`. */
  left(parent: number, left: number, right: number): number;
  right(parent: number, left: number, right: number): number;
}

/** A node, then its left subtree's, then its right one's. */
export const PRE_ORDER: Order = {
  root: () => 0,
  left: (parent) => parent + 1,
  right: (parent, left) => parent + left,
};

/** Left subtree, right subtree, node: what is finished first comes first, and never moves. */
export const POST_ORDER: Order = {
  root: (leaves) => leaves - 2,
  left: (parent, _, right) => parent - right,
  right: (parent) => parent - 1,
};

/** A node, as a walk meets it. */
export interface Place {
  /** The first leaf of its subtree, and how many there are. */
  readonly at: number;
  readonly leaves: number;
  /** Its number in each of the orders that are walked. */
  readonly numbers: readonly number[];
}

/**
 * Visits nodes from the root down, left before right; what `visit` refuses is left out with all that lies under it.
 *
 * @param orders in which the nodes' numbers are wanted
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
