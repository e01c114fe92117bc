// Builds an outboard from content that arrives in pieces. The nodes are in post-order, so that none moves as more arrive.
import { compute, INPUT, PIECE, type TreeKernel, VALUES, wipeKernel } from "./kernel.js";
import { CHUNK, chunksIn, groupsIn, leftLeaves, NODE, POST_ORDER, VALUE } from "./tree.js";

/** A complete subtree that has not been merged with its neighbour yet. */
interface Subtree {
  /** In bytes. */
  readonly length: number;
  readonly value: Uint8Array;
}

/** The result of a builder. */
export interface Built {
  readonly root: Uint8Array<ArrayBuffer>;
  readonly length: number;
  /** In post-order. */
  readonly nodes: Uint8Array<ArrayBuffer>;
}

const WORDS = 4;

export class OutboardBuilder {
  readonly #group: number;
  /** Bytes that have not been hashed yet. The last bytes always wait here, since they may complete the root. */
  #rest = new Uint8Array();
  #filled = 0;
  #hashed = 0;
  #nodes: Nodes;
  readonly #subtrees: Subtree[] = [];

  /** @param length of the content, if it is known: memory for all nodes is then allocated at once */
  constructor(group: number, length?: number) {
    this.#group = group;
    this.#nodes = new Nodes(length === undefined ? 0 : groupsIn(length, group) - 1);
  }

  /** The number of bytes so far. */
  get length(): number {
    return this.#hashed + this.#filled;
  }

