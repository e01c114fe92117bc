// Decodes combined encodings, slices and iroh's responses: what goes out has been verified.
import type { Input } from "../input/bytes.js";
import { type BaoFormat, DEFAULT_GROUP, requireOptions, toBytes, toFormat, toGroup, toRoot } from "./arguments.js";
import { IntegrityError } from "./errors.js";
import { HEADER, readLength } from "./header.js";
import { compute, INPUT, PIECE, type TreeKernel, wipeKernel } from "./kernel.js";
import { eachNode, foldLevels, MAX_LEAVES, nodesAt } from "./kernel-tree.js";
import { Machine } from "./machine.js";
import { type ContentRanges, Selection, type Span, toSpans } from "./ranges.js";
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

/** A subtree that comes next, or after others. */
interface Subtree {
  readonly chunk: number;
  /** Chunks in it. */
  readonly count: number;
  /** What it must hash to. */
  readonly value: Uint8Array;
  readonly root: boolean;
  /** Whether all of it is wanted. */
  readonly all: boolean;
}

// Groups from this size on are hashed where they lie in the encoding, shorter ones are moved together first.
const LARGE_GROUP = 4096;

export class Decoder extends Machine {
  /** The content's length, once its last chunk has been verified. */
  length: number | undefined;
  readonly #name: string;
  readonly #root: Uint8Array;
  readonly #format: BaoFormat;
  readonly #group: number;
  readonly #spans: readonly Span[];
  readonly #give: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly #pending: Subtree[] = [];
  /** Made of the length that the header claims. */
  #claim: { readonly length: number; readonly selection: Selection } | undefined;
  /** Where the content that was verified last ends. */
  #verified = 0;

  constructor(name: string, root: Input, options: BaoDecodeOptions, give: (bytes: Uint8Array<ArrayBuffer>) => void) {
    super();
    requireOptions(name, options, ["format", "group", "start", "end", "ranges"]);
    this.#name = name;
    this.#root = toRoot(name, root);
    this.#format = toFormat(name, options.format, ["bao", "iroh"], "bao");
    this.#group = toGroup(name, options.group, this.#format === "bao" ? CHUNK : DEFAULT_GROUP);
    this.#spans = toSpans(name, options);
    this.#give = give;
  }

  override push(chunk: Uint8Array): void {
    try {
      super.push(chunk);
    } finally {
      wipeKernel();
    }
  }

  /** All bytes have come. */
  end(): void {
    if (this.need() !== undefined) throw this.#error("truncated", this.#place());
  }

  #error(reason: "bytes" | "node" | "truncated" | "trailing", offset: number): IntegrityError {
    return new IntegrityError(this.#name, reason, offset);
  }

  #place(): number {
    return (this.#pending.at(-1)?.chunk ?? 0) * CHUNK;
  }

