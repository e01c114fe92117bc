// Collects the chaining values of the parts of an object, and merges them to its digest.
import { kernels } from "../algorithms/blake3-kernel.js";
import { modeBytes } from "../algorithms/blake3-mode.js";
import { Disposable } from "../engine/disposable.js";
import { allocate } from "../engine/output.js";
import { refusal, requireNumber } from "../engine/saved-state-checks.js";
import type { Xof } from "../engine/xof.js";
import { copyOfBytes } from "../input/bytes.js";
import { pooledSecret, secretBytes } from "../input/caller-bytes.js";
import { disposed, outOfRange, proxied, requireArguments } from "../input/errors.js";
import { integer, NO_OPTIONS, requireKnown } from "../input/options.js";
import { sameBytes } from "../input/text.js";
import { groupsIn, VALUE } from "../tree/geometry.js";
import { mergeValues, type Pair, withHalves } from "../tree/merge.js";
import type { SubtreeOptions } from "./hasher.js";
import { chosenParts, layoutOf, lengthAt, type Part, type PartLayout, partAt, requirePowerOf2 } from "./parts.js";
import { type RootOptions, rootDigest, rootLength, rootReader } from "./root.js";
import { readSaved, toSaved } from "./saved-collector.js";

/** The mode and place of the collected object, and the length of its groups. */
export type CollectorOptions = SubtreeOptions & {
  /**
   * The length in bytes of the groups whose chaining values are set with each part's: a power of 2 from 1024 to the
   * length of a part. By default, no group values are collected.
   */
  readonly group?: number | undefined;
};

const NAME = "SubtreeCollector";
const SET = `${NAME}.set`;
const RESTORE = `${NAME}.restore`;
const OPTIONS: readonly string[] = ["offset", "key", "context", "group"];
const MAX_PARTS = 2 ** 24;
const NONE = /* @__PURE__ */ new Uint8Array();

/**
 * Collects the chaining values of an object's parts, in any order and from any machine, and merges them to the object's
 * digest, which is the one that `blake3` returns for the whole object (BLAKE3 paper, section 2.1).
 *
 * Chaining values are trusted: a wrong one makes a wrong digest.
 *
 * @example
 * const collector = new SubtreeCollector(message.length, 65536);
 * for (const { offset, length } of collector.missing) {
 *   collector.set(offset, chainingValue(message.subarray(offset, offset + length), { offset }));
 * }
 * collector.digest(); // blake3(message)
 */
export class SubtreeCollector extends Disposable {
  readonly #layout: PartLayout;
  readonly #group: number | undefined;
  readonly #mode: Uint8Array<ArrayBuffer>;
  /**
   * The chaining value of each part that has been set, then those of its groups. A part is one entry, so that `restore`
   * needs memory for what was saved alone, and `set` takes effect wholly or not at all.
   */
  readonly #parts = new Map<number, Uint8Array<ArrayBuffer>>();
  #live = true;

  /** Calls `dispose`; enables `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /**
   * @param length the length of the object in bytes: 1 to 2^53 - 1, and at offset 0 more than `partLength`. The digest
   *   of an object of one part cannot be computed from a chaining value; use `blake3`
   * @param partLength the length of a part in bytes: a power of 2 from 1024 to 2^52, for at most 2^24 parts
   * @param options the mode of the object, the offset if only one subtree of it is collected, and the length of groups
   * @throws TypeError for an unknown option or a value of the wrong type; RangeError for a number out of range
   */
  constructor(length: number, partLength: number, options: CollectorOptions = NO_OPTIONS) {
    super();
    requireArguments(NAME, arguments.length, 3);
    requireKnown(NAME, options, OPTIONS);
    const { offset = 0, group } = options;
    this.#layout = layoutOf(NAME, length, partLength, typeof offset === "bigint" ? Number(offset) : offset);
    requireCollectable(this.#layout);
    if (group !== undefined) requirePowerOf2(NAME, "group", group, partLength);
    this.#group = group;
    this.#mode = modeBytes(NAME, kernels, options);
  }

  /** The parts whose chaining values have not been set, in order. Each iteration starts from the current state. */
  get missing(): Iterable<Part> {
    this.requireLive("missing");
    return chosenParts(this.#layout, (index) => {
      this.requireLive("missing");
      return !this.#parts.has(index);
    });
  }

