// Builds outboards from content that arrives in pieces, or from the chaining values of its groups.
import { concatBytes, viewOf } from "../input/caller-bytes.js";
import { encodeText } from "../input/utf8.js";
import { CHUNK, chunksIn, groupsIn, leftLeaves, NODE, VALUE } from "../tree/geometry.js";
import { MAX_VALUES, PIECE } from "../tree/kernel.js";
import { type BaoKernel, compute, wipeKernel } from "./kernel.js";
import { nodesLeftOf, POST_ORDER } from "./order.js";
import { Outboard } from "./outboard.js";
import type { TreeShape } from "./range.js";

const NONE = /* @__PURE__ */ new Uint8Array();

/**
 * Keeps the chaining values of the groups of content, and makes the nodes of them at its end. It has the interface of a
 * hasher, so that everything that hashes a source can build its outboard.
 */
export class OutboardBuilder {
  readonly #group: number;
  /** Bytes for each value: a group, or a part of one that is larger than a piece. */
  readonly #unit: number;
  /** Bytes that have not been hashed yet. The last bytes always wait here: they are the root if there are no others. */
  #rest: Uint8Array<ArrayBuffer> = NONE;
  #filled = 0;
  #hashed = 0;
  /** The chaining values, in an array that grows. */
  #values: Uint8Array<ArrayBuffer> = NONE;

  /** @param length of the content, if it is known: memory for all values is then allocated at once */
  constructor(group: number, length = 0) {
    this.#group = group;
    this.#unit = Math.min(group, PIECE);
    if (length > PIECE) this.#values = new Uint8Array(groupsIn(length, this.#unit) * VALUE);
  }

  get digestLength(): number {
    return VALUE;
  }

  get bytesHashed(): bigint {
    return BigInt(this.#hashed + this.#filled);
  }

  update(input: Uint8Array | string): this {
    const bytes = typeof input === "string" ? encodeText(input) : viewOf(input);
    if (this.#rest.length === 0) this.#rest = new Uint8Array(PIECE);
    this.#fill(bytes, this.#hashWhole(bytes));
    wipeKernel();
    return this;
  }

  /** Ends the content. The builder cannot be used again, but holds the last bytes until it is disposed of. */
  digest(): Outboard {
    return this.#finish(this.#rest.subarray(0, this.#filled));
  }

  /** Returns the outboard of all content at once, without a copy of the last piece. The builder cannot be used again. */
  digestOf(bytes: Uint8Array): Outboard {
    return this.#finish(bytes.subarray(this.#hashWhole(bytes)));
  }

  #finish(last: Uint8Array): Outboard {
    if (this.#hashed === 0) {
      const shape = { length: last.length, group: this.#group };
      return fromRuns(shape, this.#unit, (kernel) => this.#putValues(kernel, last, last.length <= this.#unit));
    }
    this.#hashPiece(last);
    return outboardOfValues(this.#values, this.#unit, { length: this.#hashed, group: this.#group });
  }

  /** Hashes pieces as long as more bytes follow them. Returns the number of bytes hashed. */
  #hashWhole(bytes: Uint8Array): number {
    let at = 0;
    while (this.#filled + bytes.length - at > PIECE) {
      if (this.#filled === 0) {
        this.#hashPiece(bytes.subarray(at, at + PIECE));
        at += PIECE;
      } else {
        at += this.#fill(bytes, at);
        this.#filled = 0;
        this.#hashPiece(this.#rest);
      }
    }
    return at;
  }

  /** Adds bytes to the waiting piece, up to its end. Returns their number. */
  #fill(bytes: Uint8Array, at: number): number {
    const count = Math.min(PIECE - this.#filled, bytes.length - at);
    this.#rest.set(bytes.subarray(at, at + count), this.#filled);
    this.#filled += count;
    return count;
  }

  /** Adds the values of a piece. */
  #hashPiece(piece: Uint8Array): void {
    const at = (this.#hashed / this.#unit) * VALUE;
    const end = at + groupsIn(piece.length, this.#unit) * VALUE;
    if (end > this.#values.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.#values.length));
      larger.set(this.#values);
      this.#values = larger;
    }
    compute((kernel) => {
      const count = this.#putValues(kernel, piece, false);
      this.#values.set(kernel.values(0, count), at);
    });
    this.#hashed += piece.length;
  }

  /** Computes the kernel's first values from a piece, or the root of content that is one unit. Returns how many. */
  #putValues(kernel: BaoKernel, piece: Uint8Array, isRoot: boolean): number {
    kernel.put(piece);
    if (isRoot) kernel.subtree(0, piece.length, 0, true);
    else kernel.groups(0, piece.length, this.#unit, this.#hashed / CHUNK);
    return groupsIn(piece.length, this.#unit);
  }

  /** Wipes the content that is still held. */
  dispose(): void {
    this.#rest.fill(0);
    this.#filled = this.#hashed = 0;
  }
}

/** Makes an outboard of the chaining values of groups, or of parts of `unit` bytes. A single value is the root. */
export function outboardOfValues(values: Uint8Array, unit: number, shape: TreeShape): Outboard {
  return fromRuns(shape, unit, (kernel, at, size) => {
    const first = (at / unit) * VALUE;
    const count = groupsIn(size, unit);
    kernel.putValues(values.subarray(first, first + count * VALUE), 0);
    return count;
  });
}

/** Makes an outboard of runs of values, which `put` stores as the kernel's first ones. It returns how many. */
function fromRuns(
  { length, group }: TreeShape,
  unit: number,
  put: (kernel: BaoKernel, at: number, size: number) => number,
): Outboard {
  const nodes = new Uint8Array((groupsIn(length, group) - 1) * NODE);
  /** Returns the chaining value of the subtree of `size` bytes at an offset, and stores the nodes under it. */
  const subtree = (at: number, size: number): Uint8Array<ArrayBuffer> => {
    const half = size > MAX_VALUES * unit ? leftLeaves(chunksIn(size)) * CHUNK : 0;
    const pair = half > 0 && concatBytes([subtree(at, half), subtree(at + half, size - half)]);
    return compute((kernel) => {
      if (pair) kernel.putValues(pair, 0);
      let count = pair ? 2 : put(kernel, at, size);
      for (let part = unit; part < group && count > 2; part *= 2, count = Math.ceil(count / 2)) kernel.level(count);
      // In post-order, the nodes above these values are the last ones of the subtree.
      const number = nodesLeftOf(at / group) + groupsIn(size, group) - count;
      if (size > group) nodes.set(kernel.collect(count), number * NODE);
      return (count > 1 ? kernel.parent(size === length) : kernel.values(0, 1)).slice();
    });
  };
  const root = subtree(0, length);
  wipeKernel();
  return Outboard.of({ root, length, group }, POST_ORDER, nodes);
}
