// Encodes content: combined encodings and slices of bao, and iroh's responses. Cuts slices out of encodings.
import { requireArguments } from "../input/errors.js";
import { NO_OPTIONS, requireKnown } from "../input/options.js";
import { LazyTransformStream } from "../streams/lazy-base.js";
import { CHUNK, chunksIn, leftLeaves, NODE } from "../tree/geometry.js";
import { type BaoFormat, MAX_GROUP, toFormat, toPosition } from "./arguments.js";
import { type ContentOutput, contentReader } from "./content.js";
import { IntegrityError } from "./errors.js";
import type { BaoKernel } from "./kernel.js";
import { HEADER, headerOf, nodesLeftOf, POST_ORDER, readLength } from "./order.js";
import { type Outboard, requireOutboard } from "./outboard.js";
import { type ContentRanges, Selection, type Span, toSpans } from "./selection.js";
import { Walk } from "./verify.js";
import { type Content, type StepReader, transformerOf, type Window } from "./window.js";

/** The format and the range of an encoding. Its groups are those of the outboard. */
export interface BaoEncodeOptions extends ContentRanges {
  /**
   * `"bao"` (the default): a combined encoding of all content, or a slice of a range; the `bao` program reads those
   * with groups of 1024 bytes. `"iroh"`: a response as iroh-blobs sends it, with groups of 16384 bytes; `bao-tree` puts
   * a header of 8 bytes before it. They also differ in groups of which a range needs only a part: `"iroh"` then has the
   * nodes down to chunks of 1024 bytes.
   */
  readonly format?: BaoFormat | undefined;
  /**
   * The offset in the content of the first byte written; 0 by default. It must not be after the start of the range's
   * first group, which {@link rangeOf} returns.
   */
  readonly offset?: number | undefined;
}

/** Writes the header, the nodes and the content. */
function encodingOf(format: BaoFormat, selection: Selection): ContentOutput {
  let header = headerOf(selection.length);
  return {
    start(window) {
      window.output(header);
      header = header.subarray(0, 0);
    },
    node: (kernel, window) => window.output(kernel.values(0, 2).slice()),
    leaf(kernel, window, content) {
      const { offset, length, at } = content;
      if (format === "iroh" && selection.covers(offset, length) === "some")
        addChunks(kernel, window, selection, content);
      else window.output(kernel.input(at, length));
    },
  };
}

/** Writes the wanted part of a group with the nodes inside the group, which the outboard does not have. */
function addChunks(kernel: BaoKernel, window: Window, selection: Selection, { offset, length, at }: Content): void {
  kernel.groups(at, length, CHUNK, offset / CHUNK);
  const nodes = kernel.collect(chunksIn(length), MAX_GROUP).slice();
  const add = (from: number, size: number): void => {
    const cover = selection.covers(offset + from, size);
    if (cover === "all") window.output(kernel.input(at + from, size));
    if (cover !== "some") return;
    const number = POST_ORDER.number(nodesLeftOf(from / CHUNK), chunksIn(size), 0);
    window.output(nodes.subarray(number * NODE, (number + 1) * NODE));
    const half = leftLeaves(chunksIn(size)) * CHUNK;
    add(from, half);
    add(from + half, size - half);
  };
  add(0, length);
}

/** Reads content, and writes its encoding. */
export function encodingReader(name: string, outboard: Outboard, options: BaoEncodeOptions): StepReader {
  requireOutboard(name, outboard);
  requireKnown(name, options, ["format", "start", "end", "ranges", "offset"]);
  const format = toFormat<BaoFormat>(name, options.format, ["bao", "iroh"], "bao");
  const { length, group } = outboard;
  const selection = new Selection(toSpans(name, options), length);
  const start = toPosition(name, "offset", options.offset, 0);
  const first = Math.floor(((selection.chunks[0] as Span).start * CHUNK) / group) * group;
  if (start > first) {
    throw new RangeError(
      `${name}: offset must be at most ${first}, where the range's first group begins, got ${start}`,
    );
  }
  const output = encodingOf(format, selection);
  return contentReader(name, outboard, selection, { start, end: length }, output);
}

/**
 * A TransformStream from content to an encoding of all of it, or of a range, that {@link BaoDecodeStream} and the
 * programs of the same format decode. Each group is verified before it is encoded, so a decoder never gets anything
 * that it would refuse. The stream holds at most one group.
 *
 * The content starts at byte `offset`, in chunks of any size. Bytes before the range's first group are skipped; bytes
 * after the last one are not needed. The stream fails with an {@link IntegrityError} if content or nodes do not match
 * the outboard's root, if needed content is missing, and if the content is longer than the outboard says.
 *
 * @throws TypeError for a value or option of the wrong type; RangeError for a value out of range
 * @example
 * const tree = outboard(film, { group: 1024 });
 * const slice = new Blob([film]).stream().pipeThrough(new BaoEncodeStream(tree, { start: 5000, end: 6000 }));
 */
export class BaoEncodeStream extends LazyTransformStream<
  Uint8Array | ArrayBufferView | ArrayBufferLike,
  Uint8Array<ArrayBuffer>
> {
  constructor(outboard: Outboard, options: BaoEncodeOptions = NO_OPTIONS) {
    const name = "BaoEncodeStream";
    requireArguments(name, arguments.length, 2);
    super(transformerOf(name, encodingReader(name, outboard, options)));
  }
}

/** Reads bytes from an offset on, or fewer at the end. */
export type Read = (offset: number, length: number) => Uint8Array;

/**
 * Yields the slice for a range of content, from a combined encoding, or from content and its outboard. It verifies
 * nothing, as the `bao` program.
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
