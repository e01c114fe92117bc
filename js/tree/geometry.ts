// The shape of BLAKE3's tree (BLAKE3 paper, section 2.1): its chunks, and how it is split. Lengths are in bytes.
//
// The left subtree of a node has the largest power of 2 of leaves that leaves some for the right one. Leaves are chunks, or
// groups of them. There are up to 2^54, too many for shifts of 32 bits.

/** The lengths of a chunk, of a chaining value, and of a node: its left child's value, then its right child's. */
export const CHUNK = 1024;
export const VALUE = 32;
export const NODE = 2 * VALUE;

/** Returns the number of chunks in a message. The last one may be short; an empty message has one empty chunk. */
export function chunksIn(length: number): number {
  return groupsIn(length, CHUNK);
}

/** Returns the number of groups in a message. */
export function groupsIn(length: number, group: number): number {
  return Math.max(1, Math.ceil(length / group));
}

const HALF_RANGE = 2 ** 31;

/** Returns the number of leaves in the left subtree of a tree of at least two. */
export function leftLeaves(leaves: number): number {
  if (leaves <= HALF_RANGE) return 2 ** (31 - Math.clz32(leaves - 1));
  return HALF_RANGE * leftLeaves(Math.ceil(leaves / HALF_RANGE));
}

/** Returns the length of the left subtree of more than one chunk, of up to 2^64 bytes. */
export function leftLength(length: bigint): bigint {
  return 1n << BigInt((length - 1n).toString(2).length - 1);
}

/** Returns the maximum length of a subtree at an offset; undefined for offset 0, which has no limit. */
export function maxLengthAt(offset: bigint): bigint | undefined {
  return offset === 0n ? undefined : offset & -offset;
}

/** Returns the chaining value of the parent of two subtrees, of which together there are `length` bytes. */
type Merge = (left: Uint8Array, right: Uint8Array, length: number) => Uint8Array;

/** Merges the subtrees of a message from left to right, as soon as it is certain that their parent is not the root. */
export class SubtreeStack {
  /** Those that have not been merged with their neighbours yet. */
  readonly #subtrees: { readonly length: number; readonly value: Uint8Array }[] = [];
  readonly #merge: Merge;

  constructor(merge: Merge) {
    this.#merge = merge;
  }

  /**
   * Adds the next subtree: a power of 2 of chunks at a multiple of its length, or the last one.
   *
   * @param value returns its chaining value; called once what comes before it has been merged
   */
  push(length: number, value: () => Uint8Array): void {
    for (;;) {
      const [left, right] = this.#subtrees.slice(-2);
      if (!left || left.length !== right?.length) break;
      this.#join();
    }
    this.#subtrees.push({ length, value: value() });
  }

  /** Merges all until two are left, or the only one; returns their values. */
  finish(): Uint8Array[] {
    while (this.#subtrees.length > 2) this.#join();
    return this.#subtrees.map(({ value }) => value);
  }

  #join(): void {
    const [left, right] = this.#subtrees.splice(-2);
    if (!left || !right) return;
    const length = left.length + right.length;
    this.#subtrees.push({ length, value: this.#merge(left.value, right.value, length) });
  }

  clear(): void {
    this.#subtrees.length = 0;
  }
}
