// Hashes one subtree, at once or as it arrives in pieces. A subtree with groups keeps their chaining values.
import { kernels } from "../algorithms/blake3-kernel.js";
import { type Blake3Mode, modeBytes } from "../algorithms/blake3-mode.js";
import { Disposable } from "../engine/disposable.js";
import { type Input, viewOfInput } from "../input/bytes.js";
import { concatBytes, copyOf, pooledSecret } from "../input/caller-bytes.js";
import { disposed, interrupted, proxied, requireArguments } from "../input/errors.js";
import { MAX_UINT64, NO_OPTIONS, requireKnown, wholeNumber } from "../input/options.js";
import { CHUNK, chunksIn, groupsIn, maxLengthAt, VALUE } from "../tree/geometry.js";
import { INPUT_AT, PIECE, type TreeKernel } from "../tree/kernel.js";
import { mergeValues } from "../tree/merge.js";
import { treeKernel } from "../tree/module.js";
import { requirePowerOf2 } from "./parts.js";

/** A subtree's mode, which is the same in the whole tree, and its offset (BLAKE3 paper, sections 2.1 and 2.4). */
export type SubtreeOptions = Blake3Mode & {
  /** The offset of the subtree in the message, in bytes: a multiple of 1024, by default 0; a bigint above 2^53 - 1. */
  readonly offset?: number | bigint | undefined;
};

/** A subtree's mode, its offset, and the length of its groups. */
export type SubtreeGroupOptions = SubtreeOptions & {
  /** The length of a group in bytes: a power of 2 from 1024 to 2^20. `offset` must be a multiple of it. */
  readonly group: number;
};

const OPTIONS: readonly string[] = ["offset", "key", "context"];
const GROUP_OPTIONS: readonly string[] = [...OPTIONS, "group"];
const MAX_GROUP = 2 ** 20;
const MODE = 0;
const GROUP_HASHER = "SubtreeGroupHasher";

/** Bytes of which only multiples are hashed, as long as more may follow: enough chunks for all lanes. */
const UNIT = 0x10000;
const NONE = /* @__PURE__ */ new Uint8Array();

/** What hashing some bytes adds to a subtree. */
interface Hashed {
  readonly groups: Uint8Array<ArrayBuffer>[];
  readonly values: Uint8Array<ArrayBuffer>;
}

/** A subtree so far. Without groups, it is one group of any length. */
class Subtree {
  readonly mode: Uint8Array<ArrayBuffer>;
  readonly #offset: bigint;
  /** The number of the first chunk: 32 bits, and those above. */
  readonly #low: number;
  readonly #high: number;
  readonly #group: number;
  /** The chaining values of the complete groups, in order, in some arrays. */
  readonly #groups: Uint8Array<ArrayBuffer>[] = [];
  /** Those of the group in progress: of whole subtrees, whose lengths are the binary digits of its length so far. */
  #values: Uint8Array<ArrayBuffer> = NONE;
  #hashedLength = 0;
  /** Begins with the bytes after those. */
  #waiting: Uint8Array<ArrayBuffer> = NONE;
  #waitingLength = 0;
  /** Whether an exception has ended an update, so that nobody knows how much of it is in the subtree. */
  interrupted = false;

  constructor(call: string, options: SubtreeOptions & { group?: number }, hasGroups: boolean) {
    requireKnown(call, options, hasGroups ? GROUP_OPTIONS : OPTIONS);
    const { group, offset = 0 } = options;
    this.#group = hasGroups ? requirePowerOf2(call, "group", group, MAX_GROUP) : Infinity;
    this.#offset = toOffset(call, offset);
    if (hasGroups && this.#offset % BigInt(this.#group) !== 0n) {
      throw new RangeError(`${call}: offset must be a multiple of group ${group}, got ${this.#offset}`);
    }
    this.#low = Number((this.#offset >> 10n) & 0xffffffffn);
    this.#high = Number(this.#offset >> 42n);
    this.mode = modeBytes(call, kernels, options);
  }

  /** The number of bytes so far. */
  get length(): number {
    return this.#hashedLength + this.#waitingLength;
  }

  /** @throws RangeError if the subtree would be longer than one at its offset can be */
  view(call: string, input: Input): Uint8Array {
    const bytes = viewOfInput(call, "input", input);
    const length = this.length + bytes.length;
    const longest = maxLengthAt(this.#offset) ?? MAX_UINT64;
    if (length <= longest) return bytes;
    const must = `input must have at most ${longest} bytes in a subtree at offset ${this.#offset}`;
    throw new RangeError(`${call}: ${must}, got ${length}`);
  }

  update(bytes: Uint8Array): void {
    const length = this.#waitingLength + bytes.length;
    const rest = length % UNIT;
    const hashed = rest < length ? this.#hash(bytes, length - rest) : undefined;
    this.interrupted = true;
    if (hashed) {
      for (const groups of hashed.groups) this.#groups.push(groups);
      this.#values.fill(0);
      this.#values = hashed.values;
      this.#hashedLength += length - rest;
      this.#waitingLength = 0;
    }
    this.#reserve(rest);
    this.#waiting.set(bytes.subarray(bytes.length - (rest - this.#waitingLength)), this.#waitingLength);
    this.#waitingLength = rest;
    this.interrupted = false;
  }

  /** Makes room for `length` waiting bytes. */
  #reserve(length: number): void {
    const before = this.#waiting;
    if (length <= before.length) return;
    this.#waiting = pooledSecret(before.length === 0 ? length : Math.min(UNIT, 4 * length));
    this.#waiting.set(before);
    before.fill(0);
  }

