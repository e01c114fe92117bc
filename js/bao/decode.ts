// Decodes combined encodings, slices and iroh's responses: what goes out has been verified.
import type { Input } from "../input/bytes.js";
import { requireArguments } from "../input/errors.js";
import { type BaoFormat, DEFAULT_GROUP, requireOptions, toFormat, toGroup, toRoot } from "./arguments.js";
import { IntegrityError, type IntegrityReason } from "./errors.js";
import { HEADER, readLength } from "./header.js";
import { INPUT, PIECE, type TreeKernel } from "./kernel.js";
import { nodesBefore } from "./kernel-tree.js";
import { Machine } from "./machine.js";
import { type ContentRanges, Selection, type Span, toSpans } from "./ranges.js";
import { transformerFor } from "./transformer.js";
import { CHUNK, chunksIn, leftLeaves, NODE, VALUE } from "./tree.js";

/** How an encoding was made: nothing in its bytes says so. */
export interface BaoDecodeOptions extends ContentRanges {
  /**
   * `"bao"`, by default: the combined encodings and slices of the `bao` program. `"iroh"`: the responses of iroh-blobs and,
   * after a header of 8 bytes, of `bao-tree`.
   */
  readonly format?: BaoFormat | undefined;
  /** Bytes in a group: a power of 2 from 1024 to 2^20, by default 1024 with `"bao"` and 16384 with `"iroh"`. */
  readonly group?: number | undefined;
}

/** A subtree that comes next, or after others. What it must hash to is on a stack of its own. */
interface Subtree {
  readonly chunk: number;
  /** Chunks in it. */
  readonly count: number;
  readonly root: boolean;
  /** Whether all of it is wanted. */
  readonly all: boolean;
}

// Groups from this size on are hashed where they lie in the encoding, and given as views of it; shorter ones are moved together
// and copied: a reader is better off with few chunks.
const LARGE_GROUP = 8192;
/** A tree of 2^43 chunks, the most there are, has as many levels; two at most wait on each. */
const MOST_PENDING = 64;
/** Where in the input area: behind any window of such groups. */
const TOGETHER = 0x80000;

export class Decoder extends Machine {
  /** The content's length, once its last chunk has been verified. */
  length: number | undefined;
  readonly #name: string;
  readonly #format: BaoFormat;
  readonly #group: number;
  readonly #spans: readonly Span[];
  readonly #pending: Subtree[] = [];
  /** The pending subtrees' values, in the same order. */
  readonly #values = new Uint8Array(MOST_PENDING * VALUE);
  /** Made of the length that the header claims. */
  #claim: { readonly length: number; readonly selection: Selection } | undefined;
  /** Where the content that was verified last ends. */
  #verified = 0;
  /** How many bytes have been moved together in this window. */
  #moved = 0;

  constructor(name: string, root: Input, options: BaoDecodeOptions, give: (bytes: Uint8Array<ArrayBuffer>) => void) {
    super(give, "views");
    requireOptions(name, options, ["format", "group", "start", "end", "ranges"]);
    const { format, group, start, end, ranges } = options;
    this.#name = name;
    this.#values.set(toRoot(name, root));
    this.#format = toFormat(name, format, ["bao", "iroh"], "bao");
    this.#group = toGroup(name, group, this.#format === "bao" ? CHUNK : DEFAULT_GROUP);
    this.#spans = toSpans(name, { start, end, ranges });
  }

  /** All bytes have come. */
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

  protected run(kernel: TreeKernel, size: number): number {
    let at = 0;
    this.#moved = 0;
    for (let need = this.need(); need !== undefined && need <= size - at; need = this.need()) {
      at += this.#step(kernel, at, size - at);
    }
    return at;
  }

  #step(kernel: TreeKernel, at: number, size: number): number {
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

  /** Whether a subtree's bytes come without nodes. Of iroh's groups only those that are wanted whole do. */
  #isLeaf({ count, all }: Subtree): boolean {
    return count === 1 || (count * CHUNK <= this.#group && (all || this.#format === "bao"));
  }

