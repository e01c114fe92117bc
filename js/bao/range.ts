// Verifies a range of plain content with an outboard, as an HTTP server sends it.
import { requireArguments } from "../input/errors.js";
import { NO_OPTIONS, requireKnown } from "../input/options.js";
import { LazyTransformStream } from "../streams/lazy-base.js";
import { groupsIn, NODE } from "../tree/geometry.js";
import { toFormat, toGroup, toPosition } from "./arguments.js";
import { contentReader } from "./content.js";
import type { BaoKernel } from "./kernel.js";
import { FORMATS, layoutOf, nodesLeftOf, type Order, type OutboardFormat } from "./order.js";
import { type Outboard, requireOutboard } from "./outboard.js";
import { type ContentRange, Selection, type Span, toSpans, unite } from "./selection.js";
import { Walk } from "./verify.js";
import { type Content, type StepReader, transformerOf, type Window } from "./window.js";

/** The shape of a tree, which an {@link Outboard} has as well. */
export interface TreeShape {
  /** The length of the content in bytes. */
  readonly length: number;
  /** Bytes in a group: a power of 2 from 1024 to 2^20. */
  readonly group: number;
}

/** The shape of a tree, and the format of its outboard. */
export interface OutboardShape extends TreeShape {
  /** `"bao"` by default. */
  readonly format?: OutboardFormat | undefined;
}

/** The range to request from a server. */
export interface RoundedRange {
  /** The offset of the first byte of the range's first group. */
  readonly start: number;
  /** The offset after the last byte of its last group. */
  readonly end: number;
  /** The value of the `Range` header, such as `"bytes=0-16383"`. */
  readonly header: string;
}

/** Returns a tree's shape, a range of it, and the groups it touches: an empty one too, which proves its position. */
function toGroups(name: string, shape: TreeShape, range: ContentRange): TreeShape & Span & { wanted: Span } {
  if (typeof shape !== "object" || shape === null) requireKnown(name, shape, []);
  const [length, group] = [toPosition(name, "length", shape.length), toGroup(name, shape.group)];
  requireKnown(name, range, ["start", "end"]);
  const [wanted] = toSpans(name, { start: range.start, end: range.end, ranges: undefined }) as [Span];
  const { start, end } = wanted;
  if (start > length) {
    throw new RangeError(`${name}: start must be at most the content's length, ${length}, got ${start}`);
  }
  const first = Math.min(Math.floor(start / group), groupsIn(length, group) - 1) * group;
  return {
    length,
    group,
    wanted,
    start: first,
    end: Math.min(Math.max(first + group, Math.ceil(end / group) * group), length),
  };
}

/**
 * Returns the bytes of content that are needed to verify a range: the range rounded to whole groups.
 *
 * @param shape an {@link Outboard}, or its length and group
 * @throws TypeError for a value of the wrong type; RangeError for a value out of range, or a range that starts after
 *   the end of the content
 * @example
 * rangeOf({ length: 100_000, group: 16384 }, { start: 20_000, end: 20_010 }).header; // "bytes=16384-32767"
 */
export function rangeOf(shape: TreeShape, range: ContentRange = NO_OPTIONS): RoundedRange {
  const name = "rangeOf";
  requireArguments(name, arguments.length, 2);
  return roundedRange(name, shape, range);
}

/** The same in the name of another call. */
export function roundedRange(name: string, shape: TreeShape, range: ContentRange): RoundedRange {
  const { length, start, end } = toGroups(name, shape, range);
  return { start, end, header: length === 0 ? "bytes=0-" : `bytes=${start}-${end - 1}` };
}

/**
 * Returns the parts of an outboard that a range needs: {@link Outboard.fromParts} makes an outboard for that range from
 * them. In every format they are a few runs, with 64 bytes for each level of the tree and for each group.
 *
 * @param shape the content's length and group, and the outboard's format
 * @returns runs in order, none of which touches the next; none if the content is one group
 * @throws TypeError for a value of the wrong type; RangeError for a value out of range, or a range that starts after
 *   the end of the content
 * @example
 * nodesOf({ length: 100_000, group: 16384 }, { start: 20_000, end: 20_010 }); // [{ start: 8, end: 200 }]
 */
export function nodesOf(shape: OutboardShape, range: ContentRange = NO_OPTIONS): Span[] {
  const name = "nodesOf";
  requireArguments(name, arguments.length, 2);
  const groups = toGroups(name, shape, range);
  const { header, order } = layoutOf(toFormat(name, shape.format, FORMATS, "bao"));
  return bytesOf(nodesOver(groups, order, groups), header);
}

/**
 * Returns the numbers of the nodes over whole groups, in runs. Each subtree of which all is wanted is one run, so that
 * only the path to each end of the groups is walked.
 *
 * @param above whether to include nodes over content before the groups
 */
export function nodesOver({ length, group }: TreeShape, order: Order, groups: Span, above = true): Span[] {
  const runs: Span[] = [];
  const walk = new Walk(new Selection([groups], length), group);
  for (let tree = walk.next; tree; tree = walk.next) {
    const left = nodesLeftOf(tree.offset / group);
    const leaves = groupsIn(tree.length, group);
    const first = tree.isWhollyWanted ? order.first(left, tree.depth) : order.number(left, leaves, tree.depth);
    const isWanted = tree.kind === "node" && (above || tree.offset >= groups.start);
    if (isWanted) runs.push({ start: first, end: first + (tree.isWhollyWanted ? leaves - 1 : 1) });
    if (tree.kind === "leaf" || tree.isWhollyWanted) walk.skip();
    else walk.descend();
  }
  return unite(runs);
}

/** Returns where runs of nodes are in the bytes of an outboard. */
export function bytesOf(runs: readonly Span[], header: number): Span[] {
  return runs.map(({ start, end }) => ({ start: header + start * NODE, end: header + end * NODE }));
}

/** Reads content from the range's first group on, and outputs the wanted bytes. */
export function rangeReader(name: string, outboard: Outboard, range: ContentRange): StepReader {
  requireOutboard(name, outboard);
  const groups = toGroups(name, outboard, range);
  const selection = new Selection([groups.wanted], groups.length);
  const pass = (kernel: BaoKernel, window: Window, content: Content) =>
    window.outputSelected(kernel, selection, content);
  return contentReader(name, outboard, selection, groups, { leaf: pass });
}

/**
 * A TransformStream from plain content, starting with the range's first group, to the verified bytes of the range. Its
 * input is the body of an HTTP response to the `Range` that {@link rangeOf} returns. Of the outboard, only the root has
 * to be trusted.
 *
 * The stream fails with an {@link IntegrityError} at the first wrong group, at a wrong node that is needed, if bytes
 * are missing, and if there are bytes after the last group. The output up to then is correct and can be kept.
 *
 * The output is copies of the verified bytes: a writer may use its chunk again once it has been written.
 *
 * @throws TypeError for a value or option of the wrong type; RangeError for a range that starts after the end of the
 *   content
 * @example
 * const range = { start: 1_000_000, end: 2_000_000 };
 * const { body } = await fetch(url, { headers: { Range: rangeOf(tree, range).header } });
 * const right = body.pipeThrough(new VerifiedRangeStream(tree, range));
 */
export class VerifiedRangeStream extends LazyTransformStream<
  Uint8Array | ArrayBufferView | ArrayBufferLike,
  Uint8Array<ArrayBuffer>
> {
  constructor(outboard: Outboard, range: ContentRange = NO_OPTIONS) {
    const name = "VerifiedRangeStream";
    requireArguments(name, arguments.length, 2);
    super(transformerOf(name, rangeReader(name, outboard, range)));
  }
}
