// Builds an outboard from content that arrives in pieces. The nodes are in post-order, so that none moves as more arrive.
import { CHUNK, chunksIn, groupsIn, leftLeaves, NODE, SubtreeStack, VALUE } from "../tree/geometry.js";
import { MAX_VALUES, PIECE } from "../tree/kernel.js";
import { POST_ORDER } from "./format.js";
import { type BaoKernel, compute, INPUT, VALUES, wipeKernel } from "./kernel.js";

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
  readonly #subtrees = new SubtreeStack((left, right, length) => this.#merge(left, right, length, false));

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
    this.#subtrees.push(PIECE, () => this.#hash(piece, false));
    this.#hashed += PIECE;
  }

  /** Returns the chaining value of a piece, and stores the nodes below it. */
  #hash(piece: Uint8Array, root: boolean): Uint8Array {
    return compute((kernel) => {
      kernel.put(piece);
      if (piece.length > CHUNK) {
        this.#hashHalves(kernel, piece.length);
        return kernel.value(kernel.join(0, root));
      }
      kernel.subtree(0, piece.length, this.#hashed / CHUNK, root);
      return kernel.value(0);
    });
  }

  /** Computes the two values under the root of a piece of more than one chunk. */
  #hashHalves(kernel: BaoKernel, length: number): void {
    const group = Math.min(this.#group, leftLeaves(chunksIn(length)) * CHUNK);
    kernel.groups(0, length, group, this.#hashed / CHUNK);
    if (length > this.#group) this.#nodes.addTree(kernel, groupsIn(length, group));
  }

  #merge(left: Uint8Array, right: Uint8Array, length: number, root: boolean): Uint8Array {
    return compute((kernel) => {
      kernel.putValues(left, 0);
      kernel.putValues(right, 1);
      if (length > this.#group) this.#nodes.add(kernel);
      return kernel.value(kernel.join(0, root));
    });
  }

  /** Ends the content. The builder cannot be used again, but holds the last bytes until it is disposed of. */
  finish(): Built {
    return this.#finish(this.#rest.subarray(0, this.#filled));
  }

  #finish(last: Uint8Array): Built {
    const length = this.#hashed + last.length;
    this.#subtrees.push(last.length, () => this.#hash(last, this.#hashed === 0));
    const [left, right] = this.#subtrees.finish() as [Uint8Array, Uint8Array?];
    const root = right ? this.#merge(left, right, length, true) : left;
    wipeKernel();
    return { root: root as Uint8Array<ArrayBuffer>, length, nodes: this.#nodes.take() };
  }

  /** Wipes the content that is still held. */
  dispose(): void {
    this.#rest.fill(0);
    this.#subtrees.clear();
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
    return kernel.value(kernel.join(0, true));
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

/** The number of values whose parents the kernel has room for. */
const VALUES_AT_ONCE = 2 * MAX_VALUES;

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
  add(kernel: BaoKernel): void {
    this.#reserve(1);
    copyNode(kernel.words, VALUES / WORDS, this.#words, this.#count * (NODE / WORDS));
    this.#count++;
  }

  /** Appends the nodes over the kernel's first `leaves` values, at least two, and puts the root's two values first. */
  addTree(kernel: BaoKernel, leaves: number): void {
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
