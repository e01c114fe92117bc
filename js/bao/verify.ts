// A tree that is verified from its root down: says what comes next, and verifies it. Whoever has the bytes takes the
// steps.
import { CHUNK, chunksIn, groupsIn, leftLeaves } from "../tree/geometry.js";
import { type BaoFormat, otherGroups } from "./arguments.js";
import { IntegrityError, type IntegrityReason } from "./errors.js";
import type { BaoKernel } from "./kernel.js";
import { nodesLeftOf, type Order, PRE_ORDER } from "./order.js";
import type { Selection } from "./selection.js";

/** A subtree that comes next, or after others. */
export interface Subtree {
  /** Whether its root node comes next, and then its two halves, or all its content without nodes. */
  readonly kind: "node" | "leaf";
  /** Its content, in bytes. */
  readonly offset: number;
  readonly length: number;
  /** The number of nodes above it: 0 for the root. */
  readonly depth: number;
  /** Whether all of it is wanted. */
  readonly all: boolean;
  /** The chaining value that it must have, or the root hash, unless nothing is verified. */
  readonly value: Uint8Array | undefined;
}

/** Goes through the wanted subtrees of a tree in pre-order, without verifying them. */
export class Walk {
  readonly #pending: Subtree[] = [];
  readonly #selection: Selection;
  readonly #group: number;
  readonly #format: BaoFormat;

  /** @param format `"iroh"` takes groups apart of which a part is wanted */
  constructor(selection: Selection, group: number, format: BaoFormat = "bao", root?: Uint8Array) {
    this.#selection = selection;
    this.#group = group;
    this.#format = format;
    this.#expect(0, selection.length, 0, false, root);
  }

  get next(): Subtree | undefined {
    return this.#pending.at(-1);
  }

  /** Leaves the next subtree, of which everything has come. */
  pass(): void {
    this.#pending.pop();
  }

  /** Goes on to the wanted halves of the next subtree, after its node. */
  open(left?: Uint8Array, right?: Uint8Array): void {
    const { offset, length, depth, all } = this.#pending.pop() as Subtree;
    const half = leftLeaves(chunksIn(length)) * CHUNK;
    this.#expect(offset + half, length - half, depth + 1, all, right);
    this.#expect(offset, half, depth + 1, all, left);
  }

  #expect(offset: number, length: number, depth: number, isWanted: boolean, value: Uint8Array | undefined): void {
    const cover = isWanted ? "all" : this.#selection.covers(offset, length);
    if (cover === "none") return;
    const all = cover === "all";
    const most = all || this.#format === "bao" ? this.#group : CHUNK;
    this.#pending.push({ kind: length <= most ? "leaf" : "node", offset, length, depth, all, value });
  }
}

/** A tree, as far as it is known before anything of it has come. */
export interface TreeOptions {
  /** The call that errors name. */
  readonly name: string;
  readonly root: Uint8Array;
  /** Bytes in a group. */
  readonly group: number;
  /** The format of an encoding; undefined if nodes and content come apart. */
  readonly format: BaoFormat | undefined;
  /** Of nodes apart from content whose groups may have other lengths. Required: `Object.prototype` may have it. */
  readonly order: Order | undefined;
}

/** Verifies each node against its parent, and each leaf against the node over it. */
export class Verifier {
  readonly #tree: TreeOptions;
  readonly #walk: Walk;
  /** The length of the whole content. */
  readonly #length: number;
  /** The lengths of other groups in which all that is right so far is the same. */
  #others: number[];

  constructor(tree: TreeOptions, selection: Selection) {
    this.#tree = tree;
    this.#walk = new Walk(selection, tree.group, tree.format, tree.root);
    this.#length = selection.length;
    this.#others = tree.format || tree.order ? otherGroups(tree.group) : [];
  }

  /** What comes next; undefined after the last subtree. */
  get next(): Subtree | undefined {
    return this.#walk.next;
  }

  /**
   * Verifies the node that comes next, which is the kernel's first two values.
   *
   * @throws IntegrityError for another node
   */
  node(kernel: BaoKernel): void {
    if (!this.#isNext(kernel, kernel.join(0, this.#next.depth === 0))) throw this.error("node");
    this.#others = this.#others.filter((other) => this.#isSameIn(other));
    this.#walk.open(kernel.value(0), kernel.value(1));
  }

  /**
   * Verifies the leaf that comes next, whose content is at an offset of the kernel's input.
   *
   * @throws IntegrityError for other content
   */
  leaf(kernel: BaoKernel, at: number): void {
    const { offset, length, depth } = this.#next;
    kernel.subtree(at, length, offset / CHUNK, depth === 0);
    if (!this.#isNext(kernel, 0)) throw this.error("bytes");
    this.#others = this.#others.filter((other) => this.#isSameIn(other));
    this.#walk.pass();
  }

  /**
   * Verifies all of the subtree that comes next, whose nodes are right if the two values under its root are, which are
   * the kernel's first ones. Returns whether they are. If not, taking node by node finds what is wrong.
   */
  tree(kernel: BaoKernel): boolean {
    const { offset, length, depth } = this.#next;
    const { order, group } = this.#tree;
    if (!this.#isNext(kernel, kernel.join(0, depth === 0))) return false;
    // In smaller groups only the nodes over the first group are at the same places, and in pre-order alone.
    const isFirst = order === PRE_ORDER && offset === 0 && length <= 3 * group;
    this.#others = this.#others.filter((other) => isFirst && other < group);
    this.#walk.pass();
    return true;
  }

  /** Returns the error for what comes next. */
  error(reason: IntegrityReason): IntegrityError {
    const { name, group } = this.#tree;
    const isDoubtful = this.#others.some((other) => !this.#isSameIn(other) && this.#isThereIn(other));
    return new IntegrityError(name, reason, this.#next.offset, isDoubtful ? group : undefined);
  }

  /** Whether what comes next is the same, and at the same place, in groups of another length. */
  #isSameIn(other: number): boolean {
    const { format, order, group } = this.#tree;
    const { kind, length, all } = this.#next;
    const isNode = kind === "node";
    // Parts of a group that iroh takes apart are the same in groups of any length.
    if (!order) return (!all && format === "iroh") || isNode === length > other;
    return !isNode || (length > other && this.#numberIn(order, other) === this.#numberIn(order, group));
  }

  /** Whether there is something else in groups of another length where what comes next is. */
  #isThereIn(other: number): boolean {
    const { order, group } = this.#tree;
    return !order || this.#numberIn(order, group) < groupsIn(this.#length, other) - 1;
  }

  #numberIn(order: Order, group: number): number {
    const { offset, length, depth } = this.#next;
    return order.number(nodesLeftOf(offset / group), groupsIn(length, group), depth);
  }

  get #next(): Subtree {
    return this.#walk.next as Subtree;
  }

  /** Whether a value of the kernel is the one that comes next. */
  #isNext(kernel: BaoKernel, index: number): boolean {
    return kernel.holds(index, this.#next.value as Uint8Array);
  }
}
