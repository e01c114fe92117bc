// The order of a tree's nodes in an outboard. A tree of n leaves, which are groups or chunks, has n - 1 nodes.
import { leftLeaves } from "../tree/geometry.js";

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
