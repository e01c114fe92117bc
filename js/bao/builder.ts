// Builds an outboard from content that arrives in pieces. The nodes are in post-order, so that none moves as more arrive.

import { viewOf } from "../input/caller-bytes.js";
import { utf8 } from "../input/utf8.js";
import { CHUNK, chunksIn, groupsIn, leftLeaves, NODE, SubtreeStack, VALUE } from "../tree/geometry.js";
import { MAX_VALUES, PIECE } from "../tree/kernel.js";
import { type BaoKernel, compute, wipeKernel } from "./kernel.js";
import { POST_ORDER } from "./order.js";
import { Outboard } from "./outboard.js";

/** Has the interface of a hasher, so that everything that hashes a source can build its outboard. */
export class OutboardBuilder {
  readonly #group: number;
  /** Bytes that have not been hashed yet. The last bytes always wait here, since they may complete the root. */
  #rest = new Uint8Array();
  #filled = 0;
  #hashed = 0;
  #nodes: Nodes;
  readonly #subtrees = new SubtreeStack((left, right, length) => this.#merge(left, right, length, false));

  /** @param length of the content, if it is known: memory for all nodes is then allocated at once */
  constructor(group: number, length?: number) {
    this.#group = group;
    this.#nodes = new Nodes(length === undefined ? 0 : groupsIn(length, group) - 1);
  }

  get digestLength(): number {
    return VALUE;
  }

  get bytesHashed(): bigint {
    return BigInt(this.#hashed + this.#filled);
  }

  update(input: Uint8Array | string): this {
    const bytes = typeof input === "string" ? utf8().encode(input) : viewOf(input);
    if (this.#rest.length === 0) this.#rest = new Uint8Array(PIECE);
    this.#fill(bytes, this.#takeWhole(bytes));
    wipeKernel();
    return this;
  }

  /** Takes all content at once, so that the last piece is copied only once. The builder cannot be used again. */
  digestOf(bytes: Uint8Array): Outboard {
    return this.#finish(bytes.subarray(this.#takeWhole(bytes)));
  }

  /** Takes the chaining values of all content at once: of its groups, or of parts of them of `unit` bytes. */
  digestOfValues(values: Uint8Array, unit: number, length: number): Outboard {
    for (let at = 0; at < values.length; at += MAX_VALUES * VALUE) {
      const size = Math.min(MAX_VALUES * unit, length - this.#hashed);
      const some = values.subarray(at, at + MAX_VALUES * VALUE);
      this.#subtrees.push(size, () => this.#mergeRun(some, unit, size, size === length));
      this.#hashed += size;
    }
    return this.#end(length);
  }

  #mergeRun(values: Uint8Array, unit: number, length: number, root: boolean): Uint8Array {
    return compute((kernel) => {
      let count = values.length / VALUE;
      kernel.putValues(values, 0);
      for (let size = unit; size < this.#group && count > 2; size *= 2) {
        kernel.level(0, count, 0);
        count = Math.ceil(count / 2);
      }
      return this.#fold(kernel, count, length, root);
    });
  }

  /** Hashes pieces as long as more bytes follow them. Returns the number of bytes hashed. */
  #takeWhole(bytes: Uint8Array): number {
    let at = 0;
    while (this.#filled + bytes.length - at > PIECE) {
      if (this.#filled === 0) {
        this.#take(new Uint8Array(bytes.buffer, bytes.byteOffset + at, PIECE));
        at += PIECE;
      } else {
        at += this.#fill(bytes, at);
        this.#filled = 0;
        this.#take(this.#rest);
      }
    }
    return at;
  }

  /** Completes the waiting piece. Returns the number of bytes taken. */
  #fill(bytes: Uint8Array, at: number): number {
    const count = Math.min(PIECE - this.#filled, bytes.length - at);
    this.#rest.set(new Uint8Array(bytes.buffer, bytes.byteOffset + at, count), this.#filled);
    this.#filled += count;
    return count;
  }

  /** Hashes a whole piece that is not the last one. */
  #take(piece: Uint8Array): void {
    this.#subtrees.push(PIECE, () => this.#hash(piece, false));
    this.#hashed += PIECE;
  }

  /** Returns the chaining value of a piece, and stores the nodes below it. */
  #hash(piece: Uint8Array, root: boolean): Uint8Array {
    const { length } = piece;
    return compute((kernel) => {
      kernel.put(piece);
      // At least two groups, since a node is computed from two values.
      const group = Math.min(this.#group, leftLeaves(Math.max(2, chunksIn(length))) * CHUNK);
      if (length > CHUNK) kernel.groups(0, length, group, this.#hashed / CHUNK);
      else kernel.subtree(0, length, this.#hashed / CHUNK, root);
      return this.#fold(kernel, groupsIn(length, group), length, root);
    });
  }

  #merge(left: Uint8Array, right: Uint8Array, length: number, root: boolean): Uint8Array {
    return compute((kernel) => {
      kernel.putValues(left, 0);
      kernel.putValues(right, 1);
      return this.#fold(kernel, 2, length, root);
    });
  }

  /** Returns the chaining value over the kernel's first `count` values, of `length` bytes, and stores the nodes over groups. */
  #fold(kernel: BaoKernel, count: number, length: number, root: boolean): Uint8Array {
    if (length > this.#group) this.#nodes.add(kernel, count);
    return kernel.value(count > 1 ? kernel.join(0, root) : 0);
  }

  /** Ends the content. The builder cannot be used again, but holds the last bytes until it is disposed of. */
  digest(): Outboard {
    return this.#finish(this.#rest.subarray(0, this.#filled));
  }

  #finish(last: Uint8Array): Outboard {
    this.#subtrees.push(last.length, () => this.#hash(last, this.#hashed === 0));
    return this.#end(this.#hashed + last.length);
  }

  #end(length: number): Outboard {
    const [left, right] = this.#subtrees.finish() as [Uint8Array, Uint8Array?];
    const root = (right ? this.#merge(left, right, length, true) : left) as Uint8Array<ArrayBuffer>;
    wipeKernel();
    return Outboard.of({ root, length, group: this.#group }, POST_ORDER, this.#nodes.take());
  }

  /** Wipes the content that is still held. */
  dispose(): void {
    this.#rest.fill(0);
    this.#subtrees.clear();
    this.#nodes = new Nodes(0);
  }
}

/** Nodes in post-order, in an array that grows. */
class Nodes {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity * NODE);
  }

  /** Appends the nodes over the kernel's first `leaves` values, at least two, and puts the root's two values first. */
  add(kernel: BaoKernel, leaves: number): void {
    const nodes = kernel.collect(leaves);
    const end = this.#length + nodes.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.#bytes.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(nodes, this.#length);
    this.#length = end;
  }

  /** Returns the nodes' bytes: the array itself, or a copy if it has room to spare. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#length);
  }
}
