// The subtree kernel (wasm/blake3/blake3-subtrees.c) with its own memory: one instance, which all objects of this module share.
// Each use must wipe the bytes that it leaves there.
import { IV } from "../algorithms/blake3-mode.js";
import { type Backend, backend } from "../engine/backend.js";
import { fromBase64 } from "../input/text.js";
import { SharedKernel } from "../subtrees/shared-kernel.js";
import { type SubtreeExports, subtreeModule } from "../subtrees/subtree-module.js";
import { CHUNK, chunksIn, leftLeaves, NODE, VALUE } from "./tree.js";

// Constants are below the stack. Above it are the parameters of inner subtrees and of the root, the values, and the input.
const STACK = 0x10000;
const STACK_SIZE = 0x2000;
const INNER = 0x12000;
const ROOT = 0x12040;
const FLAGS_AT = 32;
const ROOT_FLAG = 8;
/** Chaining values of the leaves of a piece, then of each level above them. */
export const VALUES = 0x14000;
/** The input area: bytes of a message or of an encoding. */
export const INPUT = 0x20000;
/** Large enough for the largest group, and for a piece of an encoding with its nodes. */
const INPUT_SIZE = 0x110000;
const PAGE = 0x10000;

/** The most bytes hashed by one call: they fit into the L2 cache, and the engine can switch to optimised code in between. */
export const PIECE = 0x40000;

/** The digest of the empty message, from BLAKE3's test_vectors.json. */
const EMPTY_DIGEST = /* @__PURE__ */ fromBase64("rxNJufX5oaagQE3qNtzJSZvLJcmtwRK3zJqTyuQfMmI=");

export class TreeKernel {
  readonly backend: Backend = backend();
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly words: Int32Array<ArrayBuffer>;
  readonly #exports: SubtreeExports;
  /** The number of bytes of the input area, and of values, written since they were last wiped. */
  #dirty = 0;
  #values = 0;

  constructor() {
    const pages = (INPUT + INPUT_SIZE) / PAGE;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const instance = new WebAssembly.Instance(subtreeModule(), { env: { memory } });
    this.#exports = instance.exports as unknown as SubtreeExports;
    this.#exports.stackRestore(STACK + STACK_SIZE);
    this.bytes = new Uint8Array(memory.buffer);
    this.words = new Int32Array(memory.buffer);
    this.bytes.set(IV, INNER);
    this.bytes.set(IV, ROOT);
    this.bytes[ROOT + FLAGS_AT] = ROOT_FLAG;
  }

  /** Copies bytes to an offset in the input area. */
  put(bytes: Uint8Array, at = 0): void {
    this.bytes.set(bytes, INPUT + at);
    this.#dirty = Math.max(this.#dirty, at + bytes.length);
  }

  /** Copies the content of an encoded subtree, without its nodes, to another place in the input area. */
  gather(encoding: number, length: number, group: number, target: number): void {
    this.#dirty = Math.max(this.#dirty, target + length);
    this.#exports.gather(INPUT + encoding, length, group, INPUT + target);
  }

  /**
   * Computes the chaining values of consecutive groups in the input area, and stores them from value `index` on. The last
   * group may be short.
   *
   * @param at the offset of the first byte in the input area
   * @param length 1 to {@link PIECE} bytes
   * @param chunk the number of the first chunk in the message
   */
  groups(at: number, length: number, group: number, chunk: number, index = 0): void {
    const high = Math.floor(chunk / 2 ** 32);
    this.#soil(index + chunksIn(length));
    this.#exports.groups(INNER, INPUT + at, length, group / CHUNK, chunk, high, VALUES + index * VALUE);
  }

  /**
   * The same for an encoded subtree, whose nodes are between the groups, in pre-order. The last group may be short.
   *
   * @param length of the content in bytes: 1 to {@link PIECE}
   */
  encodedGroups(encoding: number, length: number, group: number, chunk: number): void {
    const high = Math.floor(chunk / 2 ** 32);
    this.#soil(chunksIn(length));
    this.#exports.encoded(INNER, INPUT + encoding, length, group / CHUNK, chunk, high, VALUES);
  }

  /**
   * Merges the first `count` values, of which there are at least two, into the two values under their root. Returns whether
   * the nodes of the encoding match.
   */
  match(count: number, encoding: number, group: number): boolean {
    return this.#exports.match(INNER, VALUES, count, INPUT + encoding, group) === 0;
  }

