// Verifies plain content with an outboard, group by group: a range of it, as an HTTP server sends it.
import { requireArguments } from "../input/errors.js";
import { NO_OPTIONS, requireKnown } from "../input/options.js";
import { LazyTransformStream } from "../streams/lazy-base.js";
import { CHUNK, groupsIn, NODE } from "../tree/geometry.js";
import { PIECE } from "../tree/kernel.js";
import { toFormat, toGroup, toPosition } from "./arguments.js";
import { eachNode, FORMATS, layoutOf, nodesBefore, type Order, type OutboardFormat, walk } from "./format.js";
import type { BaoKernel } from "./kernel.js";
import { type Outboard, requireOutboard } from "./outboard.js";
import { transformerFor } from "./push-parser.js";
import { type ContentRange, Selection, type Span, toSpans, unite } from "./ranges.js";
import { type Subtree, TreeVerifier, type VerifiedContent } from "./verifier.js";

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

/** Returns the wanted range, limited to the content. */
export function toRange(name: string, { start, end }: ContentRange, length: number): Span {
  const [range] = toSpans(name, { start, end }) as [Span];
  if (range.start <= length) return { start: range.start, end: Math.min(range.end, length) };
  throw new RangeError(`${name}: start must be at most the content's length, ${length}, got ${range.start}`);
}

/** Returns the groups that a range touches. An empty range has one as well, which proves its position. */
function roundedTo(group: number, { start, end }: Span, length: number): Span {
  const first = Math.min(Math.floor(start / group), groupsIn(length, group) - 1) * group;
  return { start: first, end: Math.min(Math.max(first + group, Math.ceil(end / group) * group), length) };
}

function toShape(name: string, shape: TreeShape): TreeShape {
  if (typeof shape !== "object" || shape === null) requireKnown(name, shape, []);
  return { length: toPosition(name, "length", shape.length), group: toGroup(name, shape.group) };
}

/**
 * Returns the bytes of content that are needed to verify a range: the range rounded to whole groups.
 *
 * @param shape an {@link Outboard}, or its length and group
 * @throws TypeError for a value of the wrong type; RangeError for a value out of range, or a range that starts after the end
 *   of the content
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
  const { length, group } = toShape(name, shape);
  requireKnown(name, range, ["start", "end"]);
  const { start, end } = roundedTo(group, toRange(name, range, length), length);
  return { start, end, header: length === 0 ? "bytes=0-" : `bytes=${start}-${end - 1}` };
}

/**
 * Returns the parts of an outboard that a range needs: {@link Outboard.fromParts} makes an outboard for that range from them.
 * In every format they are a few runs, with 64 bytes for each level of the tree and for each group.
 *
 * @param shape the content's length and group, and the outboard's format
 * @returns runs in order, none of which touches the next; none if the content is one group
 * @throws TypeError for a value of the wrong type; RangeError for a value out of range, or a range that starts after the end
 *   of the content
 * @example
 * nodesOf({ length: 100_000, group: 16384 }, { start: 20_000, end: 20_010 }); // [{ start: 8, end: 200 }]
 */
export function nodesOf(shape: OutboardShape, range: ContentRange = NO_OPTIONS): Span[] {
  const name = "nodesOf";
  requireArguments(name, arguments.length, 2);
  const { length, group } = toShape(name, shape);
  const { header, order } = layoutOf(toFormat(name, shape.format, FORMATS, "bao"));
  requireKnown(name, range, ["start", "end"]);
  const { start, end } = roundedTo(group, toRange(name, range, length), length);
  const wanted = { start: start / group, end: Math.ceil(end / group) };
  return bytesOf(nodesOver(groupsIn(length, group), order, wanted), header);
}

/**
 * Returns the numbers of the nodes over some groups, in runs. Each subtree of which all is wanted is one run, so that only the
 * path to each end of the groups is walked.
 *
 * @param above whether to include nodes whose subtrees begin before the groups
 */
export function nodesOver(groups: number, order: Order, wanted: Span, above = true): Span[] {
  const runs: Span[] = [];
  walk(groups, [order], ({ at, leaves, numbers: [number = 0] }) => {
    const end = at + leaves;
    if (at >= wanted.end || end <= wanted.start) return false;
    const isWhole = at >= wanted.start && end <= wanted.end;
    const start = isWhole ? order.first(number, leaves) : number;
    if (above || at >= wanted.start) runs.push({ start, end: start + (isWhole ? leaves - 1 : 1) });
    return !isWhole;
  });
  return unite(runs);
}