  update(bytes: Uint8Array): void {
    if (this.#rest.length === 0) this.#rest = new Uint8Array(PIECE);
    this.#fill(bytes, this.#takeWhole(bytes));
    wipeKernel();
  }

  /** Takes all content at once, so that the last piece is copied only once. The builder cannot be used again. */
  finishWith(bytes: Uint8Array): Built {
    return this.#finish(bytes.subarray(this.#takeWhole(bytes)));
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
    this.#mergeWhole();
    compute((kernel) => {
      this.#hash(kernel, piece);
      kernel.join(0, false);
      this.#subtrees.push({ length: PIECE, value: kernel.value(0) });
    });
    this.#hashed += PIECE;
  }

  /** Computes the two values under the root of a piece of more than one chunk, and stores the nodes below them. */
  #hash(kernel: TreeKernel, piece: Uint8Array): void {
    kernel.put(piece);
    const group = Math.min(this.#group, leftLeaves(chunksIn(piece.length)) * CHUNK);
    kernel.groups(0, piece.length, group, this.#hashed / CHUNK);
    if (piece.length > this.#group) this.#nodes.addTree(kernel, Math.ceil(piece.length / group));
  }

  /** Merges neighbours of the same size. None of them is the root, since more bytes follow. */
  #mergeWhole(): void {
    for (;;) {
      const [left, right] = this.#subtrees.slice(-2);
      if (!left || !right || left.length !== right.length) return;
      this.#subtrees.splice(-2, 2, this.#merge(left, right, false));
    }
  }

  #merge(left: Subtree, right: Subtree, root: boolean): Subtree {
    const length = left.length + right.length;
    return compute((kernel) => {
      kernel.putValues(left.value, 0);
      kernel.putValues(right.value, 1);
      if (length > this.#group) this.#nodes.add(kernel);
      kernel.join(0, root);
      return { length, value: kernel.value(0) };
    });
  }

  /** Ends the content. The builder cannot be used again, but holds the last bytes until it is disposed of. */
  finish(): Built {
    return this.#finish(this.#rest.subarray(0, this.#filled));
  }

  #finish(last: Uint8Array): Built {
    this.#mergeWhole();
    const length = this.#hashed + last.length;
    this.#subtrees.push(this.#hashLast(last));
    while (this.#subtrees.length > 1) {
      const [left, right] = this.#subtrees.splice(-2) as [Subtree, Subtree];
      this.#subtrees.push(this.#merge(left, right, this.#subtrees.length === 0));
    }
    wipeKernel();
    const [{ value }] = this.#subtrees as [Subtree];
    return { root: value as Uint8Array<ArrayBuffer>, length, nodes: this.#nodes.take() };
  }

  #hashLast(piece: Uint8Array): Subtree {
    const root = this.#subtrees.length === 0;
    return compute((kernel) => {
      if (piece.length > CHUNK) {
        this.#hash(kernel, piece);
        kernel.join(0, root);
      } else {
        kernel.put(piece);
        kernel.subtree(0, piece.length, this.#hashed / CHUNK, root);
      }
      return { length: piece.length, value: kernel.value(0) };
    });
  }

  /** Wipes the content that is still held. */
  dispose(): void {
    this.#rest.fill(0);
    this.#subtrees.length = 0;
    this.#nodes = new Nodes(0);
  }
}

/** Builds an outboard from two or more chaining values: of a message's groups, or of parts of groups of one length. */
export function buildFromValues(values: Uint8Array, unit: number, length: number, group: number): Built {
  const nodes = new Uint8Array((groupsIn(length, group) - 1) * NODE);
  let level = values;
  let size = unit;
  for (; level.length > NODE; size *= 2) {
    keepLevel(nodes, level, size, length, group);
    level = parentsOf(level);
  }
  keepLevel(nodes, level, size, length, group);
  const root = compute((kernel) => {
    kernel.putValues(level, 0);
    kernel.join(0, true);
    return kernel.value(0);
  });
  wipeKernel();
  return { root, length, nodes };
}

/** Stores the pairs of a level that are nodes of the outboard. Their values are of subtrees of `size` bytes. */
function keepLevel(nodes: Uint8Array, level: Uint8Array, size: number, length: number, group: number): void {
  if (size < group) return;
  for (let pair = 0; (pair + 1) * NODE <= level.length; pair++) {
    const at = pair * 2 * size;
    const number = POST_ORDER.within(0, 0, at / group, Math.ceil(Math.min(2 * size, length - at) / group));
    nodes.set(level.subarray(pair * NODE, (pair + 1) * NODE), number * NODE);
  }
}

/** The number of values whose parents the kernel can compute at once. */
const VALUES_AT_ONCE = 2048;

function parentsOf(level: Uint8Array): Uint8Array {
  const count = level.length / VALUE;
  const parents = new Uint8Array(Math.ceil(count / 2) * VALUE);
  for (let at = 0; at < count; at += VALUES_AT_ONCE) {
    const some = Math.min(VALUES_AT_ONCE, count - at);
    compute((kernel) => {
      kernel.put(level.subarray(at * VALUE, (at + some) * VALUE));
      kernel.parents(some);
      const end = VALUES + Math.ceil(some / 2) * VALUE;
      parents.set(kernel.bytes.subarray(VALUES, end), (at / 2) * VALUE);
    });
  }
  return parents;
}

/** Nodes in post-order, in an array that grows. */
class Nodes {
  #words: Int32Array<ArrayBuffer>;
  #count = 0;

  constructor(capacity: number) {
    this.#words = new Int32Array(capacity * (NODE / WORDS));
  }

  /** Appends the node of the kernel's first two values. */
  add(kernel: TreeKernel): void {
    this.#reserve(1);
    copyNode(kernel.words, VALUES / WORDS, this.#words, this.#count * (NODE / WORDS));
    this.#count++;
  }

  /** Appends the nodes over the kernel's first `leaves` values, at least two, and puts the root's two values first. */
  addTree(kernel: TreeKernel, leaves: number): void {
    this.#reserve(leaves - 1);
    kernel.collect(leaves);
    const nodes = kernel.bytes.subarray(INPUT, INPUT + (leaves - 1) * NODE);
    new Uint8Array(this.#words.buffer).set(nodes, this.#count * NODE);
    this.#count += leaves - 1;
  }

  #reserve(more: number): void {
    const needed = (this.#count + more) * (NODE / WORDS);
    if (needed <= this.#words.length) return;
    const larger = new Int32Array(Math.max(needed, 2 * this.#words.length));
    larger.set(this.#words);
    this.#words = larger;
  }

  /** Returns the nodes' bytes: the array itself, or a copy if it has room to spare. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#words.buffer, 0, this.#count * NODE);
    return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
  }
}

// A call of `set` would take ten times as long.
function copyNode(from: Int32Array, at: number, to: Int32Array, target: number): void {
  for (let i = 0; i < NODE / WORDS; i++) to[target + i] = from[at + i] as number;
}
