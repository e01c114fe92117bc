// The shape of BLAKE3's tree (BLAKE3 paper, section 2.1): its chunks, and how it is split. Lengths are in bytes.
//
// The left subtree of a node has the largest power of 2 of leaves that leaves some for the right one. Leaves are
// chunks, or groups of them. There are up to 2^54, too many for shifts of 32 bits.

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
