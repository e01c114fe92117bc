// Decodes combined encodings, slices and iroh's responses. All output has been verified.
import type { Input } from "../input/bytes.js";
import { requireArguments } from "../input/errors.js";
import { NO_OPTIONS, requireKnown } from "../input/options.js";
import { LazyTransformStream } from "../streams/lazy-base.js";
import { CHUNK, groupsIn, NODE } from "../tree/geometry.js";
import { PIECE } from "../tree/kernel.js";
import { type BaoFormat, DEFAULT_GROUP, toFormat, toGroup, toRoot } from "./arguments.js";
import { HEADER, nodesBefore, PRE_ORDER, readLength } from "./format.js";
import { type BaoKernel, INPUT } from "./kernel.js";
import { transformerFor } from "./push-parser.js";
import { type ContentRanges, Selection, type Span, toSpans } from "./ranges.js";
import { type Subtree, TreeVerifier, type VerifiedContent } from "./verifier.js";

/** How an encoding was made. Its bytes do not contain this. */
export interface BaoDecodeOptions extends ContentRanges {
  /**
   * `"bao"` (the default): the combined encodings and slices of the `bao` program. `"iroh"`: the responses of iroh-blobs,
   * which are those of `bao-tree` after a header of 8 bytes.
   */
  readonly format?: BaoFormat | undefined;
  /** Bytes in a group: a power of 2 from 1024 to 2^20; by default 1024 for `"bao"` and 16384 for `"iroh"`. */
  readonly group?: number | undefined;
}

// Groups of at least this size are hashed in place. Shorter ones are joined first, to be copied at once.
const LARGE_GROUP = 8192;
/** The offset in the input where they are joined: after any window of such groups. */
const JOINED_AT = 0x80000;

export class Decoder extends TreeVerifier {
  /** The content's length, once its last chunk has been verified. */
  length: number | undefined;
  protected readonly nodeSize = NODE;
  readonly #root: Uint8Array;
  readonly #format: BaoFormat;
  readonly #spans: readonly Span[];
  /** The offset at which the content verified so far ends. */
  #verified = 0;
  /** The number of bytes of this window that have been joined. */
  #moved = 0;

  constructor(name: string, root: Input, options: BaoDecodeOptions, give: (bytes: Uint8Array<ArrayBuffer>) => void) {
    requireKnown(name, options, ["format", "group", "start", "end", "ranges"]);
    const { format, group, start, end, ranges } = options;
    const own = toRoot(name, root);
    const chosen = toFormat<BaoFormat>(name, format, ["bao", "iroh"], "bao");
    super(name, toGroup(name, group, chosen === "bao" ? CHUNK : DEFAULT_GROUP), PRE_ORDER, give);
    this.#root = own;
    this.#format = chosen;
    this.#spans = toSpans(name, { start, end, ranges });
  }

  protected get position(): number {
    return (this.next?.chunk ?? 0) * CHUNK;
  }

  protected override need(): number | undefined {
    return this.selection ? super.need() : HEADER;
  }

  protected discard(): number {
    return 0;
  }

  protected surplus(): never {
    throw this.error("trailing", this.#verified);
  }

  protected override run(kernel: BaoKernel, size: number): number {
    this.#moved = 0;
    return super.run(kernel, size);
  }

  protected override step(kernel: BaoKernel, at: number, available: number): number {
    if (this.selection) return super.step(kernel, at, available);
    const length = readLength(this.name, kernel.bytes.subarray(INPUT + at, INPUT + at + HEADER));
    this.begin(this.#root, new Selection(this.#spans, length));
    // Nothing follows the header of content of no bytes.
    return length === 0 ? HEADER + super.step(kernel, at + HEADER, 0) : HEADER;
  }

  /** An iroh group arrives without nodes only if all of it is wanted. */
  protected isLeaf({ count, all }: Subtree): boolean {
    return count === 1 || (count * CHUNK <= this.group && (all || this.#format === "bao"));
  }

  protected loadNode(kernel: BaoKernel, _: Subtree, at: number): void {
    kernel.loadNode(at);
  }

  protected takeTree(kernel: BaoKernel, tree: Subtree, at: number, available: number): number {
    const { group } = this;
    const length = this.bytesIn(tree);
    const offset = tree.chunk * CHUNK;
    const groups = groupsIn(length, group);
    const encoded = length + (groups - 1) * NODE;
    if (!tree.all || length > PIECE || encoded > available) return 0;
    const together = group < LARGE_GROUP ? JOINED_AT + this.#moved : undefined;
    if (together === undefined) kernel.encodedGroups(at, length, group, tree.chunk);
    else {
      kernel.gather(at, length, group, together);
      kernel.groups(together, length, group, tree.chunk);
    }
    if (!kernel.match(groups, at, group) || !this.isExpected(kernel, kernel.join(0, tree.root))) return 0;
    if (together === undefined) this.#acceptInPlace(kernel, { offset, length, at });
    else {
      this.#moved += length;
      this.accept(kernel, { offset, length, at: together });
    }
    return encoded;
  }

  /** Passes on the content of an encoded subtree: no node lies between a group of even number and the next. */
  #acceptInPlace(kernel: BaoKernel, { offset, length, at }: VerifiedContent): void {
    const size = 2 * this.group;
    const nodes = nodesBefore(groupsIn(length, this.group));
    for (let done = 0; done < length; done += size) {
      const before = (nodes[done / this.group] as number) * NODE;
      this.accept(kernel, { offset: offset + done, length: Math.min(size, length - done), at: at + done + before });
    }
  }

  protected override accept(kernel: BaoKernel, content: VerifiedContent): void {
    super.accept(kernel, content);
    this.#verified = content.offset + content.length;
    if (this.#verified === (this.selection as Selection).length) this.length = this.#verified;
  }
}

/**
 * A TransformStream from an encoding to its content. Every byte of the output has been verified against the root hash, even
 * if a later part of the encoding is wrong. The encoding is a combined encoding or a slice of `bao`, or a response of iroh,
 * in chunks of any size and any kind of bytes. The stream holds at most one group.
 *
 * The output is the range from `start` to `end`, for which the encoding was made, or with `ranges`, the bytes of all ranges
 * in order. When the readable side closes, the output is complete.
 *
 * The output is copies of the verified bytes: a writer may use its chunk again once it has been written.
 *
 * The stream fails with an {@link IntegrityError} at the first wrong node or group, if bytes are missing, and if there are
 * more than the encoding has. The output up to then is correct and can be kept. The content's length is proven only when the
 * last chunk has been verified; a slice without that chunk does not prove it.
 *
 * @param root the content's BLAKE3 digest: 32 bytes, or hexadecimal text
 * @throws TypeError for a value or option of the wrong type; RangeError for a value out of range
 * @example
 * const decoded = response.body.pipeThrough(new BaoDecodeStream("ea8f163d…"));
 */
export class BaoDecodeStream extends LazyTransformStream<
  Uint8Array | ArrayBufferView | ArrayBufferLike,
  Uint8Array<ArrayBuffer>
> {
  readonly #decoder: Decoder;

  constructor(root: Input, options: BaoDecodeOptions = NO_OPTIONS) {
    const name = "BaoDecodeStream";
    requireArguments(name, arguments.length, 2);
    const { parser, transformer } = transformerFor(name, (give) => new Decoder(name, root, options, give));
    super(transformer);
    this.#decoder = parser;
  }

  /** The length of the content in bytes; undefined until the last chunk has been verified, which proves it. */
  get length(): number | undefined {
    return this.#decoder.length;
  }
}