  protected need(): number | undefined {
    if (!this.#claim) return HEADER;
    const next = this.#pending.at(-1);
    if (!next) return undefined;
    return this.#isLeaf(next) ? this.#bytesIn(next) : NODE;
  }

  protected surplus(): never {
    throw this.#error("trailing", this.#verified);
  }

  protected step(window: Uint8Array): number {
    if (!this.#claim) return this.#readHeader(window);
    const next = this.#pending.pop() as Subtree;
    if (this.#isLeaf(next)) return this.#takeLeaf(next, window);
    return this.#takeTree(next, window) || this.#takeNode(next, window);
  }

  #readHeader(window: Uint8Array): number {
    const length = readLength(this.#name, window);
    const selection = new Selection(this.#spans, length);
    this.#claim = { length, selection };
    const count = chunksIn(length);
    const all = selection.covers(0, count) === "all";
    this.#pending.push({ chunk: 0, count, value: this.#root, root: true, all });
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

  #takeLeaf(leaf: Subtree, window: Uint8Array): number {
    const size = this.#bytesIn(leaf);
    const content = compute((kernel) => {
      kernel.put(window.subarray(0, size));
      kernel.subtree(0, size, leaf.chunk, leaf.root);
      return kernel.holds(leaf.value) ? kernel.bytes.slice(INPUT, INPUT + size) : undefined;
    });
    if (!content) throw this.#error("bytes", leaf.chunk * CHUNK);
    this.#giveContent(leaf, content);
    return size;
  }

  #takeNode({ chunk, count, value, root, all }: Subtree, window: Uint8Array): number {
    const node = new Uint8Array(NODE);
    node.set(window.subarray(0, NODE));
    const right = compute((kernel) => {
      kernel.putValues(node, 0);
      kernel.join(0, root);
      return kernel.holds(value);
    });
    if (!right) throw this.#error("node", chunk * CHUNK);
    const left = leftLeaves(count);
    this.#expect(chunk + left, count - left, node.subarray(VALUE), all);
    this.#expect(chunk, left, node.subarray(0, VALUE), all);
    return NODE;
  }

  #expect(chunk: number, count: number, value: Uint8Array, all: boolean): void {
    const cover = all ? "all" : (this.#claim as { selection: Selection }).selection.covers(chunk, count);
    if (cover !== "none") this.#pending.push({ chunk, count, value, root: false, all: cover === "all" });
  }

  /**
   * Takes a subtree of several groups at once. Nothing of it is given before its value is the right one and its nodes are
   * those that its groups make. Returns 0 where it is not all there, too large, or wrong: node by node it shows where.
   */
  #takeTree(tree: Subtree, window: Uint8Array): number {
    const leaves = Math.ceil((tree.count * CHUNK) / this.#group);
    const size = this.#bytesIn(tree);
    const encoded = size + (leaves - 1) * NODE;
    if (!tree.all || leaves < 2 || leaves > MAX_LEAVES || size > PIECE || encoded > window.length) return 0;
    const content = compute((kernel) => {
      kernel.put(window.subarray(0, encoded));
      return this.#group < LARGE_GROUP
        ? this.#verifySmall(kernel, tree, leaves, size, encoded)
        : this.#verifyLarge(kernel, tree, leaves, size);
    });
    if (!content) return 0;
    this.#giveContent(tree, content);
    return encoded;
  }

  #verifySmall(kernel: TreeKernel, tree: Subtree, leaves: number, size: number, encoded: number) {
    const nodes = nodesAt(leaves);
    const group = this.#group;
    const room = Math.ceil(encoded / NODE) * NODE;
    for (let leaf = 0; leaf < leaves; leaf++) {
      const at = leaf * group + (leaf + (nodes[leaf] as number)) * NODE;
      kernel.move(at, Math.min(at + group, encoded), room + leaf * group);
    }
    kernel.groups(room, size, group, tree.chunk);
    if (!this.#isRight(kernel, tree, leaves, nodes)) return undefined;
    return kernel.bytes.slice(INPUT + room, INPUT + room + size);
  }

  #verifyLarge(kernel: TreeKernel, tree: Subtree, leaves: number, size: number) {
    const nodes = nodesAt(leaves);
    const group = this.#group;
    const placeOf = (leaf: number): number => leaf * group + (leaf + (nodes[leaf] as number)) * NODE;
    for (let leaf = 0; leaf < leaves; leaf++) {
      const length = Math.min(group, size - leaf * group);
      kernel.groups(placeOf(leaf), length, group, tree.chunk + (leaf * group) / CHUNK, leaf);
    }
    if (!this.#isRight(kernel, tree, leaves, nodes)) return undefined;
    const content = new Uint8Array(size);
    for (let leaf = 0; leaf < leaves; leaf++) {
      const from = INPUT + placeOf(leaf);
      const length = Math.min(group, size - leaf * group);
      content.set(kernel.bytes.subarray(from, from + length), leaf * group);
    }
    return content;
  }

  /** Whether the groups' values, which are the kernel's first, make the tree, and the nodes among the bytes are its nodes. */
  #isRight(kernel: TreeKernel, tree: Subtree, leaves: number, nodes: Uint8Array): boolean {
    const { words } = kernel;
    const top = foldLevels(kernel, leaves);
    let difference = 0;
    eachNode(leaves, nodes, (address, place, leaf) => {
      const at = (INPUT + leaf * this.#group + place * NODE) >> 2;
      for (let i = 0; i < NODE / 4; i++)
        difference |= (words[(address >> 2) + i] as number) ^ (words[at + i] as number);
    });
    kernel.join(top, tree.root);
    return difference === 0 && kernel.holds(tree.value, top);
  }

  #giveContent(subtree: Subtree, content: Uint8Array<ArrayBuffer>): void {
    const { length, selection } = this.#claim as { length: number; selection: Selection };
    const offset = subtree.chunk * CHUNK;
    this.#verified = offset + content.length;
    if (this.#verified === length) this.length = length;
    for (const { start, end } of selection.within(offset, content.length)) {
      this.#give(end - start === content.length ? content : content.subarray(start, end));
    }
  }
}

/**
 * Takes an encoding in, gives the content that the root hash stands for: every byte that comes out has been verified, and of
 * a wrong encoding none comes out that is not right. Takes the combined encodings and slices of `bao`, and iroh's responses,
 * in chunks of any size, and keeps no more of them than a group.
 *
 * Content in the range that `start` and `end` say comes out, as the encoding was made for just that range; with `ranges`, one
 * range's bytes after the other's. A readable side that closes has given all of it. Chunks are bytes of any kind; what goes
 * out are arrays of its own.
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
    let controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>;
    const decoder = new Decoder(name, root, options, (bytes) => controller.enqueue(bytes));
    super({
      start(own) {
        controller = own;
      },
      transform: (chunk) => decoder.push(toBytes(name, "chunk", chunk)),
      flush() {
        // Content of no bytes has a chunk to be verified too.
        decoder.end();
        decoder.dispose();
      },
    });
    this.#decoder = decoder;
  }

  /** Bytes in the content, once that is proven: when its last chunk has been verified. Undefined until then. */
  get length(): number | undefined {
    return this.#decoder.length;
  }
}