  /** Returns the chaining values of all groups, with more bytes appended. */
  groupValues(call: string, bytes: Uint8Array = NONE): Uint8Array<ArrayBuffer> {
    if (this.length + bytes.length === 0)
      throw new RangeError(`${call}: input must have at least 1 byte in a subtree, got 0`);
    const { groups, values } = this.#hash(bytes, this.#waitingLength + bytes.length, true);
    const all = concatBytes([...this.#groups, ...groups, values]);
    for (const secret of [...groups, values]) secret.fill(0);
    return all;
  }

  /** Returns the chaining value of all groups. */
  chainingValue(call: string, bytes?: Uint8Array): Uint8Array<ArrayBuffer> {
    const values = this.groupValues(call, bytes);
    if (values.length === VALUE) return values;
    try {
      return mergeValues(this.mode, values);
    } finally {
      values.fill(0);
    }
  }

  /**
   * Hashes the first `length` bytes of those that wait and of `bytes`: a multiple of UNIT, or all if the subtree `ends`
   * with them. The group in progress then has one value.
   */
  #hash(bytes: Uint8Array, length: number, ends = false): Hashed {
    const groups: Uint8Array<ArrayBuffer>[] = [];
    const before = this.#values;
    return treeKernel.run((kernel) => {
      kernel.putMode(MODE, this.mode);
      kernel.putValues(before, 0);
      let depth = before.length / VALUE;
      for (let at = 0; at < length; at += PIECE) {
        const piece = Math.min(PIECE, length - at);
        this.#put(kernel, bytes, at, piece);
        depth = this.#hashPiece(kernel, this.#hashedLength + at, piece, depth, groups);
      }
      for (; ends && depth > 1; depth--) kernel.merge(MODE, depth - 2, 2);
      return { groups, values: copyOf(kernel.values(0, depth)) };
    });
  }

  /** Copies bytes to the kernel, from offset `at` of those that wait and those that follow. */
  #put(kernel: TreeKernel, bytes: Uint8Array, at: number, length: number): void {
    // All that waits is in the first piece.
    const waiting = at === 0 ? this.#waitingLength : 0;
    if (waiting > 0) kernel.put(this.#waiting.subarray(0, waiting));
    const from = Math.max(0, at - this.#waitingLength);
    kernel.put(bytes.subarray(from, from + length - waiting), waiting);
  }

  /** Hashes a piece at offset `from`, as subtrees as large as can be; returns how many values of a group are left. */
  #hashPiece(
    kernel: TreeKernel,
    from: number,
    length: number,
    before: number,
    groups: Uint8Array<ArrayBuffer>[],
  ): number {
    let depth = before;
    for (let done = 0, size = 0; done < length; done += size) {
      const at = from + done;
      size = sizeAt(at, length - done);
      const span = CHUNK * 2 ** (32 - Math.clz32(chunksIn(size) - 1));
      const chunk = at / CHUNK;
      const high = this.#high + Math.floor(chunk / 2 ** 32);
      const address = kernel.area + INPUT_AT + done;
      kernel.groupsAt(MODE, address, size, Math.min(span, this.#group), this.#low + chunk, depth, high);
      depth += groupsIn(size, this.#group);
      for (let own = size; own < this.#group && depth > 1 && Math.floor(at / own) % 2 === 1; own *= 2, depth--)
        kernel.merge(MODE, depth - 2, 2);
      if (size > this.#group || (at + size) % this.#group === 0) {
        groups.push(copyOf(kernel.values(0, depth)));
        depth = 0;
      }
    }
    return depth;
  }

  /** Wipes the state and the key. */
  clear(): void {
    for (const secret of [this.mode, this.#waiting, this.#values, ...this.#groups]) secret.fill(0);
  }
}

/**
 * @throws TypeError for a value that is not a number or bigint; RangeError if it is not a multiple of 1024 below 2^64
 */
export function toOffset(call: string, offset: number | bigint): bigint {
  const whole = BigInt(wholeNumber(call, "offset", offset, MAX_UINT64));
  if (whole % BigInt(CHUNK) === 0n) return whole;
  throw new RangeError(`${call}: offset must be a multiple of 1024, got ${whole}`);
}

/** Returns the length of the largest whole subtree at an offset within `length` bytes; less than UNIT is the last. */
function sizeAt(offset: number, length: number): number {
  if (length < UNIT) return length;
  const within = offset % PIECE;
  let size = within === 0 ? PIECE : within & -within;
  while (size > length) size /= 2;
  return size;
}

/**
 * Hashes a subtree that arrives in pieces.
 *
 * @example
 * const subtree = new SubtreeHasher({ offset: 1024 * 1024 });
 * for (const piece of pieces) subtree.update(piece);
 * subtree.chainingValue();
 */
export class SubtreeHasher extends Disposable {
  readonly #name: string;
  #subtree: Subtree | undefined;

  /** Calls `dispose`; enables `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /** @throws TypeError for an unknown option or a wrong type; RangeError if the offset is not a multiple of 1024 */
  constructor(options: SubtreeOptions = NO_OPTIONS) {
    super();
    const hasGroups = this instanceof SubtreeGroupHasher;
    this.#name = hasGroups ? GROUP_HASHER : "SubtreeHasher";
    requireArguments(this.#name, arguments.length, 1);
    this.#subtree = new Subtree(this.#name, options, hasGroups);
  }

  /** The number of bytes so far. */
  get bytesHashed(): bigint {
    return BigInt(this.subtreeFor("bytesHashed").length);
  }

  /**
   * Appends to the subtree.
   *
   * A call that throws leaves the subtree as it was. Only an `update` that a stack overflow or a time limit has
   * interrupted may not: every later call throws, except `dispose`.
   *
   * @throws TypeError for a value that is not an {@link Input}, or is detached; RangeError if the subtree would exceed
   *   `maxSubtreeLength(offset)` bytes; Error after `dispose`, or after an update that was interrupted
   */
  update(input: Input): this {
    const subtree = this.subtreeFor("update", arguments.length, 1);
    subtree.update(subtree.view(`${this.#name}.update`, input));
    return this;
  }

  /**
   * Returns the chaining value of the bytes so far: 32 bytes, to be merged with those of its neighbours. It is not a
   * digest.
   *
   * @throws RangeError if there are no bytes yet; Error after `dispose`
   */
  chainingValue(): Uint8Array<ArrayBuffer> {
    return this.subtreeFor("chainingValue", arguments.length).chainingValue(`${this.#name}.chainingValue`);
  }

  /** Wipes the state and the key. Every later call throws, except `dispose`. */
  dispose(): void {
    this.#subtree?.clear();
    this.#subtree = undefined;
  }

  /** @internal */
  protected subtreeFor(method: string, given = 0, most = 0): Subtree {
    if (!(#subtree in this)) throw proxied();
    const call = `${this.#name}.${method}`;
    requireArguments(call, given, most);
    if (!this.#subtree) throw disposed(call, "hasher");
    if (this.#subtree.interrupted) throw interrupted(call);
    return this.#subtree;
  }
}

/**
 * Hashes a subtree that arrives in pieces, and keeps the chaining value of each of its groups, for a
 * {@link SubtreeCollector} with the same group length.
 *
 * @example
 * const collector = new SubtreeCollector(length, 2 ** 26, { group: 16384 });
 * const subtree = new SubtreeGroupHasher({ group: 16384 });
 * for (const piece of pieces) subtree.update(piece);
 * collector.set(0, subtree.chainingValue(), subtree.groupValues());
 */
export class SubtreeGroupHasher extends SubtreeHasher {
  /**
   * @throws TypeError for an unknown option or a value of the wrong type; RangeError if the group is not a power of 2
   *   from 1024 to 2^20, or the offset is not a multiple of it
   */
  constructor(options: SubtreeGroupOptions) {
    requireArguments(GROUP_HASHER, arguments.length, 1);
    super(options);
  }

  /**
   * Returns the chaining values of the groups so far, in order, 32 bytes each. The last group may be short.
   *
   * @throws RangeError if there are no bytes yet; Error after `dispose`
   */
  groupValues(): Uint8Array<ArrayBuffer> {
    return this.subtreeFor("groupValues", arguments.length).groupValues(`${GROUP_HASHER}.groupValues`);
  }
}

/**
 * Returns the chaining value of a subtree: 32 bytes, to be merged with those of its neighbours. It is not a digest.
 *
 * @param input 1 to `maxSubtreeLength(offset)` bytes; if more subtrees follow, 1024 bytes times a power of 2
 * @throws TypeError for an unknown option or a value of the wrong type; RangeError if the offset is not a multiple of
 *   1024, or if the input is empty or too long for the offset
 * @example
 * chainingValue(message.subarray(4096), { offset: 4096 });
 */
export function chainingValue(input: Input, options: SubtreeOptions = NO_OPTIONS): Uint8Array<ArrayBuffer> {
  const call = "chainingValue";
  requireArguments(call, arguments.length, 2);
  const subtree = new Subtree(call, options, false);
  try {
    return subtree.chainingValue(call, subtree.view(call, input));
  } finally {
    subtree.clear();
  }
}
