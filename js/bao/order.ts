// Where the nodes of a tree are: the header before them, and their order. A tree of n leaves, which are groups, has n -
// 1 nodes.
import { IntegrityError } from "./errors.js";

/**
 * The format of an outboard. All formats contain the same nodes, of 64 bytes each.
 *
 * - `"bao"`: the content's length in 8 bytes, little-endian, then the nodes in pre-order, as in the `bao` program with
 *   groups of 1024 bytes and in `abao` with 16384
 * - `"iroh"`: only the nodes, in pre-order, as iroh stores them (`.obao4` with groups of 16384 bytes)
 * - `"post-order"`: only the nodes, in post-order, as `bao-tree` can store them
 */
export type OutboardFormat = "bao" | "iroh" | "post-order";

export const FORMATS: readonly OutboardFormat[] = ["bao", "iroh", "post-order"];

/** The number of bytes before the first node, and the order of the nodes. */
export function layoutOf(format: OutboardFormat): { header: number; order: Order } {
  return { header: format === "bao" ? HEADER : 0, order: format === "post-order" ? POST_ORDER : PRE_ORDER };
}

// The header: the content's length, 8 bytes, little-endian.

/** The length of a header in bytes. */
export const HEADER = 8;
const HALF = 2 ** 32;

/**
 * Returns the length that a header claims, which is proven only when the content's last chunk has been verified.
 *
 * @throws IntegrityError for a length of 2^53 or more, or a truncated header
 */
export function readLength(name: string, bytes: Uint8Array): number {
  if (bytes.length < HEADER) throw new IntegrityError(name, "truncated", 0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER);
  const length = view.getUint32(4, true) * HALF + view.getUint32(0, true);
  if (length > Number.MAX_SAFE_INTEGER) throw new IntegrityError(name, "length", 0);
  return length;
}

/** Returns the header of content of a length. */
export function headerOf(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length % HALF, true);
  view.setUint32(4, Math.floor(length / HALF), true);
  return bytes;
}

/**
 * The numbers of nodes, which follow from where a node is: the number of nodes to its left, of which all leaves are
 * before its first one, of its leaves, and of the nodes above it.
 */
export interface Order {
  number(left: number, leaves: number, depth: number): number;
  /** Returns the lowest number under a node, or its own. The nodes of its subtree have consecutive numbers. */
  first(left: number, depth: number): number;
}

/** A node, then its left subtree, then its right one. */
const PRE_ORDER: Order = {
  number: (left, _, depth) => left + depth,
  first: (left, depth) => left + depth,
};

/** Left subtree, right subtree, node: the order in which they are completed, so that none moves. */
export const POST_ORDER: Order = {
  number: (left, leaves) => left + leaves - 2,
  first: (left) => left,
};

/** Returns the number of nodes to the left of a leaf: those over as many whole subtrees as its number has bits. */
export function nodesLeftOf(leaf: number): number {
  return leaf - bitsIn(leaf % HALF) - bitsIn(leaf / HALF);
}

function bitsIn(word: number): number {
  let count = 0;
  for (let rest = word | 0; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Receives a node. */
type VisitNode = (leaf: number, left: number, leaves: number, depth: number) => void;

/** Visits a tree of up to 2^31 leaves in pre-order. */
export function inPreOrder(leaves: number, visitNode: VisitNode): void {
  let nodes = 0;
  for (let leaf = 0; leaf < leaves; leaf += 2) {
    const left = nodesLeftOf(leaf);
    for (let height = heightAt(leaf, leaves); height > 0; height--, nodes++) {
      visitNode(leaf, left, Math.min(2 ** height, leaves - leaf), nodes - left);
    }
  }
}

/** The height of the largest subtree that begins at an even leaf. */
function heightAt(leaf: number, leaves: number): number {
  const most = 32 - Math.clz32(leaves - leaf - 1);
  return leaf === 0 ? most : Math.min(most, 31 - Math.clz32(leaf & -leaf));
}
