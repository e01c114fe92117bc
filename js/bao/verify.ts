// A tree that is verified from its root down: says what comes next, and verifies it. Whoever has the bytes takes the
// steps.
import { CHUNK, chunksIn, leftLeaves } from "../tree/geometry.js";
import type { BaoFormat } from "./arguments.js";
import { IntegrityError, type IntegrityReason } from "./errors.js";
import type { BaoKernel } from "./kernel.js";
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
  /** Whether nothing but the caller says how long groups are. */
  readonly isGroupGuess: boolean;
}

/** Verifies each node against its parent, and each leaf against the node over it. */
export class Verifier {
  readonly #tree: TreeOptions;
  readonly #walk: Walk;
  /** Whether a wrong length of groups may be the reason of an error: until content after the first two groups is right. */
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
    if (!this.#isNext(kernel, kernel.join(0, this.#next.depth === 0))) throw this.error("node");
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
    if (offset > this.#tree.group) this.#isGroupDoubtful = false;
    this.#walk.pass();
  }

  /** Returns the error for what comes next. */
  error(reason: IntegrityReason): IntegrityError {
    const { name, group } = this.#tree;
    return new IntegrityError(name, reason, this.#next.offset, this.#isGroupDoubtful ? group : undefined);
  }

  get #next(): Subtree {
    return this.#walk.next as Subtree;
  }

  /** Whether a value of the kernel is the one that comes next. */
  #isNext(kernel: BaoKernel, index: number): boolean {
    return kernel.holds(index, this.#next.value as Uint8Array);
  }
}
