// The kernel of subtrees (wasm/blake3-subtrees.c) with a memory of its own, one instance for all of this module's objects.
// Nobody's bytes stay there: who has computed wipes.
import { IV } from "../algorithms/blake3-mode.js";
import { type Backend, backend } from "../engine/backend.js";
import { fromBase64 } from "../input/text.js";
import { SharedKernel } from "../subtrees/shared-kernel.js";
import { type SubtreeExports, subtreeModule } from "../subtrees/subtree-module.js";
import { CHUNK, chunksIn, leftLeaves, NODE, VALUE } from "./tree.js";

// Below this are the constants, then the stack, the parameters of inner subtrees and of the root, and values.
const STACK = 0x10000;
const STACK_SIZE = 0x2000;
const INNER = 0x12000;
const ROOT = 0x12040;
const FLAGS_AT = 32;
const ROOT_FLAG = 8;
/** Chaining values: of the leaves of a piece, then of each level above them. */
export const VALUES = 0x14000;
/** Bytes of a message, or of an encoding. */
export const INPUT = 0x20000;
/** The largest group, with room for the nodes of a piece of an encoding. */
const INPUT_SIZE = 0x110000;
const PAGE = 0x10000;

/** Bytes that are hashed by one call: they stay in the second-level cache, and the engine gets to its optimised code. */
export const PIECE = 0x40000;

/** The digest of no bytes, as BLAKE3's test_vectors.json has it. */
const EMPTY_DIGEST = /* @__PURE__ */ fromBase64("rxNJufX5oaagQE3qNtzJSZvLJcmtwRK3zJqTyuQfMmI=");

export class TreeKernel {
  readonly backend: Backend = backend();
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly words: Int32Array<ArrayBuffer>;
  readonly #exports: SubtreeExports;
  /** How many bytes of the input area, and values, have been written since they were wiped. */
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

  /** Puts bytes where they are hashed, at an offset in the input area. */
  put(bytes: Uint8Array, at = 0): void {
    this.bytes.set(bytes, INPUT + at);
    this.#dirty = Math.max(this.#dirty, at + bytes.length);
  }

  /** Copies the content of an encoded subtree in the input area to another place there, without its nodes. */
  gather(encoding: number, length: number, group: number, target: number): void {
    this.#dirty = Math.max(this.#dirty, target + length);
    this.#exports.gather(INPUT + encoding, length, group, INPUT + target);
  }

  /**
   * The chaining values of groups of bytes in the input area, the last of which may be short, one after the other from the
   * `index`th value on.
   *
   * @param at the first byte in the input area
   * @param length 1 to {@link PIECE} bytes
   * @param chunk the number of the first chunk in the message
   */
  groups(at: number, length: number, group: number, chunk: number, index = 0): void {
    const high = Math.floor(chunk / 2 ** 32);
    this.#soil(index + chunksIn(length));
    this.#exports.groups(INNER, INPUT + at, length, group / CHUNK, chunk, high, VALUES + index * VALUE);
  }

  /**
   * The same of a subtree of whole groups with its nodes between them, in pre-order. The last group may be short.
   *
   * @param length bytes of content: 1 to {@link PIECE}
   */
  encodedGroups(encoding: number, length: number, group: number, chunk: number): void {
    const high = Math.floor(chunk / 2 ** 32);
    this.#soil(chunksIn(length));
    this.#exports.encoded(INNER, INPUT + encoding, length, group / CHUNK, chunk, high, VALUES);
  }

  /**
   * Makes the first `count` values, two or more, those of the two subtrees under their root. Returns whether the nodes of an
   * encoding are those that the values make.
   */
  match(count: number, encoding: number, group: number): boolean {
    return this.#exports.match(INNER, VALUES, count, INPUT + encoding, group) === 0;
  }

  /** Does the same, and leaves the nodes in post-order at the beginning of the input area instead. */
  collect(count: number): void {
    this.#dirty = Math.max(this.#dirty, (count - 1) * NODE);
    this.#exports.collect(INNER, VALUES, count, INPUT);
  }

  /** The parents of `count` values, the first of which is the `index`th: from the `target`th on. An odd one stays as it is. */
  level(index: number, count: number, target: number): void {
    this.#soil(target + count);
    this.#exports.level(INNER, VALUES + index * VALUE, count, VALUES + target * VALUE);
  }

  /** The same of pairs of values that lie in the input area. */
  parents(count: number): void {
    this.#soil(count);
    this.#exports.level(INNER, INPUT, count, VALUES);
  }

  /** Makes the `index`th value that of the two from there on. */
  join(index: number, root: boolean): void {
    this.#exports.merge(root ? ROOT : INNER, VALUES + index * VALUE, 2);
  }

  /**
   * Makes the first value that of one subtree of bytes in the input area: of a whole message, where `root` says so.
   *
   * @param at the first byte in the input area
   * @param length up to the largest group
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

  /** A copy of a value. */
  value(index: number): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(VALUES + index * VALUE, VALUES + (index + 1) * VALUE);
  }

  /** Puts a node's two values, or a value, at the `index`th's place. */
  putValues(values: Uint8Array, index: number): void {
    this.#soil(index + values.length / VALUE);
    this.bytes.set(values, VALUES + index * VALUE);
  }

  /** Whether the `index`th value is the one at a place among bytes; how long that takes does not depend on them. */
  holds(bytes: Uint8Array, at = 0, index = 0): boolean {
    const own = VALUES + index * VALUE;
    let difference = 0;
    for (let i = 0; i < VALUE; i++) difference |= (this.bytes[own + i] as number) ^ (bytes[at + i] as number);
    return difference === 0;
  }

  /** Puts a node that lies in the input area at the first two values' place. */
  loadNode(at: number): void {
    this.#soil(2);
    this.bytes.copyWithin(VALUES, INPUT + at, INPUT + at + NODE);
  }

  /** Copies values to another place among them. */
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

/** Computes with the kernel. */
export function compute<T>(work: (kernel: TreeKernel) => T): T {
  return shared.use(work);
}

/** Leaves nothing of what was computed in the kernel's memory. */
export function wipeKernel(): void {
  shared.wipe();
}
