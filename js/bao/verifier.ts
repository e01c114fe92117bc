// Verifies a tree from its root down: the walk of a decoder, of an encoder, and of a range of plain content.
import { CHUNK, chunksIn, groupsIn, leftLeaves, VALUE } from "../tree/geometry.js";
import { IntegrityError, type IntegrityReason } from "./errors.js";
import type { Order } from "./format.js";
import { type BaoKernel, INPUT, VALUES } from "./kernel.js";
import { PushParser } from "./push-parser.js";
import type { Selection } from "./ranges.js";

/** A subtree that arrives next, or after others. Its expected chaining value is on a separate stack. */
export interface Subtree {
  /** The number of its first chunk, and the number of its chunks. */
  readonly chunk: number;
  readonly count: number;
  readonly root: boolean;
  /** Whether all of it is wanted. */
  readonly all: boolean;
  /** The number of its root node. */
  readonly number: number;
}

/** The content of one group, or of a subtree of several. */
export interface VerifiedContent {
  /** Its offset in the whole content. */
  readonly offset: number;
  readonly length: number;
  /** Its offset in the kernel's input. */
  readonly at: number;
}

/** More than the 44 subtrees that can be pending in the largest tree, which has 2^43 chunks. */
const MOST_PENDING = 64;

/** Verifies wanted subtrees, in order: each as a leaf, as a tree at once, or by its root node and then its two halves. */
export abstract class TreeVerifier extends PushParser {
  protected readonly name: string;
  /** Bytes in a group. */
  protected readonly group: number;
  /** The order in which nodes are numbered. */
  readonly #order: Order;
  /** The wanted part of the content, whose length it knows; undefined until `begin`. */
  protected selection: Selection | undefined;
  readonly #pending: Subtree[] = [];
  /** The expected values of the pending subtrees, in the same order. */
  readonly #values = new Uint8Array(MOST_PENDING * VALUE);

  constructor(name: string, group: number, order: Order, give: (bytes: Uint8Array<ArrayBuffer>) => void) {
    super(give);
    this.name = name;
    this.group = group;
    this.#order = order;
  }

  /** The number of bytes of a node in what arrives. */
  protected abstract readonly nodeSize: number;
  /** Whether a subtree arrives without nodes. */
  protected abstract isLeaf(subtree: Subtree): boolean;
  /** Stores the root node of a subtree as the kernel's first two values. */
  protected abstract loadNode(kernel: BaoKernel, subtree: Subtree, at: number): void;
  /**
   * Verifies a subtree of several groups at once, with its nodes: whether a wrong one is noticed must not depend on the sizes
   * of chunks. Returns the number of bytes taken, or 0 if the subtree is incomplete, too large or wrong: going node by node
   * then finds the error.
   */
  protected abstract takeTree(kernel: BaoKernel, tree: Subtree, at: number, available: number): number;
  /** Receives a verified node, which is the kernel's first two values. */
  protected opened(_kernel: BaoKernel): void {}
  /** The offset in the content of the next byte to arrive. */
  protected abstract get position(): number;

  /** Begins with the root hash of the content. */
  protected begin(root: Uint8Array, selection: Selection): void {
    const { length } = selection;
    this.selection = selection;
    this.#expect(0, chunksIn(length), false, this.#order.root(groupsIn(length, this.group)), root, 0);
  }

  override end(): void {
    const { position } = this;
    this.dispose();
    if (this.need() !== undefined) throw this.error("truncated", position);
  }

  protected error(reason: IntegrityReason, offset: number): IntegrityError {
    return new IntegrityError(this.name, reason, offset);
  }

  /** The subtree that arrives next. */
  protected get next(): Subtree | undefined {
    return this.#pending.at(-1);
  }

  protected need(): number | undefined {
    const { next } = this;
    if (!next) return undefined;
    return this.isLeaf(next) ? this.bytesIn(next) : this.nodeSize;
  }

  /** Returns the length in bytes of the content of a subtree. */
  protected bytesIn({ chunk, count }: Subtree): number {
    const { length } = this.selection as Selection;
    return Math.min(count * CHUNK, length - chunk * CHUNK);
  }

  protected run(kernel: BaoKernel, size: number): number {
    let at = 0;
    for (let need = this.need(); need !== undefined; need = this.need()) {
      at += this.discard(size - at);
      // Nodes of an outboard are opened when content has come after them, or at the end: they need not be here before.
      if (need > size - at || (at === size && at > 0)) break;
      at += this.step(kernel, at, size - at);
    }
    return at;
  }

  /** Receives verified content, of a leaf or of several: outputs the wanted part. */
  protected accept(kernel: BaoKernel, { offset, length, at }: VerifiedContent): void {
    for (const { start, end } of (this.selection as Selection).within(offset, length)) {
      this.output(kernel.bytes.subarray(INPUT + at + start, INPUT + at + end));
    }
  }

  /** Takes the next subtree, or its root node. Returns the number of bytes taken. */
  protected step(kernel: BaoKernel, at: number, available: number): number {
    const next = this.#pending.pop() as Subtree;
    if (this.isLeaf(next)) return this.#takeLeaf(kernel, next, at);
    return this.takeTree(kernel, next, at, available) || this.#takeNode(kernel, next, at);
  }

  #takeLeaf(kernel: BaoKernel, leaf: Subtree, at: number): number {
    const length = this.bytesIn(leaf);
    const offset = leaf.chunk * CHUNK;
    kernel.subtree(at, length, leaf.chunk, leaf.root);
    if (!this.isExpected(kernel, 0)) throw this.error("bytes", offset);
    this.accept(kernel, { offset, length, at });
    return length;
  }

  #takeNode(kernel: BaoKernel, parent: Subtree, at: number): number {
    const { chunk, count, number, all } = parent;
    this.loadNode(kernel, parent, at);
    if (!this.isExpected(kernel, kernel.join(0, parent.root))) throw this.error("node", chunk * CHUNK);
    this.opened(kernel);
    const left = leftLeaves(count);
    const [first, rest] = [groupsIn(left * CHUNK, this.group), groupsIn((count - left) * CHUNK, this.group)];
    const { bytes } = kernel;
    this.#expect(chunk + left, count - left, all, this.#order.right(number, first, rest), bytes, VALUES + VALUE);
    this.#expect(chunk, left, all, this.#order.left(number, first, rest), bytes, VALUES);
    return this.nodeSize;
  }

  /** Whether the value at an index is the expected one of the subtree that was pending last. */
  protected isExpected(kernel: BaoKernel, index: number): boolean {
    return kernel.holds(this.#values, this.#pending.length * VALUE, index);
  }

  /** Expects a subtree, unless nothing of it is wanted, to have the value at an index of some bytes. */
  #expect(chunk: number, count: number, isWanted: boolean, number: number, bytes: Uint8Array, at: number): void {
    const selection = this.selection as Selection;
    const cover = isWanted ? "all" : selection.covers(chunk, count);
    if (cover === "none") return;
    const target = this.#pending.length * VALUE;
    for (let i = 0; i < VALUE; i++) this.#values[target + i] = bytes[at + i] as number;
    this.#pending.push({ chunk, count, root: count === chunksIn(selection.length), all: cover === "all", number });
  }
}
