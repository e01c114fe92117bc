// Reads plain content, and verifies it with the nodes of an outboard: for a range of it, or for an encoding.
import { groupsIn } from "../tree/geometry.js";
import { IntegrityError } from "./errors.js";
import type { BaoKernel } from "./kernel.js";
import { nodesLeftOf } from "./order.js";
import type { Outboard } from "./outboard.js";
import type { Selection, Span } from "./selection.js";
import { type Subtree, Verifier } from "./verify.js";
import type { Content, StepReader, Window } from "./window.js";

/** Receives verified content, to output it or its encoding. */
export interface ContentOutput {
  /** Called before the steps of each window. */
  start?(window: Window): void;
  /** Receives a node, the kernel's first two values. */
  node?(kernel: BaoKernel, window: Window): void;
  /** Receives a group. */
  leaf(kernel: BaoKernel, window: Window, content: Content): void;
}

/**
 * Reads content.
 *
 * @param bytes where in the content the first byte to arrive is, and the end, after which none may arrive
 */
export function contentReader(
  name: string,
  outboard: Outboard,
  selection: Selection,
  bytes: Span,
  output: ContentOutput,
): StepReader {
  const { root, group, order, isWhole } = outboard;
  const tree = { name, root, group, format: undefined, isGroupGuess: !isWhole };
  const verifier = new Verifier(tree, selection);
  const positionIn = (window: Window): number => bytes.start + window.position;
  const skipTo = (offset: number, window: Window): void => window.skip(offset - positionIn(window));

  function readNode(kernel: BaoKernel, window: Window, { offset, length, depth }: Subtree): void {
    const number = order.number(nodesLeftOf(offset / group), groupsIn(length, group), depth);
    kernel.putValues(outboard.node(name, number), 0);
    verifier.node(kernel);
    output.node?.(kernel, window);
  }

  return {
    read(kernel, window) {
      const before = window.position;
      output.start?.(window);
      for (let step = verifier.next; step; step = verifier.next) {
        if (step.kind === "node") {
          // Nodes over content that has not come may still have to be fetched.
          if (window.left === 0 && window.position > before) return 0;
          readNode(kernel, window, step);
        } else {
          const { offset, length } = step;
          skipTo(offset, window);
          if (window.left < length) return length;
          const at = window.consume(length);
          verifier.leaf(kernel, at);
          output.leaf(kernel, window, { offset, length, at });
        }
      }
      // Content after what is wanted may be missing.
      skipTo(bytes.end, window);
      if (window.left === 0) return 1;
      throw new IntegrityError(name, "trailing", bytes.end);
    },
    end(window) {
      if (verifier.next) throw new IntegrityError(name, "truncated", positionIn(window));
    },
  };
}
