// Goes through a tree from its root down, and verifies it. The caller reads the bytes.
import { sameBytes } from "../input/text.js";
import { CHUNK, chunksIn, leftLeaves, VALUE } from "../tree/geometry.js";
import type { BaoFormat } from "./arguments.js";
import { IntegrityError, type IntegrityReason } from "./errors.js";
import type { BaoKernel } from "./kernel.js";
import type { Selection } from "./selection.js";

/** A subtree that is still to come. */
export interface Subtree {
  /** `"node"`: its root node comes, then its halves. `"leaf"`: its content comes, without nodes. */
  readonly kind: "node" | "leaf";
  /** Its content, in bytes. */
  readonly offset: number;
  readonly length: number;
  /** The number of nodes above it: 0 for the root. */
  readonly depth: number;
  readonly isWhollyWanted: boolean;
  /** The chaining value, or root hash, that it must have; undefined if nothing is verified. */
  readonly value: Uint8Array | undefined;
}

/** Goes through the wanted subtrees of a tree in pre-order, without verifying them. */
export class Walk {
  readonly #pending: Subtree[] = [];
  readonly #selection: Selection;
  readonly #group: number;
  readonly #format: BaoFormat;

  /** @param format `"iroh"` splits groups of which only a part is wanted */
  constructor(selection: Selection, group: number, format: BaoFormat = "bao", root?: Uint8Array) {
    this.#selection = selection;
    this.#group = group;
    this.#format = format;
    this.#expect(0, selection.length, 0, false, root);
  }

  get next(): Subtree | undefined {
    return this.#pending.at(-1);
  }

  /** Goes on to what comes after the next subtree. */
  skip(): void {
    this.#pending.pop();
  }

  /** Goes on to the wanted halves of the next subtree, after its node. */
  descend(left?: Uint8Array, right?: Uint8Array): void {
    const { offset, length, depth, isWhollyWanted } = this.#pending.pop() as Subtree;
    const half = leftLeaves(chunksIn(length)) * CHUNK;
    this.#expect(offset + half, length - half, depth + 1, isWhollyWanted, right);
    this.#expect(offset, half, depth + 1, isWhollyWanted, left);
  }

  #expect(offset: number, length: number, depth: number, isWanted: boolean, value: Uint8Array | undefined): void {
    const cover = isWanted ? "all" : this.#selection.covers(offset, length);
    if (cover === "none") return;
    const isWhollyWanted = cover === "all";
    const leaf = isWhollyWanted || this.#format === "bao" ? this.#group : CHUNK;
    const kind = length <= leaf ? "leaf" : "node";
    this.#pending.push({ kind, offset, length, depth, isWhollyWanted, value });
  }
}

/** What is known of a tree before its bytes arrive. */
export interface TreeOptions {
  /** The call that errors name. */
  readonly name: string;
  readonly root: Uint8Array;
  /** Bytes in a group. */
  readonly group: number;
  /** The format of an encoding; undefined if nodes and content come apart. */
  readonly format: BaoFormat | undefined;
  /** Whether only the caller says how long groups are. */
  readonly isGroupGuess: boolean;
}

/** Verifies each node against its parent, and each leaf against the node over it. */
export class Verifier {
  readonly #tree: TreeOptions;
  readonly #walk: Walk;
  /** Whether the caller's group length may be wrong: until content after the first two groups has been verified. */
  #isGroupDoubtful: boolean;

  constructor(tree: TreeOptions, selection: Selection) {
    this.#tree = tree;
    this.#walk = new Walk(selection, tree.group, tree.format, tree.root);
    this.#isGroupDoubtful = tree.isGroupGuess && selection.length > CHUNK;
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
    if (!this.#isNext(kernel.parent(this.#next.depth === 0))) throw this.error("node");
    const node = kernel.values(0, 2).slice();
    this.#walk.descend(node.subarray(0, VALUE), node.subarray(VALUE));
  }

  /**
   * Verifies the leaf that comes next, whose content is at an offset of the kernel's input.
   *
   * @throws IntegrityError for other content
   */
  leaf(kernel: BaoKernel, at: number): void {
    const { offset, length, depth } = this.#next;
    kernel.subtree(at, length, offset / CHUNK, depth === 0);
    if (!this.#isNext(kernel.values(0, 1))) throw this.error("bytes");
    if (offset > this.#tree.group) this.#isGroupDoubtful = false;
    this.#walk.skip();
  }

  /** Returns the error for what comes next. */
  error(reason: IntegrityReason): IntegrityError {
    const { name, group } = this.#tree;
    return new IntegrityError(name, reason, this.#next.offset, this.#isGroupDoubtful ? group : undefined);
  }

  get #next(): Subtree {
    return this.#walk.next as Subtree;
  }

  #isNext(value: Uint8Array): boolean {
    return sameBytes(value, this.#next.value as Uint8Array, VALUE);
  }
}
