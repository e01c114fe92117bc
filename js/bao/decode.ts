// Decodes combined encodings, slices and iroh's responses. All output has been verified.
import type { Input } from "../input/bytes.js";
import { requireArguments } from "../input/errors.js";
import { NO_OPTIONS, requireKnown } from "../input/options.js";
import { CHUNK, chunksIn, leftLeaves, NODE, VALUE } from "../tree/geometry.js";
import { PIECE } from "../tree/kernel.js";
import { type BaoFormat, DEFAULT_GROUP, toFormat, toGroup, toRoot } from "./arguments.js";
import { IntegrityError, type IntegrityReason } from "./errors.js";
import { HEADER, readLength } from "./header.js";
import { type BaoKernel, INPUT } from "./kernel.js";
import { nodesBefore } from "./levels.js";
import { Machine } from "./machine.js";
import { type ContentRanges, Selection, type Span, toSpans } from "./ranges.js";
import { transformerFor } from "./transformer.js";

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

/** A subtree that arrives next, or after others. Its expected chaining value is on a separate stack. */
interface Subtree {
  readonly chunk: number;
  /** The number of its chunks. */
  readonly count: number;
  readonly root: boolean;
  /** Whether all of it is wanted. */
  readonly all: boolean;
}

// Groups of at least this size are hashed in place, and passed on as views of the encoding. Shorter ones are joined and copied,
// since a reader is faster with few chunks.
const LARGE_GROUP = 8192;
/** More than the 44 subtrees that can be pending in the largest tree, which has 2^43 chunks. */
const MOST_PENDING = 64;
/** The offset in the input area where they are joined: after any window of such groups. */
const TOGETHER = 0x80000;

export class Decoder extends Machine {
  /** The content's length, once its last chunk has been verified. */
  length: number | undefined;
  readonly #name: string;
  readonly #format: BaoFormat;
  readonly #group: number;
  readonly #spans: readonly Span[];
  readonly #pending: Subtree[] = [];
  /** The expected values of the pending subtrees, in the same order. */
  readonly #values = new Uint8Array(MOST_PENDING * VALUE);
  /** Derived from the length that the header claims. */
  #claim: { readonly length: number; readonly selection: Selection } | undefined;
  /** The offset at which the content verified so far ends. */
  #verified = 0;
  /** The number of bytes of this window that have been joined. */
  #moved = 0;

  constructor(name: string, root: Input, options: BaoDecodeOptions, give: (bytes: Uint8Array<ArrayBuffer>) => void) {
    super(give, "views");
    requireKnown(name, options, ["format", "group", "start", "end", "ranges"]);
    const { format, group, start, end, ranges } = options;
    this.#name = name;
    this.#values.set(toRoot(name, root));
    this.#format = toFormat(name, format, ["bao", "iroh"], "bao");
    this.#group = toGroup(name, group, this.#format === "bao" ? CHUNK : DEFAULT_GROUP);
    this.#spans = toSpans(name, { start, end, ranges });
  }

  /** Ends the encoding. */
  end(): void {
    this.dispose();
    if (this.need() !== undefined) throw this.#error("truncated", (this.#pending.at(-1)?.chunk ?? 0) * CHUNK);
  }

  #error(reason: IntegrityReason, offset: number): IntegrityError {
    return new IntegrityError(this.#name, reason, offset);
  }