  /** Bytes of content in a subtree, as far as the claim is right. */
  #bytesIn({ chunk, count }: Subtree): number {
    const { length } = this.#claim as { length: number };
    return Math.min(count * CHUNK, length - chunk * CHUNK);
  }

  /** Whether the `index`th value is that of the subtree that was pending last. */
  #isValue(kernel: TreeKernel, index: number): boolean {
    return kernel.holds(this.#values, this.#pending.length * VALUE, index);
  }

  #takeLeaf(kernel: TreeKernel, leaf: Subtree, at: number): number {
    const size = this.#bytesIn(leaf);
    kernel.subtree(at, size, leaf.chunk, leaf.root);
    if (!this.#isValue(kernel, 0)) throw this.#error("bytes", leaf.chunk * CHUNK);
    this.#accept(leaf.chunk * CHUNK, INPUT + at, size);
    return size;
  }

  #takeNode(kernel: TreeKernel, { chunk, count, root, all }: Subtree, at: number): number {
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
   * Takes a subtree of several groups at once. Nothing of it is given before its value is the right one and its nodes are
   * those that its groups make. Returns 0 if it is not all there, too large, or wrong: node by node it shows where.
   */
  #takeTree(kernel: TreeKernel, tree: Subtree, at: number, available: number): number {
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

  /** Lets the content of an encoded subtree out, which lies between its nodes. */
  #acceptStretches(offset: number, encoding: number, length: number): void {
    const size = 2 * this.#group;
    const nodes = nodesBefore(Math.ceil(length / this.#group));
    for (let at = 0; at < length; at += size) {
      const before = (nodes[at / this.#group] as number) * NODE;
      this.#accept(offset + at, INPUT + encoding + at + before, Math.min(size, length - at));
    }
  }

  /** Lets verified content out, as far as it is wanted. */
  #accept(offset: number, address: number, size: number): void {
    const { length, selection } = this.#claim as { length: number; selection: Selection };
    this.#verified = offset + size;
    if (this.#verified === length) this.length = length;
    for (const { start, end } of selection.within(offset, size)) this.outlet.add(address + start, end - start);
  }
}

/**
 * Takes an encoding in, gives the content that the root hash stands for: every byte that comes out has been verified, and of
 * a wrong encoding none comes out that is not right. Takes the combined encodings and slices of `bao`, and iroh's responses,
 * in chunks of any size, and keeps no more of them than a group.
 *
 * Content in the range that `start` and `end` say comes out, as the encoding was made for just that range; with `ranges`, one
 * range's bytes after the other's. A readable side that closes has given all of it. Chunks are bytes of any kind.
 *
 * With groups of 8192 bytes or more, what goes out may be views of the chunks that were written, several of one chunk:
 * whoever writes them must not change them afterwards, and whoever reads must not transfer their buffers. Of a chunk in shared
 * memory, and with shorter groups, what goes out is a copy.
 *
 * The stream fails with an {@link IntegrityError} at the first node or group that is wrong, where bytes are missing, and
 * where more come than the encoding has. What it gave before is right and may be kept. The content's length is only known to
 * be right when its last chunk has been verified; a slice without that chunk says nothing of it.
 *
 * @param root the content's BLAKE3 digest: 32 bytes, or hexadecimal text
 * @throws TypeError for a wrong kind of value or option; RangeError for a value out of range
 * @example
 * const decoded = response.body.pipeThrough(new BaoDecodeStream("ea8f163d…"));
 */
export class BaoDecodeStream extends TransformStream<
  Uint8Array | ArrayBufferView | ArrayBufferLike,
  Uint8Array<ArrayBuffer>
> {
  readonly #decoder: Decoder;

  constructor(root: Input, options: BaoDecodeOptions = {}) {
    const name = "BaoDecodeStream";
    requireArguments(name, arguments.length, 2);
    const { taker, transformer } = transformerFor(name, (give) => new Decoder(name, root, options, give));
    super(transformer);
    this.#decoder = taker;
  }

  /** Bytes in the content, once that is proven: when its last chunk has been verified. Undefined until then. */
  get length(): number | undefined {
    return this.#decoder.length;
  }
}