/** Returns where runs of nodes are in the bytes of an outboard. */
export function bytesOf(runs: readonly Span[], header: number): Span[] {
  return runs.map(({ start, end }) => ({ start: header + start * NODE, end: header + end * NODE }));
}

/** Where the bytes are in the content. */
export interface Bounds {
  /** The offset of the first byte to arrive. */
  readonly position: number;
  /** The offset at which they must end; bytes after the selection's last group are ignored. */
  readonly end: number;
}

/** Verifies the groups of a selection, in order, and outputs the wanted part. */
export class ContentVerifier extends TreeVerifier {
  protected readonly nodeSize = 0;
  protected position: number;
  readonly #outboard: Outboard;
  readonly #end: number;

  constructor(
    name: string,
    outboard: Outboard,
    selection: Selection,
    { position, end }: Bounds,
    give: (bytes: Uint8Array<ArrayBuffer>) => void,
  ) {
    super(name, outboard.group, outboard.order, give);
    this.#outboard = outboard;
    this.position = position;
    this.#end = end;
    this.begin(outboard.root, selection);
  }

  /** Receives the verified content of several groups. The kernel has the values of all levels, as `fold` leaves them. */
  protected acceptTree(kernel: BaoKernel, content: VerifiedContent): void {
    this.accept(kernel, content);
  }

  override end(): void {
    this.push(new Uint8Array());
    super.end();
  }

  protected isLeaf({ count }: Subtree): boolean {
    return count * CHUNK <= this.group;
  }

  /** Returns how many of the available bytes come before the next wanted ones. */
  protected discard(count: number): number {
    const { next } = this;
    if (!next || !this.isLeaf(next)) return 0;
    const missing = Math.min(count, Math.max(0, next.chunk * CHUNK - this.position));
    this.position += missing;
    return missing;
  }

  protected surplus(count: number): void {
    this.position += count;
    if (this.position > this.#end) throw this.error("trailing", this.#end);
  }

  protected loadNode(kernel: BaoKernel, { number }: Subtree): void {
    kernel.putValues(this.#outboard.node(this.name, number), 0);
  }

  protected override accept(kernel: BaoKernel, content: VerifiedContent): void {
    this.position += content.length;
    super.accept(kernel, content);
  }

  protected takeTree(kernel: BaoKernel, tree: Subtree, at: number, available: number): number {
    const length = this.bytesIn(tree);
    const offset = tree.chunk * CHUNK;
    if (!tree.all || this.position !== offset || length > Math.min(available, PIECE)) return 0;
    kernel.groups(at, length, this.group, tree.chunk);
    const groups = groupsIn(length, this.group);
    const root = kernel.join(kernel.fold(groups), tree.root);
    if (!this.isExpected(kernel, root) || !this.#hasNodes(kernel, groups, tree.number)) return 0;
    this.acceptTree(kernel, { offset, length, at });
    return length;
  }

  /** Whether the outboard has the nodes of a folded tree. */
  #hasNodes(kernel: BaoKernel, groups: number, number: number): boolean {
    const { order } = this.#outboard;
    const first = order.first(number, groups);
    let all = true;
    eachNode(groups, nodesBefore(groups), (address, before, leaf, under) => {
      all = this.#outboard.hasNode(order.within(first, before, leaf, under), kernel.words, address / 4) && all;
    });
    return all;
  }
}

/** Passes on the wanted bytes of verified content. */
export class RangeVerifier extends ContentVerifier {
  constructor(name: string, outboard: Outboard, range: ContentRange, give: (bytes: Uint8Array<ArrayBuffer>) => void) {
    requireOutboard(name, outboard);
    requireKnown(name, range, ["start", "end"]);
    const { length, group } = outboard;
    const wanted = toRange(name, range, length);
    const { start, end } = roundedTo(group, wanted, length);
    super(name, outboard, new Selection([wanted], length), { position: start, end }, give);
  }
}

/**
 * A TransformStream from plain content, starting with the range's first group, to the verified bytes of the range. Its input
 * is the body of an HTTP response to the `Range` that {@link rangeOf} returns. Of the outboard, only the
 * root has to be trusted.
 *
 * The stream fails with an {@link IntegrityError} at the first wrong group, at a wrong node that is needed, if bytes are
 * missing, and if there are bytes after the last group. The output up to then is correct and can be kept.
 *
 * The output is copies of the verified bytes: a writer may use its chunk again once it has been written.
 *
 * @throws TypeError for a value or option of the wrong type; RangeError for a range that starts after the end of the content
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
    super(transformerFor(name, (give) => new RangeVerifier(name, outboard, range, give)).transformer);
  }
}
