// Verifies content that comes as plain bytes, group by group, with an outboard's nodes.
import { IntegrityError } from "./errors.js";
import { compute, PIECE, type TreeKernel, wipeKernel } from "./kernel.js";
import { foldLevels, MAX_LEAVES } from "./kernel-tree.js";
import { Machine } from "./machine.js";
import type { Outboard } from "./outboard.js";
import type { Selection } from "./ranges.js";
import { CHUNK, chunksIn, groupsIn, leftLeaves, NODE, POST_ORDER, VALUE } from "./tree.js";

/** A subtree of whole groups; the last group of a message may be short. */
export interface GroupTree {
  /** Its first group, and how many there are. */
  readonly at: number;
  readonly groups: number;
  /** Its root node in the outboard's order, where there are several groups. */
  readonly number: number;
  /** What it must hash to. */
  readonly value: Uint8Array;
  readonly root: boolean;
}

/** Where what has been verified goes. */
export interface Sink {
  node(node: Uint8Array): void;
  /**
   * Makes of verified content what goes out. The content is in the kernel's input area; of several groups, the levels'
   * values are there too, as `foldLevels` leaves them.
   */
  read(kernel: TreeKernel, tree: GroupTree, offset: number, length: number): Uint8Array<ArrayBuffer>;
  /** Lets it go out. */
  give(bytes: Uint8Array<ArrayBuffer>, offset: number, length: number): void;
}

/** The groups of a selection, in their order. */
export class ContentVerifier extends Machine {
  readonly #name: string;
  readonly #outboard: Outboard;
  readonly #selection: Selection;
  readonly #sink: Sink;
  readonly #pending: GroupTree[] = [];
  /** Where in the content the next byte to come is. */
  #position: number;
  /** Where the last byte may be that comes. */
  readonly #end: number;

  /**
   * @param position the first byte that comes
   * @param end where the bytes that come have to end: all that follow the selection's last group are left alone
   */
  constructor(name: string, outboard: Outboard, selection: Selection, sink: Sink, position: number, end: number) {
    super();
    this.#name = name;
    this.#outboard = outboard;
    this.#selection = selection;
    this.#sink = sink;
    this.#position = position;
    this.#end = end;
    const groups = groupsIn(outboard.length, outboard.group);
    const number = POST_ORDER.root(groups);
    this.#pending.push({ at: 0, groups, number, value: outboard.root, root: true });
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
    this.push(new Uint8Array());
    const next = this.#pending.at(-1);
    if (next)
      throw new IntegrityError(this.#name, "truncated", Math.max(this.#position, next.at * this.#outboard.group));
  }

  protected need(): number | undefined {
    const next = this.#pending.at(-1);
    if (!next) return undefined;
    if (next.groups > 1) return 0;
    const missing = next.at * this.#outboard.group - this.#position;
    return missing > 0 ? 1 : this.#bytesIn(next);
  }

  protected surplus(count: number): void {
    this.#position += count;
    if (this.#position > this.#end) throw new IntegrityError(this.#name, "trailing", this.#end);
  }

  /** Bytes of content in a subtree. */
  #bytesIn({ at, groups }: GroupTree): number {
    const { length, group } = this.#outboard;
    return Math.min(groups * group, length - at * group);
  }

  protected step(window: Uint8Array): number {
    const next = this.#pending.pop() as GroupTree;
    const missing = next.at * this.#outboard.group - this.#position;
    if (missing > 0 && next.groups === 1) {
      this.#pending.push(next);
      return this.#advance(Math.min(missing, window.length));
    }
    if (next.groups === 1) return this.#takeGroup(next, window);
    if (missing <= 0 && this.#takeTree(next, window)) return this.#advance(this.#bytesIn(next));
    this.#open(next);
    return 0;
  }

  #advance(count: number): number {
    this.#position += count;
    return count;
  }

  #takeGroup(tree: GroupTree, window: Uint8Array): number {
    const { group } = this.#outboard;
    const size = this.#bytesIn(tree);
    const offset = tree.at * group;
    const bytes = compute((kernel) => {
      kernel.put(window.subarray(0, size));
      kernel.subtree(0, size, offset / CHUNK, tree.root);
      return kernel.holds(tree.value) ? this.#sink.read(kernel, tree, offset, size) : undefined;
    });
    if (!bytes) throw new IntegrityError(this.#name, "bytes", offset);
    this.#sink.give(bytes, offset, size);
    return this.#advance(size);
  }

  /** Takes a subtree of several groups at once, where all of it is wanted, at hand and right. */
  #takeTree(tree: GroupTree, window: Uint8Array): boolean {
    const { group } = this.#outboard;
    const size = this.#bytesIn(tree);
    const offset = tree.at * group;
    if (size > PIECE || size > window.length || tree.groups > MAX_LEAVES) return false;
    if (this.#selection.covers(offset / CHUNK, chunksIn(size)) !== "all") return false;
    const bytes = compute((kernel) => {
      kernel.put(window.subarray(0, size));
      kernel.groups(0, size, group, offset / CHUNK);
      const top = foldLevels(kernel, tree.groups);
      // The two values under the root stay: they are its node.
      kernel.copyValues(top, 2, top + 2);
      kernel.join(top + 2, tree.root);
      return kernel.holds(tree.value, top + 2) ? this.#sink.read(kernel, tree, offset, size) : undefined;
    });
    if (bytes) this.#sink.give(bytes, offset, size);
    return bytes !== undefined;
  }

  /** Verifies a node, and goes on with those of its subtrees that are wanted. */
  #open({ at, groups, number, value, root }: GroupTree): void {
    const { group } = this.#outboard;
    const node = this.#outboard.node(this.#name, number);
    const right = compute((kernel) => {
      kernel.putValues(node, 0);
      kernel.join(0, root);
      return kernel.holds(value);
    });
    if (!right) throw new IntegrityError(this.#name, "node", at * group);
    this.#sink.node(node);
    const left = leftLeaves(groups);
    const rest = groups - left;
    this.#expect(at + left, rest, POST_ORDER.right(number, left, rest), node.subarray(VALUE, NODE));
    this.#expect(at, left, POST_ORDER.left(number, left, rest), node.subarray(0, VALUE));
  }

  #expect(at: number, groups: number, number: number, value: Uint8Array): void {
    const chunks = this.#outboard.group / CHUNK;
    if (this.#selection.covers(at * chunks, groups * chunks) === "none") return;
    this.#pending.push({ at, groups, number, value, root: false });
  }
}
