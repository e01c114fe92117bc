// Verifies content that arrives as plain bytes, group by group, with the nodes of an outboard.
import { CHUNK, groupsIn } from "../tree/geometry.js";
import { PIECE } from "../tree/kernel.js";
import { eachNode, nodesBefore } from "./format.js";
import type { BaoKernel } from "./kernel.js";
import type { Outboard } from "./outboard.js";
import type { Selection } from "./ranges.js";
import { type Subtree, TreeVerifier, type VerifiedContent } from "./verifier.js";

/** Where the bytes are in the content. */
export interface Bounds {
  /** The offset of the first byte to arrive. */
  readonly position: number;
  /** The offset at which they must end; bytes after the selection's last group are ignored. */
  readonly end: number;
}

/** Verifies the groups of a selection, in order, and outputs the wanted part. */
export class ContentVerifier extends TreeVerifier {
  protected readonly nodeSize = 0;
  protected position: number;
  readonly #outboard: Outboard;
  readonly #end: number;

  constructor(
    name: string,
    outboard: Outboard,
    selection: Selection,
    { position, end }: Bounds,
    passesOn: "copies" | "views",
    give: (bytes: Uint8Array<ArrayBuffer>) => void,
  ) {
    super(name, outboard.group, outboard.order, passesOn, give);
    this.#outboard = outboard;
    this.position = position;
    this.#end = end;
    this.begin(outboard.root, selection);
  }

  /** Receives the verified content of several groups. The kernel has the values of all levels, as `fold` leaves them. */
  protected acceptTree(kernel: BaoKernel, content: VerifiedContent): void {
    this.accept(kernel, content);
  }

  override end(): void {
    this.push(new Uint8Array());
    super.end();
  }

  protected isLeaf({ count }: Subtree): boolean {
    return count * CHUNK <= this.group;
  }

  /** Returns how many of the available bytes come before the next wanted ones. */
  protected discard(count: number): number {
    const { next } = this;
    if (!next || !this.isLeaf(next)) return 0;
    const missing = Math.min(count, Math.max(0, next.chunk * CHUNK - this.position));
    this.position += missing;
    return missing;
  }

  protected surplus(count: number): void {
    this.position += count;
    if (this.position > this.#end) throw this.error("trailing", this.#end);
  }

  protected loadNode(kernel: BaoKernel, { number }: Subtree): void {
    kernel.putValues(this.#outboard.node(this.name, number), 0);
  }

  protected override accept(kernel: BaoKernel, content: VerifiedContent): void {
    this.position += content.length;
    super.accept(kernel, content);
  }

  protected takeTree(kernel: BaoKernel, tree: Subtree, at: number, available: number): number {
    const length = this.bytesIn(tree);
    const offset = tree.chunk * CHUNK;
    if (!tree.all || this.position !== offset || length > Math.min(available, PIECE)) return 0;
    kernel.groups(at, length, this.group, tree.chunk);
    const groups = groupsIn(length, this.group);
    const root = kernel.join(kernel.fold(groups), tree.root);
    if (!this.isExpected(kernel, root) || !this.#hasNodes(kernel, groups, tree.number)) return 0;
    this.acceptTree(kernel, { offset, length, at });
    return length;
  }

  /** Whether the outboard has the nodes of a folded tree. */
  #hasNodes(kernel: BaoKernel, groups: number, number: number): boolean {
    const { order } = this.#outboard;
    const first = order.first(number, groups);
    let all = true;
    eachNode(groups, nodesBefore(groups), (address, before, leaf, under) => {
      all = this.#outboard.hasNode(order.within(first, before, leaf, under), kernel.words, address / 4) && all;
    });
    return all;
  }
}
