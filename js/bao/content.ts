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

/** Takes the bytes of content. */
export class ContentReader implements Taker {
  readonly #name: string;
  readonly #outboard: Outboard;
  readonly #bytes: Span;
  readonly #product: Product;
  readonly #verifier: Verifier;

  /** @param bytes where in the content the first byte to arrive is, and where they must end if they go on so far */
  constructor(name: string, outboard: Outboard, selection: Selection, bytes: Span, product: Product) {
    this.#name = name;
    this.#outboard = outboard;
    this.#bytes = bytes;
    this.#product = product;
    const { root, group, order, isWhole } = outboard;
    const tree = { name, root, group, format: undefined, order: isWhole ? undefined : order };
    this.#verifier = new Verifier(tree, selection);
  }

  take(kernel: BaoKernel, window: Window): number {
    const before = window.position;
    this.#product.start?.(window);
    for (let step = this.#verifier.next; step; step = this.#verifier.next) {
      if (step.kind === "node") {
        // Nodes need not be here before content has come after them, or the end.
        if (window.left === 0 && window.position > before) return 0;
        if (!this.#takeTree(kernel, window, step)) this.#takeNode(kernel, window, step);
      } else {
        const { offset, length } = step;
        this.#skipTo(offset, window);
        if (window.left < length) return length;
        const at = window.take(length);
        this.#verifier.leaf(kernel, at);
        this.#product.leaf(kernel, window, { offset, length, at });
      }
    }
    // Content after what is wanted need not come.
    this.#skipTo(this.#bytes.end, window);
    if (window.left === 0) return 1;
    throw new IntegrityError(this.#name, "trailing", this.#bytes.end);
  }

  end(window: Window): void {
    if (this.#verifier.next) throw new IntegrityError(this.#name, "truncated", this.#positionIn(window));
  }

  #positionIn(window: Window): number {
    return this.#bytes.start + window.position;
  }

  #skipTo(offset: number, window: Window): void {
    window.skip(offset - this.#positionIn(window));
  }

  #takeNode(kernel: BaoKernel, window: Window, { offset, length, depth }: Subtree): void {
    const { group, order } = this.#outboard;
    const number = order.number(nodesLeftOf(offset / group), groupsIn(length, group), depth);
    kernel.putValues(this.#outboard.node(this.#name, number), 0);
    this.#verifier.node(kernel);
    this.#product.node?.(kernel, window);
  }

  /** Takes a subtree of several groups at once. Returns whether it is in the window with its nodes, and right. */
  #takeTree(kernel: BaoKernel, window: Window, { offset, length, depth, all }: Subtree): boolean {
    const { group, order } = this.#outboard;
    const isHere = this.#positionIn(window) === offset && length <= Math.min(window.left, PIECE);
    if (!all || !isHere) return false;
    const groups = groupsIn(length, group);
    const nodes = this.#outboard.nodes(order.first(nodesLeftOf(offset / group), depth), groups - 1);
    if (!nodes) return false;
    kernel.groups(window.at, length, group, offset / CHUNK);
    if (!kernel.hasNodes(groups, nodes, order === PRE_ORDER) || !this.#verifier.tree(kernel)) return false;
    this.#product.tree(kernel, window, { offset, length, at: window.take(length) }, nodes);
    return true;
  }
}
