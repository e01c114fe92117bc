// Reads plain content, and verifies it with the nodes of an outboard: for a range of it, or for an encoding.
import { CHUNK, groupsIn } from "../tree/geometry.js";
import { PIECE } from "../tree/kernel.js";
import { IntegrityError } from "./errors.js";
import type { BaoKernel } from "./kernel.js";
import { nodesLeftOf, PRE_ORDER } from "./order.js";
import type { Outboard } from "./outboard.js";
import type { Selection, Span } from "./selection.js";
import { type Subtree, Verifier } from "./verify.js";
import type { Content, Taker, Window } from "./window.js";

/** What is made of verified content. */
export interface Product {
  /** Called before the steps of each window. */
  start?(window: Window): void;
  /** Receives a node, the kernel's first two values. */
  node?(kernel: BaoKernel, window: Window): void;
  /** Receives a group. */
  leaf(kernel: BaoKernel, window: Window, content: Content): void;
  /** Receives several groups, and the nodes of their subtree in the outboard's order. */
  tree(kernel: BaoKernel, window: Window, content: Content, nodes: Uint8Array): void;
}

/**
 * Takes the bytes of content.
 *
 * @param bytes where in the content the first byte to arrive is, and where they must end if they go on so far
 */
export function contentReader(
  name: string,
  outboard: Outboard,
  selection: Selection,
  bytes: Span,
  product: Product,
): Taker {
  const { root, group, order, isWhole } = outboard;
  const tree = { name, root, group, format: undefined, order: isWhole ? undefined : order };
  const verifier = new Verifier(tree, selection);
  const positionIn = (window: Window): number => bytes.start + window.position;
  const skipTo = (offset: number, window: Window): void => window.skip(offset - positionIn(window));

  function takeNode(kernel: BaoKernel, window: Window, { offset, length, depth }: Subtree): void {
    const number = order.number(nodesLeftOf(offset / group), groupsIn(length, group), depth);
    kernel.putValues(outboard.node(name, number), 0);
    verifier.node(kernel);
    product.node?.(kernel, window);
  }

  /** Takes a subtree of several groups at once. Returns whether it is in the window with its nodes, and right. */
  function takeTree(kernel: BaoKernel, window: Window, { offset, length, depth, all }: Subtree): boolean {
    const isHere = positionIn(window) === offset && length <= Math.min(window.left, PIECE);
    if (!all || !isHere) return false;
    const groups = groupsIn(length, group);
    const nodes = outboard.nodes(order.first(nodesLeftOf(offset / group), depth), groups - 1);
    if (!nodes) return false;
    kernel.groups(window.at, length, group, offset / CHUNK);
    if (!kernel.hasNodes(groups, nodes, order === PRE_ORDER) || !verifier.tree(kernel)) return false;
    product.tree(kernel, window, { offset, length, at: window.take(length) }, nodes);
    return true;
  }

  return {
    take(kernel, window) {
      const before = window.position;
      product.start?.(window);
      for (let step = verifier.next; step; step = verifier.next) {
        if (step.kind === "node") {
          // Nodes need not be here before content has come after them, or the end.
          if (window.left === 0 && window.position > before) return 0;
          if (!takeTree(kernel, window, step)) takeNode(kernel, window, step);
        } else {
          const { offset, length } = step;
          skipTo(offset, window);
          if (window.left < length) return length;
          const at = window.take(length);
          verifier.leaf(kernel, at);
          product.leaf(kernel, window, { offset, length, at });
        }
      }
      // Content after what is wanted need not come.
      skipTo(bytes.end, window);
      if (window.left === 0) return 1;
      throw new IntegrityError(name, "trailing", bytes.end);
    },
    end(window) {
      if (verifier.next) throw new IntegrityError(name, "truncated", positionIn(window));
    },
  };
}
