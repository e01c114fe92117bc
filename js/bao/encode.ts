// Encodes content: combined encodings and slices of bao, and iroh's responses.
import { requireArguments } from "../input/errors.js";
import { NO_OPTIONS, requireKnown } from "../input/options.js";
import { LazyTransformStream } from "../streams/lazy-base.js";
import { CHUNK, chunksIn, groupsIn, leftLeaves, NODE, VALUE } from "../tree/geometry.js";
import { PIECE } from "../tree/kernel.js";
import { type BaoFormat, toFormat, toPosition } from "./arguments.js";
import { eachNode, HEADER, nodesBefore, writeLength } from "./format.js";
import { type BaoKernel, INPUT, VALUES } from "./kernel.js";
import { type Outboard, requireOutboard } from "./outboard.js";
import { transformerFor } from "./push-parser.js";
import { type ContentRanges, Selection, type Span, toSpans } from "./ranges.js";
import { ContentVerifier } from "./verified-range.js";
import type { VerifiedContent } from "./verifier.js";

/** The format and the range of an encoding. Its groups are those of the outboard. */
export interface BaoEncodeOptions extends ContentRanges {
  /**
   * `"bao"` (the default): a combined encoding of all content, or a slice of a range; the `bao` program reads those with
   * groups of 1024 bytes. `"iroh"`: a response as iroh-blobs sends it, with groups of 16384 bytes; `bao-tree` puts a header
   * of 8 bytes before it. They also differ in groups of which a range needs only a part: `"iroh"` then has the nodes down to
   * chunks of 1024 bytes.
   */
  readonly format?: BaoFormat | undefined;
  /**
   * The offset in the content of the first byte written; 0 by default. It must not be after the start of the range's first
   * group, which {@link rangeOf} returns.
   */
  readonly offset?: number | undefined;
}

type Give = (bytes: Uint8Array<ArrayBuffer>) => void;

/** Writes verified content with its nodes. */
export class Encoder extends ContentVerifier {
  readonly #format: BaoFormat;
  readonly #give: Give;
  /** The header, until it has been written. */
  #header: Uint8Array<ArrayBuffer> | undefined;

  constructor(name: string, outboard: Outboard, options: BaoEncodeOptions, give: Give) {
    requireOutboard(name, outboard);
    requireKnown(name, options, ["format", "start", "end", "ranges", "offset"]);
    const format = toFormat<BaoFormat>(name, options.format, ["bao", "iroh"], "bao");
    const { length, group } = outboard;
    const selection = new Selection(toSpans(name, options), length);
    const position = toPosition(name, "offset", options.offset, 0);
    const first = Math.floor(((selection.chunks[0] as Span).start * CHUNK) / group) * group;
    if (position > first) {
      throw new RangeError(
        `${name}: offset must be at most ${first}, where the range's first group begins, got ${position}`,
      );
    }
    super(name, outboard, selection, { position, end: length }, give);
    this.#format = format;
    this.#give = give;
    this.#header = new Uint8Array(HEADER);
    writeLength(this.#header, length);
  }

  override push(content: Uint8Array): void {
    if (this.#header) this.#give(this.#header);
    this.#header = undefined;
    super.push(content);
  }

  protected override opened(kernel: BaoKernel): void {
    this.output(kernel.bytes.slice(VALUES, VALUES + NODE));
  }

  protected override accept(kernel: BaoKernel, content: VerifiedContent): void {
    const { offset, length, at } = content;
    this.position += length;
    if (this.#format === "bao" || (this.selection as Selection).covers(offset / CHUNK, chunksIn(length)) === "all") {
      this.output(kernel.bytes.subarray(INPUT + at, INPUT + at + length));
    } else this.#addChunks(kernel, content);
  }

  protected override acceptTree(kernel: BaoKernel, { length, at }: VerifiedContent): void {
    this.position += length;
    const groups = groupsIn(length, this.group);
    const nodes = nodesBefore(groups);
    const bytes = new Uint8Array(length + (groups - 1) * NODE);
    for (let leaf = 0; leaf < groups; leaf++) {
      const from = leaf * this.group;
      const end = INPUT + at + Math.min(from + this.group, length);
      bytes.set(kernel.bytes.subarray(INPUT + at + from, end), from + (nodes[leaf] as number) * NODE);
    }
    eachNode(groups, nodes, (address, number, leaf) => {
      bytes.set(kernel.bytes.subarray(address, address + NODE), leaf * this.group + number * NODE);
    });
    this.output(bytes);
  }

  /** Writes the wanted part of a group with the nodes inside the group, which the outboard does not have. */
  #addChunks(kernel: BaoKernel, content: VerifiedContent): void {
    const selection = this.selection as Selection;
    const values = chunkValues(kernel, content);
    const first = content.offset / CHUNK;
    /** Returns the subtree's value, and writes the wanted part unless it has been written already. */
    const visit = (chunk: number, count: number, isOut: boolean): Uint8Array => {
      const cover = isOut ? "none" : selection.covers(first + chunk, count);
      const from = chunk * CHUNK;
      const to = Math.min(from + count * CHUNK, content.length);
      const at = INPUT + content.at;
      if (cover === "all") this.output(kernel.bytes.subarray(at + from, at + to));
      if (count === 1) return values.subarray(chunk * VALUE, (chunk + 1) * VALUE);
      const node = new Uint8Array(NODE);
      if (cover === "some") this.output(node);
      const left = leftLeaves(count);
      node.set(visit(chunk, left, cover !== "some"));
      node.set(visit(chunk + left, count - left, cover !== "some"), VALUE);
      kernel.putValues(node, 0);
      return kernel.value(kernel.join(0, false));
    };
    visit(0, chunksIn(content.length), false);
  }
}

function chunkValues(kernel: BaoKernel, { at, offset, length }: VerifiedContent): Uint8Array {
  const values = new Uint8Array(chunksIn(length) * VALUE);
  for (let done = 0; done < length; done += PIECE) {
    const size = Math.min(PIECE, length - done);
    kernel.groups(at + done, size, CHUNK, (offset + done) / CHUNK);
    values.set(kernel.bytes.subarray(VALUES, VALUES + chunksIn(size) * VALUE), (done / CHUNK) * VALUE);
  }
  return values;
}

/**
 * A TransformStream from content to an encoding of all of it, or of a range, that {@link BaoDecodeStream} and the programs of
 * the same format decode. Each group is verified before it is encoded, so a decoder never gets anything that it would refuse.
 * The stream holds at most one group.
 *
 * The content starts at byte `offset`, in chunks of any size. Bytes before the range's first group are skipped; bytes after
 * the last one are not needed. The stream fails with an {@link IntegrityError} if content or nodes do not match the outboard's
 * root, if needed content is missing, and if the content is longer than the outboard says.
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
    super(transformerFor(name, (give) => new Encoder(name, outboard, options, give)).transformer);
  }
}