  /** Merges in the same way, and writes the nodes in post-order to the start of the input area. */
  collect(count: number): void {
    this.#dirty = Math.max(this.#dirty, (count - 1) * NODE);
    this.#exports.collect(INNER, VALUES, count, INPUT);
  }

  /** Computes the parents of `count` values from `index` on, and stores them from `target` on. An odd value is copied. */
  level(index: number, count: number, target: number): void {
    this.#soil(target + count);
    this.#exports.level(INNER, VALUES + index * VALUE, count, VALUES + target * VALUE);
  }

  /** The same for pairs of values in the input area. */
  parents(count: number): void {
    this.#soil(count);
    this.#exports.level(INNER, INPUT, count, VALUES);
  }

  /** Replaces value `index` with the parent of it and the next one. */
  join(index: number, root: boolean): void {
    this.#exports.merge(root ? ROOT : INNER, VALUES + index * VALUE, 2);
  }

  /**
   * Stores as the first value the chaining value of one subtree of bytes in the input area, or if `root` is true, the digest
   * of a whole message.
   *
   * @param at the offset of the first byte in the input area
   * @param length in bytes, up to the largest group
   */
  subtree(at: number, length: number, chunk: number, root: boolean): void {
    if (length <= CHUNK) this.#chunk(at, length, chunk, root);
    else if (root || length > PIECE) this.#halves(at, length, chunk, root);
    else this.groups(at, length, PIECE, chunk);
  }

  #halves(at: number, length: number, chunk: number, root: boolean): void {
    const left = leftLeaves(chunksIn(length)) * CHUNK;
    this.#half(at, left, chunk, 0);
    this.#half(at + left, length - left, chunk + left / CHUNK, 1);
    this.join(0, root);
  }

  #chunk(at: number, length: number, chunk: number, root: boolean): void {
    this.#soil(1);
    const high = Math.floor(chunk / 2 ** 32);
    if (length === 0) this.bytes.set(EMPTY_DIGEST, VALUES);
    else this.#exports.groups(root ? ROOT : INNER, INPUT + at, length, 1, chunk, high, VALUES);
  }

  #half(at: number, length: number, chunk: number, index: number): void {
    let count = 0;
    for (let done = 0; done < length; done += PIECE) {
      this.groups(at + done, Math.min(PIECE, length - done), PIECE, chunk + done / CHUNK, index + count);
      count++;
    }
    this.#exports.merge(INNER, VALUES + index * VALUE, count);
  }

  /** Returns a copy of a value. */
  value(index: number): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(VALUES + index * VALUE, VALUES + (index + 1) * VALUE);
  }

  /** Stores a value, or the two of a node, at an index. */
  putValues(values: Uint8Array, index: number): void {
    this.#soil(index + values.length / VALUE);
    this.bytes.set(values, VALUES + index * VALUE);
  }

  /** Whether the value at an index equals the one at an offset of other bytes, in constant time. */
  holds(bytes: Uint8Array, at = 0, index = 0): boolean {
    const own = VALUES + index * VALUE;
    let difference = 0;
    for (let i = 0; i < VALUE; i++) difference |= (this.bytes[own + i] as number) ^ (bytes[at + i] as number);
    return difference === 0;
  }

  /** Stores a node of the input area as the first two values. */
  loadNode(at: number): void {
    this.#soil(2);
    this.bytes.copyWithin(VALUES, INPUT + at, INPUT + at + NODE);
  }

  /** Copies values to another index. */
  copyValues(index: number, count: number, target: number): void {
    const from = VALUES + index * VALUE;
    this.#soil(target + count);
    this.bytes.copyWithin(VALUES + target * VALUE, from, from + count * VALUE);
  }

  #soil(values: number): void {
    if (values > this.#values) this.#values = values;
  }

  wipe(): void {
    this.bytes.fill(0, INPUT, INPUT + this.#dirty);
    this.bytes.fill(0, VALUES, VALUES + this.#values * VALUE);
    this.bytes.fill(0, STACK, STACK + STACK_SIZE);
    this.#dirty = this.#values = 0;
  }
}

const shared = /* @__PURE__ */ new SharedKernel(() => new TreeKernel());

/** Runs a computation with the shared kernel. */
export function compute<T>(work: (kernel: TreeKernel) => T): T {
  return shared.use(work);
}

/** Zeroes all that computations have left in the kernel's memory. */
export function wipeKernel(): void {
  shared.wipe();
}
