// Verifies content that arrives as plain bytes, group by group, with the nodes of an outboard.
import { CHUNK, chunksIn, groupsIn, leftLeaves, NODE, VALUE } from "../tree/geometry.js";
import { PIECE } from "../tree/kernel.js";
import { IntegrityError } from "./errors.js";
import type { BaoKernel } from "./kernel.js";
import { eachNode, foldLevels, nodesBefore } from "./levels.js";
import { Machine, type Outlet } from "./machine.js";
import type { Outboard } from "./outboard.js";
import type { Selection } from "./ranges.js";

/** A subtree of whole groups. The last group of a message may be short. */
export interface GroupTree {
  /** The first group, and the number of groups. */
  readonly at: number;
  readonly groups: number;
  /** The number of its root node in the outboard's order, if it has several groups. */
  readonly number: number;
  /** Its expected chaining value. */
  readonly value: Uint8Array;
  readonly root: boolean;
}

/** Receives what has been verified, and passes on the wanted part of it. */
export interface Output {
  /** Whether the output may be views of the chunks that were written. */
  readonly passesOn: "copies" | "views";
  /** Receives a verified node. */
  node(outlet: Outlet, node: Uint8Array): void;
  /**
   * Receives verified content, which is at an address in the kernel's memory. If it has several groups, the values of all
   * levels are there as well, as `foldLevels` leaves them.
   */
  content(outlet: Outlet, kernel: BaoKernel, content: VerifiedContent): void;
}

/** The content of one group, or of a subtree of several. */
export interface VerifiedContent {
  readonly groups: number;
  /** Its offset in the whole content. */
  readonly offset: number;
  readonly length: number;
  /** Its offset in the kernel's input area. */
  readonly at: number;
}

/** Verifies the groups of a selection, in order. */
export class ContentVerifier extends Machine {
  readonly #name: string;
  readonly #outboard: Outboard;
  readonly #selection: Selection;
  readonly #output: Output;
  readonly #pending: GroupTree[] = [];
  /** The offset in the content of the next byte to arrive. */
  #position: number;
  /** The offset at which the arriving bytes must end at the latest. */
  readonly #end: number;

  /**
   * @param position the offset in the content of the first byte to arrive
   * @param end the offset at which they must end; bytes after the selection's last group are ignored
   */
  constructor(
    name: string,
    outboard: Outboard,
    selection: Selection,
    output: Output,
    bounds: { readonly position: number; readonly end: number },
    give: (bytes: Uint8Array<ArrayBuffer>) => void,
  ) {
    super(give, output.passesOn);
    this.#name = name;
    this.#outboard = outboard;
    this.#selection = selection;
    this.#output = output;
    this.#position = bounds.position;
    this.#end = bounds.end;
    const groups = groupsIn(outboard.length, outboard.group);
    this.#pending.push({ at: 0, groups, number: outboard.order.root(groups), value: outboard.root, root: true });
  }

  /** Ends the content. */
  end(): void {
    this.push(new Uint8Array());
    this.dispose();
    if (this.need() !== undefined) throw new IntegrityError(this.#name, "truncated", this.#position);
  }

  protected need(): number | undefined {
    const next = this.#pending.at(-1);
    if (!next) return undefined;
    return next.groups > 1 ? 0 : this.#bytesIn(next);
  }

  /** Returns how many of the available bytes come before the next wanted ones. */
  protected discard(count: number): number {
    const next = this.#pending.at(-1);
    if (!next || next.groups > 1) return 0;
    const missing = Math.min(count, Math.max(0, next.at * this.#outboard.group - this.#position));
    this.#position += missing;
    return missing;
  }

  protected surplus(count: number): void {
    this.#position += count;
    if (this.#position > this.#end) throw new IntegrityError(this.#name, "trailing", this.#end);
  }

  /** Returns the length in bytes of the content of a subtree. */
  #bytesIn({ at, groups }: GroupTree): number {
    const { length, group } = this.#outboard;
    return Math.min(groups * group, length - at * group);
  }

  protected run(kernel: BaoKernel, size: number): number {
    let at = 0;
    for (let need = this.need(); need !== undefined; need = this.need()) {
      at += this.discard(size - at);
      // Nodes are opened when content has come after them, or at the end: they need not be here before.
      if (need > size - at || (at === size && at > 0)) break;
      at += this.#step(kernel, at, size - at);
    }
    return at;
  }

  #step(kernel: BaoKernel, at: number, available: number): number {
    const next = this.#pending.pop() as GroupTree;
    const length = this.#bytesIn(next);
    const offset = next.at * this.#outboard.group;
    const here = this.#position === offset;
    if (next.groups === 1) this.#takeGroup(kernel, next, at, length);
    else if (!here || length > available || !this.#takeTree(kernel, next, at, length)) return this.#open(kernel, next);
    this.#output.content(this.outlet, kernel, { groups: next.groups, offset, length, at });
    this.#position += length;
    return length;
  }

  #takeGroup(kernel: BaoKernel, tree: GroupTree, at: number, length: number): void {
    const offset = tree.at * this.#outboard.group;
    kernel.subtree(at, length, offset / CHUNK, tree.root);
    if (!kernel.holds(tree.value)) throw new IntegrityError(this.#name, "bytes", offset);
  }

  /**
   * Verifies a subtree of several groups at once, if all of it is wanted and correct, and so are its nodes: whether a wrong
   * one is noticed must not depend on the sizes of chunks.
   */
  #takeTree(kernel: BaoKernel, tree: GroupTree, at: number, length: number): boolean {
    const { group } = this.#outboard;
    const chunk = (tree.at * group) / CHUNK;
    if (length > PIECE) return false;
    if (this.#selection.covers(chunk, chunksIn(length)) !== "all") return false;
    kernel.groups(at, length, group, chunk);
    const top = foldLevels(kernel, tree.groups);
    // The two values under the root stay in place: they are its node.
    kernel.copyValues(top, 2, top + 2);
    kernel.join(top + 2, tree.root);
    return kernel.holds(tree.value, 0, top + 2) && this.#hasNodes(kernel, tree);
  }

  /** Whether the outboard has the nodes of a folded tree. */
  #hasNodes(kernel: BaoKernel, { groups, number }: GroupTree): boolean {
    const outboard = this.#outboard;
    const { order } = outboard;
    const first = order.first(number, groups);
    let all = true;
    eachNode(groups, nodesBefore(groups), (address, before, leaf, under) => {
      all = outboard.hasNode(order.within(first, before, leaf, under), kernel.words, address / 4) && all;
    });
    return all;
  }

  /** Verifies a node, and continues with its wanted subtrees. */
  #open(kernel: BaoKernel, { at, groups, number, value, root }: GroupTree): number {
    const { group } = this.#outboard;
    const { order } = this.#outboard;
    const node = this.#outboard.node(this.#name, number);
    kernel.putValues(node, 0);
    kernel.join(0, root);
    if (!kernel.holds(value)) throw new IntegrityError(this.#name, "node", at * group);
    this.#output.node(this.outlet, node);
    const left = leftLeaves(groups);
    const rest = groups - left;
    this.#expect(at + left, rest, order.right(number, left, rest), node.subarray(VALUE, NODE));
    this.#expect(at, left, order.left(number, left, rest), node.subarray(0, VALUE));
    return 0;
  }

  #expect(at: number, groups: number, number: number, value: Uint8Array): void {
    const chunks = this.#outboard.group / CHUNK;
    if (this.#selection.covers(at * chunks, groups * chunks) === "none") return;
    this.#pending.push({ at, groups, number, value, root: false });
  }
}