  /**
   * Sets the chaining value of a part. Setting the same value again changes nothing. If it throws, the collector is
   * unchanged.
   *
   * @param offset the offset of the part in the whole object, in bytes
   * @param value the part's chaining value: 32 bytes
   * @param groupValues the chaining values of the part's groups, in order, 32 bytes each: required if the collector has
   *   a group length, otherwise not allowed
   * @throws TypeError for a value of the wrong type; RangeError if no part begins at the offset, for a wrong number of
   *   bytes, or if the group values do not make the part's; Error if the part has a different value already, or after
   *   `dispose`
   */
  set(offset: number, value: Uint8Array, groupValues?: Uint8Array): this {
    requireArguments(SET, arguments.length, 3);
    this.requireLive("set");
    const index = this.#indexOf(offset);
    if (this.#group === undefined && groupValues !== undefined) {
      throw new TypeError(`${SET}: groupValues must be undefined without the option group, got some`);
    }
    // Copied, since shared memory can change between the check and the use.
    const own = copyOfBytes(SET, "value", value, VALUE);
    let groups: Uint8Array = NONE;
    try {
      if (this.#group !== undefined) {
        groups = copyOfBytes(SET, "groupValues", groupValues, this.#groupsLengthOf(index));
      }
      this.#put(index, own, groups);
    } finally {
      own.fill(0);
      groups.fill(0);
    }
    return this;
  }

  /** Stores the values of a part, or compares its value with the stored one. */
  #put(index: number, value: Uint8Array, groups: Uint8Array): void {
    if (groups.length > 0) this.#requireGroupsOf(index, value, groups);
    const before = this.#parts.get(index);
    if (before === undefined) {
      const values = pooledSecret(VALUE + groups.length);
      values.set(value);
      values.set(groups, VALUE);
      this.#parts.set(index, values);
    } else if (!sameBytes(value, before, VALUE)) {
      const { offset } = partAt(this.#layout, index);
      throw new Error(
        `${SET}: value must be the one already set for the part at offset ${offset}, got a different one`,
      );
    }
  }

  #requireGroupsOf(index: number, value: Uint8Array, groups: Uint8Array): void {
    const merged = mergeValues(this.#mode, groups);
    const isOwn = sameBytes(merged, value, VALUE);
    merged.fill(0);
    if (isOwn) return;
    const { offset } = partAt(this.#layout, index);
    throw new RangeError(`${SET}: groupValues must be those of the part's value at offset ${offset}, got others`);
  }

  /** Returns the length in bytes of the values of a part's groups. */
  #groupsLengthOf(index: number): number {
    return this.#group === undefined ? 0 : groupsIn(lengthAt(this.#layout, index), this.#group) * VALUE;
  }

  /**
   * Returns the chaining value of all parts together: that of one part for a collector of longer parts. It is not a
   * digest.
   *
   * @throws Error while a part is missing, or after `dispose`
   * @example
   * const whole = new SubtreeCollector(2 ** 37, 2 ** 36);
   * const half = new SubtreeCollector(2 ** 36, 2 ** 26, { offset: 2 ** 36 });
   * // After all parts of `half` have been set:
   * whole.set(2 ** 36, half.chainingValue());
   */
  chainingValue(): Uint8Array<ArrayBuffer> {
    this.requireAll("chainingValue", arguments.length);
    return this.#withValues((values) => mergeValues(this.#mode, values));
  }

  /**
   * Returns the digest of the object, as `blake3` does in the same mode.
   *
   * @throws TypeError for an unknown option or a value of the wrong type; RangeError for a length out of range, or if
   *   the offset is not 0; Error while a part is missing, or after `dispose`
   */
  digest(options: RootOptions = NO_OPTIONS): Uint8Array<ArrayBuffer> {
    const call = `${NAME}.digest`;
    requireArguments(call, arguments.length, 1);
    // First, since a getter among the options may dispose of this collector.
    const length = rootLength(call, options);
    this.requireRoot("digest");
    return this.#withHalves((halves) => rootDigest(call, this.#mode, halves, length));
  }

  /**
   * Returns a reader of the extendable output of the object (BLAKE3 paper, section 2.6).
   *
   * @throws the same errors as `digest`
   */
  xof(): Xof {
    this.requireRoot("xof", arguments.length);
    return this.#withHalves((halves) => rootReader(this.#mode, halves));
  }

  /**
   * Returns the chaining values of all groups, in order, 32 bytes each. `outboardOfGroups` of `blake-simd/bao` makes
   * the object's outboard of them.
   *
   * @throws Error while a part is missing, if the collector has no group length, or after `dispose`
   * @example
   * const collector = new SubtreeCollector(length, 2 ** 26, { group: 16384 });
   * // After all parts have been set:
   * outboardOfGroups(collector.groupValues(), { root: collector.digest(), length, group: 16384 });
   */
  groupValues(): Uint8Array<ArrayBuffer> {
    this.requireAll("groupValues", arguments.length);
    if (this.#group === undefined) {
      throw new Error(`${NAME}.groupValues: collector must have the option group, got none`);
    }
    const { length, partLength } = this.#layout;
    const values = allocate(`${NAME}.groupValues`, groupsIn(length, this.#group) * VALUE);
    for (const [index, part] of this.#parts) {
      values.set(part.subarray(VALUE), index * (partLength / this.#group) * VALUE);
    }
    return values;
  }

  /**
   * Returns the collector's state as bytes, for `restore` on any machine and in any later release (format:
   * docs/states.md). With a key or a context, the bytes contain the key.
   *
   * @throws Error after `dispose`
   */
  save(): Uint8Array<ArrayBuffer> {
    requireArguments(`${NAME}.save`, arguments.length, 0);
    this.requireLive("save");
    const { count } = this.#layout;
    const bits = new Uint8Array(Math.ceil(count / 8));
    const saved: Uint8Array[] = [bits];
    for (let i = 0; i < count; i++) {
      const values = this.#parts.get(i);
      if (values === undefined) continue;
      bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7));
      saved.push(values);
    }
    return toSaved({ ...this.#layout, mode: this.#mode, group: this.#group }, saved);
  }

  /**
   * Returns a collector in the state that `save` returned.
   *
   * @throws TypeError for a value that is not a Uint8Array; RangeError for bytes that are not a saved collector
   * @example
   * const collector = SubtreeCollector.restore(readFileSync("progress"));
   */
  static restore(state: Uint8Array): SubtreeCollector {
    requireArguments(RESTORE, arguments.length, 1);
    return readSaved(RESTORE, state, ({ mode, offset, length, partLength, group }, saved) => {
      const collector = new SubtreeCollector(length, partLength, { offset, group });
      collector.#mode.set(mode);
      try {
        collector.#fill(saved);
      } catch (error) {
        // A refused state leaves no key in memory.
        collector.dispose();
        throw error;
      }
      return collector;
    });
  }

  /** Sets the saved values of a new collector: one bit for each part, then the values of each part that is set. */
  #fill(saved: Uint8Array): void {
    const { count } = this.#layout;
    const start = Math.ceil(count / 8);
    if (count % 8 !== 0 && (saved[start - 1] as number) >> (count % 8) !== 0) {
      throw refusal(RESTORE, "zeros as parts after the last", "other bits");
    }
    const isSet = (index: number) => (((saved[index >> 3] as number) >> (index & 7)) & 1) === 1;
    let end = start;
    for (let i = 0; i < count; i++) if (isSet(i)) end += VALUE + this.#groupsLengthOf(i);
    requireNumber(RESTORE, "bytes", saved.length, end);
    for (let i = 0, at = start; i < count; i++) {
      if (!isSet(i)) continue;
      const groups = at + VALUE;
      at = groups + this.#groupsLengthOf(i);
      this.#put(i, saved.subarray(groups - VALUE, groups), saved.subarray(groups, at));
    }
  }

  /** Wipes the key and all values. Every later call throws, except `dispose`. */
  dispose(): void {
    for (const bytes of [this.#mode, ...this.#parts.values()]) bytes.fill(0);
    this.#parts.clear();
    this.#live = false;
  }

  /** Passes the chaining values of all parts, in order, to `use`, and wipes them. */
  #withValues<T>(use: (values: Uint8Array) => T): T {
    const values = secretBytes(this.#layout.count * VALUE);
    try {
      for (const [index, part] of this.#parts) values.set(part.subarray(0, VALUE), index * VALUE);
      return use(values);
    } finally {
      values.fill(0);
    }
  }

  #withHalves<T>(use: (halves: Pair) => T): T {
    return this.#withValues((values) => withHalves(this.#mode, values, use));
  }

  #indexOf(offset: number): number {
    const { offset: first, partLength, count } = this.#layout;
    integer(SET, "offset", offset, 0, Number.MAX_SAFE_INTEGER);
    const index = (offset - first) / partLength;
    if (Number.isInteger(index) && index >= 0 && index < count) return index;
    const last = first + (count - 1) * partLength;
    throw outOfRange(SET, `offset must be that of a part: from ${first} to ${last} in steps of ${partLength}`, offset);
  }

  /** @internal These are not private, so that they are found through a Proxy. */
  requireRoot(method: string, given = 0): void {
    this.requireAll(method, given);
    const { offset } = this.#layout;
    if (offset !== 0) {
      throw new RangeError(`${NAME}.${method}: collector must be at offset 0, got offset ${offset}`);
    }
  }

  /** @internal */
  requireAll(method: string, given: number): void {
    requireArguments(`${NAME}.${method}`, given, 0);
    this.requireLive(method);
    const { count } = this.#layout;
    const missing = count - this.#parts.size;
    if (missing === 0) return;
    const [first] = this.missing;
    throw new Error(
      `${NAME}.${method}: all ${count} parts must be set, got ${missing} missing, the first at offset ${first?.offset}`,
    );
  }

  /** @internal */
  requireLive(method: string): void {
    if (!(#live in this)) throw proxied();
    if (!this.#live) throw disposed(`${NAME}.${method}`, "collector");
  }
}

function requireCollectable({ offset, length, partLength, count }: PartLayout): void {
  if (count > MAX_PARTS) {
    const least = 2 ** Math.ceil(Math.log2(length / MAX_PARTS));
    throw outOfRange(NAME, `partLength must be at least ${least}, for at most ${MAX_PARTS} parts`, partLength);
  }
  if (offset === 0 && count === 1) {
    const advice = "use blake3 for an object of one part";
    throw new RangeError(`${NAME}: length must be more than partLength ${partLength} (${advice}), got ${length}`);
  }
}