  protected need(): number | undefined {
    if (!this.#claim) return HEADER;
    const next = this.#pending.at(-1);
    if (!next) return undefined;
    return this.#isLeaf(next) ? this.#bytesIn(next) : NODE;
  }

  protected discard(): number {
    return 0;
  }

  protected surplus(): never {
    throw this.#error("trailing", this.#verified);
  }

  protected run(kernel: BaoKernel, size: number): number {
    let at = 0;
    this.#moved = 0;
    for (let need = this.need(); need !== undefined && need <= size - at; need = this.need()) {
      at += this.#step(kernel, at, size - at);
    }
    return at;
  }

  #step(kernel: BaoKernel, at: number, size: number): number {
    if (!this.#claim) return this.#readHeader(kernel.bytes.subarray(INPUT + at, INPUT + at + HEADER));
    const next = this.#pending.pop() as Subtree;
    if (this.#isLeaf(next)) return this.#takeLeaf(kernel, next, at);
    return this.#takeTree(kernel, next, at, size) || this.#takeNode(kernel, next, at);
  }

  #readHeader(header: Uint8Array): number {
    const length = readLength(this.#name, header);
    const selection = new Selection(this.#spans, length);
    this.#claim = { length, selection };
    const count = chunksIn(length);
    this.#pending.push({ chunk: 0, count, root: true, all: selection.covers(0, count) === "all" });
    return HEADER;
  }

  /** Whether a subtree arrives without nodes. An iroh group does only if all of it is wanted. */
  #isLeaf({ count, all }: Subtree): boolean {
    return count === 1 || (count * CHUNK <= this.#group && (all || this.#format === "bao"));
  }

  /** Returns the length in bytes of the content of a subtree, if the claimed length is correct. */
  #bytesIn({ chunk, count }: Subtree): number {
    const { length } = this.#claim as { length: number };
    return Math.min(count * CHUNK, length - chunk * CHUNK);
  }

  /** Whether the value at an index is the expected one of the subtree that was pending last. */
  #isValue(kernel: BaoKernel, index: number): boolean {
    return kernel.holds(this.#values, this.#pending.length * VALUE, index);
  }

  #takeLeaf(kernel: BaoKernel, leaf: Subtree, at: number): number {
    const size = this.#bytesIn(leaf);
    kernel.subtree(at, size, leaf.chunk, leaf.root);
    if (!this.#isValue(kernel, 0)) throw this.#error("bytes", leaf.chunk * CHUNK);
    this.#accept(leaf.chunk * CHUNK, INPUT + at, size);
    return size;
  }

  #takeNode(kernel: BaoKernel, { chunk, count, root, all }: Subtree, at: number): number {
    kernel.loadNode(at);
    kernel.join(0, root);
    if (!this.#isValue(kernel, 0)) throw this.#error("node", chunk * CHUNK);
    const left = leftLeaves(count);
    const node = INPUT + at;
    this.#expect(chunk + left, count - left, all, kernel.bytes, node + VALUE);
    this.#expect(chunk, left, all, kernel.bytes, node);
    return NODE;
  }

  #expect(chunk: number, count: number, all: boolean, bytes: Uint8Array, at: number): void {
    const cover = all ? "all" : (this.#claim as { selection: Selection }).selection.covers(chunk, count);
    if (cover === "none") return;
    const target = this.#pending.length * VALUE;
    for (let i = 0; i < VALUE; i++) this.#values[target + i] = bytes[at + i] as number;
    this.#pending.push({ chunk, count, root: false, all: cover === "all" });
  }

  /**
   * Verifies a subtree of several groups at once: its value, and the nodes between its groups. Returns the number of bytes
   * taken, or 0 if the subtree is incomplete, too large or wrong; going node by node then finds the error.
   */
  #takeTree(kernel: BaoKernel, tree: Subtree, at: number, available: number): number {
    const group = this.#group;
    const size = this.#bytesIn(tree);
    const groups = Math.ceil(size / group);
    const encoded = size + (groups - 1) * NODE;
    if (!tree.all || size > PIECE || encoded > available) return 0;
    const together = group < LARGE_GROUP ? TOGETHER + this.#moved : undefined;
    if (together === undefined) kernel.encodedGroups(at, size, group, tree.chunk);
    else {
      kernel.gather(at, size, group, together);
      kernel.groups(together, size, group, tree.chunk);
    }
    if (!kernel.match(groups, at, group)) return 0;
    kernel.join(0, tree.root);
    if (!this.#isValue(kernel, 0)) return 0;
    if (together === undefined) this.#acceptStretches(tree.chunk * CHUNK, at, size);
    else {
      this.#moved += size;
      this.#accept(tree.chunk * CHUNK, INPUT + together, size);
    }
    return encoded;
  }

  /** Passes on the content of an encoded subtree, without the nodes in between. */
  #acceptStretches(offset: number, encoding: number, length: number): void {
    const size = 2 * this.#group;
    const nodes = nodesBefore(Math.ceil(length / this.#group));
    for (let at = 0; at < length; at += size) {
      const before = (nodes[at / this.#group] as number) * NODE;
      this.#accept(offset + at, INPUT + encoding + at + before, Math.min(size, length - at));
    }
  }

  /** Passes on the wanted part of verified content. */
  #accept(offset: number, address: number, size: number): void {
    const { length, selection } = this.#claim as { length: number; selection: Selection };
    this.#verified = offset + size;
    if (this.#verified === length) this.length = length;
    for (const { start, end } of selection.within(offset, size)) this.outlet.add(address + start, end - start);
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
 * With groups of 8192 bytes or more, the output may be views of the written chunks, several of one chunk: the writer must not
 * change a chunk afterwards, and the reader must not transfer its buffer. Shorter groups, and chunks in shared memory, are
 * copied.
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
export class BaoDecodeStream extends TransformStream<
  Uint8Array | ArrayBufferView | ArrayBufferLike,
  Uint8Array<ArrayBuffer>
> {
  readonly #decoder: Decoder;

  constructor(root: Input, options: BaoDecodeOptions = NO_OPTIONS) {
    const name = "BaoDecodeStream";
    requireArguments(name, arguments.length, 2);
    const { taker, transformer } = transformerFor(name, (give) => new Decoder(name, root, options, give));
    super(transformer);
    this.#decoder = taker;
  }

  /** The length of the content in bytes; undefined until the last chunk has been verified, which proves it. */
  get length(): number | undefined {
    return this.#decoder.length;
  }
}
