// Extracts a slice from a combined encoding, or from content and its outboard, without verifying it, as bao does.
import { NODE } from "../tree/geometry.js";
import { IntegrityError } from "./errors.js";
import { HEADER, nodesLeftOf, readLength } from "./order.js";
import { Selection, type Span } from "./selection.js";
import { Walk } from "./verify.js";

/** Reads bytes from an offset on, or fewer at the end. */
export type Read = (offset: number, length: number) => Uint8Array;

/**
 * Yields the slice for a range of content.
 *
 * @param content reads a combined encoding, or the content if `outboard` is given
 * @param outboard reads the content's nodes, in format `"bao"`
 * @throws IntegrityError if bytes end too early, or a header claims 2^53 bytes or more
 */
export function* sliceOf(range: Span, group: number, content: Read, outboard?: Read): Generator<Uint8Array, void> {
  const name = "slice";
  const header = (outboard ?? content)(0, HEADER);
  const walk = new Walk(new Selection([range], readLength(name, header)), group);
  yield header;
  for (let tree = walk.next; tree; tree = walk.next) {
    const { kind, offset, depth } = tree;
    const nodes = HEADER + (nodesLeftOf(offset / group) + depth) * NODE;
    const [read, at, length] =
      kind === "node"
        ? [outboard ?? content, outboard ? nodes : nodes + offset, NODE]
        : [content, outboard ? offset : nodes + offset, tree.length];
    const bytes = read(at, length);
    if (bytes.length < length) throw new IntegrityError(name, "truncated", offset);
    yield bytes;
    if (kind === "node") walk.descend();
    else walk.skip();
  }
}
