// Collects the chaining values of the parts of an object, and merges them to its digest.
import { module } from "../algorithms/blake3-kernel.js";
import { MODE_LENGTH, modeBytes } from "../algorithms/blake3-mode.js";
import { checkMode } from "../algorithms/blake3-state.js";
import { Disposable } from "../engine/disposable.js";
import { viewOf } from "../engine/memory.js";
import { allocate } from "../engine/output.js";
import {
  CHECKSUM_LENGTH,
  checkFrame,
  digestLengthOf,
  type Frame,
  HEADER_LENGTH,
  seal,
  writeHeader,
} from "../engine/saved-frame.js";
import { requireNumber, requireZeros } from "../engine/saved-state-checks.js";
import type { Xof } from "../engine/xof.js";
import { copyOfBytes, requireBytes } from "../input/bytes.js";
import { disposed, outOfRange, requireArguments } from "../input/errors.js";
import { integer, NO_OPTIONS, requireKnown } from "../input/options.js";
import { asBytes, copyOf, lengthOf } from "../input/views.js";
import { leftLength, VALUE } from "../tree/geometry.js";
import { mergeValues, prepareMerge } from "../tree/merge.js";
import { type Pair, type RootOptions, rootDigest, rootReader } from "./parents.js";
import { chosenParts, type Division, divide, lengthAt, type Part, partAt, requirePowerOf2 } from "./parts.js";
import { recordRange, requireRange } from "./ranges.js";
import type { SubtreeOptions } from "./subtrees.js";

/** The mode and place of the collected object, and the length of its groups. */
export interface CollectorOptions extends SubtreeOptions {
  /**
   * The length in bytes of the groups whose chaining values are set with each part's: a power of 2 from 1024 to the length
   * of a part. By default, no group values are collected.
   */
  readonly group?: number | undefined;
}

const NAME = "SubtreeCollector";
const SET = `${NAME}.set`;
const RESTORE = `${NAME}.restore`;
const SAVED_NAME = "subtrees";
const OPTIONS: readonly string[] = ["offset", "key", "context", "group"];
// 512 MiB of chaining values.
const MAX_PARTS = 2 ** 24;
// Parts that are merged as soon as the last of them is set: a power of 2. A first merge of all values would run in code that the
// engine has not optimised: 4 to 18 ms for 16 384 parts, not the 0.4 to 0.7 of merging the runs.
const RUN = 256;
// The least number of group values that memory is allocated for at once.
const LEAST_GROUPS = 64;

// The parameters of a saved collector: the mode, padded; offset, length, length of a part and of a group.
const PARAMETERS_LENGTH = 72;
const NUMBERS_AT = 40;
const LEAST_SAVED = HEADER_LENGTH + PARAMETERS_LENGTH + 1 + CHECKSUM_LENGTH;

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
  readonly #division: Division;
  readonly #group: number | undefined;
  readonly #mode: Uint8Array<ArrayBuffer>;
  readonly #values: Uint8Array<ArrayBuffer>;
  /** The values of groups, in blocks that are allocated with the first part in them: a saved state may claim any number. */
  readonly #groupValues = new Map<number, Uint8Array<ArrayBuffer>>();
  /** One bit per part: whether its values are set. */
  readonly #present: Uint8Array<ArrayBuffer>;
  #awaited: number;
  /** The chaining values of the runs of parts, of those that are complete. */
  readonly #runs: Uint8Array<ArrayBuffer>;
  /** How many parts of each run are missing. */
  readonly #awaitedIn: Uint16Array<ArrayBuffer>;
  #live = true;

  /** The same as `dispose`, for `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /**
   * @param length the length of the object in bytes: 1 to 2^53 - 1, and at offset 0 more than `partLength`. The digest of an
   *   object of one part cannot be computed from a chaining value; use `blake3`
   * @param partLength the length of a part in bytes: a power of 2 from 1024 to 2^52, for at most 2^24 parts
   * @param options the mode of the object, the offset if only one subtree of it is collected, and the length of groups
   * @throws TypeError for an unknown option or a value of the wrong type; RangeError for a number out of range
   */
  constructor(length: number, partLength: number, options: CollectorOptions = NO_OPTIONS) {
    super();
    requireArguments(NAME, arguments.length, 3);
    requireKnown(NAME, options, OPTIONS);
    const { offset = 0, group, key, context } = options;
    this.#division = divide(NAME, length, partLength, typeof offset === "bigint" ? Number(offset) : offset);
    requireCollectable(this.#division);
    if (group !== undefined) requirePowerOf2(NAME, "group", group, partLength);
    this.#group = group;
    const { count } = this.#division;
    this.#mode = modeBytes(NAME, module, { key, context });
    // V8 moves a short array when it makes the first view of it, and leaves the old bytes (`copyOf`): before there are any.
    this.#values = allocate(NAME, count * VALUE).subarray();
    this.#present = new Uint8Array(Math.ceil(count / 8));
    this.#awaited = count;
    const runs = Math.ceil(count / RUN);
    this.#runs = new Uint8Array(runs * VALUE).subarray();
    this.#awaitedIn = Uint16Array.from({ length: runs }, (_, run) => Math.min(RUN, count - run * RUN));
    prepareMerge();
  }

  /** The parts whose chaining values have not been set, in order. Each iteration starts from the current state. */
  get missing(): Iterable<Part> {
    this.#requireLive("missing");
    return chosenParts(this.#division, (index) => {
      this.#requireLive("missing");
      return !this.#has(index);
    });
  }

  /**
   * Sets the chaining value of a part. Setting the same value again changes nothing. If it throws, the collector is
   * unchanged.
   *
   * @param offset the offset of the part in the whole object, in bytes
   * @param value the part's chaining value: 32 bytes
   * @param groupValues the chaining values of the part's groups, in order, 32 bytes each: required if the collector has a
   *   group length, otherwise not allowed
   * @throws TypeError for a value of the wrong type; RangeError if no part begins at the offset, for a wrong number of bytes,
   *   for a value computed in this process of another subtree, or if the group values do not make the part's; Error if the
   *   part has a different value already, or after `dispose`
   */
  set(offset: number, value: Uint8Array, groupValues?: Uint8Array): this {
    requireArguments(SET, arguments.length, 3);
    this.#requireLive("set");
    const index = this.#indexOf(offset);
    const length = lengthAt(this.#division, index);
    // Copied, since shared memory can change between the check and the use.
    const own = copyOfBytes(SET, "value", value, VALUE);
    try {
      requireRange(SET, value, offset, length);
      if (this.#group === undefined) {
        if (groupValues !== undefined) {
          throw new TypeError(`${SET}: groupValues must be undefined without the option group, got some`);
        }
        this.#put(index, own);
      } else {
        this.#putGroups(index, own, groupValues, Math.ceil(length / this.#group) * VALUE);
      }
    } finally {
      own.fill(0);
    }
    return this;
  }

  #putGroups(index: number, value: Uint8Array, groupValues: Uint8Array | undefined, length: number): void {
    const groups = copyOfBytes(SET, "groupValues", groupValues, length);
    try {
      this.#requireGroupsOf(index, value, groups);
      this.#put(index, value, groups);
    } finally {
      groups.fill(0);
    }
  }

  #requireGroupsOf(index: number, value: Uint8Array, groups: Uint8Array): void {
    const merged = mergeValues(this.#mode, groups);
    const areOthers = differ(merged, value, 0);
    merged.fill(0);
    if (!areOthers) return;
    const { offset } = partAt(this.#division, index);
    throw new RangeError(`${SET}: groupValues must be those of the part's value at offset ${offset}, got others`);
  }

  /** Stores the values of a part, or compares its value with the stored one. */
  #put(index: number, value: Uint8Array, groups?: Uint8Array): void {
    if (this.#has(index)) {
      if (!differ(value, this.#values, index * VALUE)) return;
      const { offset } = partAt(this.#division, index);
      throw new Error(
        `${SET}: value must be the one already set for the part at offset ${offset}, got a different one`,
      );
    }
    this.#values.set(value, index * VALUE);
    const run = Math.floor(index / RUN);
    // Before the part counts as set: an exception, of an exhausted stack for example, leaves it missing.
    if (this.#awaitedIn[run] === 1) this.#mergeRun(run);
    if (groups) this.#groupValuesOf(index).set(groups);
    this.#present[index >> 3] = (this.#present[index >> 3] as number) | (1 << (index & 7));
    this.#awaitedIn[run] = (this.#awaitedIn[run] as number) - 1;
    this.#awaited--;
  }

  #mergeRun(run: number): void {
    const value = mergeValues(this.#mode, this.#valuesIn(run));
    this.#runs.set(value, run * VALUE);
    value.fill(0);
  }

  /**
   * Returns the chaining value of all parts together: that of one part for a collector of longer parts. It is not a digest.
   *
   * @throws Error while a part is missing, or after `dispose`
   * @example
   * const whole = new SubtreeCollector(2 ** 37, 2 ** 36);
   * const half = new SubtreeCollector(2 ** 36, 2 ** 26, { offset: 2 ** 36 });
   * // After all parts of `half` have been set:
   * whole.set(2 ** 36, half.chainingValue());
   */
  chainingValue(): Uint8Array<ArrayBuffer> {
    this.#requireAll("chainingValue", arguments.length);
    const { offset, length } = this.#division;
    return recordRange(mergeValues(this.#mode, this.#runs), { offset: BigInt(offset), length: BigInt(length) });
  }

  /**
   * Returns the digest of the object, as `blake3` does in the same mode.
   *
   * @throws TypeError for an unknown option or a value of the wrong type; RangeError for a length out of range, or if the
   *   offset is not 0; Error while a part is missing, or after `dispose`
   */
  digest(options: RootOptions = NO_OPTIONS): Uint8Array<ArrayBuffer> {
    this.#requireRoot("digest", arguments.length, 1);
    return this.#withHalves((halves) => rootDigest(`${NAME}.digest`, this.#mode, halves, options));
  }

  /**
   * Returns a reader of the extendable output of the object (BLAKE3 paper, section 2.6).
   *
   * @throws the same errors as `digest`
   */
  xof(): Xof {
    this.#requireRoot("xof", arguments.length);
    return this.#withHalves((halves) => rootReader(this.#mode, halves));
  }

  /**
   * Returns the chaining values of all groups, in order, 32 bytes each. `outboardOfGroups` of `blake-simd/bao` makes the
   * object's outboard of them.
   *
   * @throws Error while a part is missing, if the collector has no group length, or after `dispose`
   * @example
   * const collector = new SubtreeCollector(length, 2 ** 26, { group: 16384 });
   * // After all parts have been set:
   * outboardOfGroups(collector.groupValues(), { root: collector.digest(), length, group: 16384 });
   */
  groupValues(): Uint8Array<ArrayBuffer> {
    this.#requireAll("groupValues", arguments.length);
    if (this.#group === undefined) {
      throw new Error(`${NAME}.groupValues: collector must have the option group, got none`);
    }
    const { count, length } = this.#division;
    const values = allocate(`${NAME}.groupValues`, Math.ceil(length / this.#group) * VALUE);
    let at = 0;
    for (let i = 0; i < count; i++) {
      const own = this.#groupValuesOf(i);
      values.set(own, at);
      at += own.length;
    }
    return values;
  }

  /**
   * Returns the collector's state as bytes, for `restore` on any machine and in any later release (format: docs/states.md).
   * With a key or a context, the bytes contain the key.
   *
   * @throws Error after `dispose`
   */
  save(): Uint8Array<ArrayBuffer> {
    requireArguments(`${NAME}.save`, arguments.length, 0);
    this.#requireLive("save");
    const { count } = this.#division;
    const parts: Uint8Array[] = [this.#present];
    for (let i = 0; i < count; i++) if (this.#has(i)) parts.push(this.#valuesOf(i), this.#groupValuesOf(i));
    const size = parts.reduce((sum, { length }) => sum + length, 0);
    const frame = frameOf(new Uint8Array(HEADER_LENGTH + PARAMETERS_LENGTH + size + CHECKSUM_LENGTH));
    let at = this.#writeHeader(frame, size);
    for (const part of parts) {
      frame.bytes.set(part, at);
      at += part.length;
    }
    seal(frame, at);
    return frame.bytes;
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
    requireBytes(RESTORE, "state", state);
    // Copied, since shared memory can change between check and use.
    const frame = frameOf(copyOf(asBytes(state), lengthOf(state)));
    const copy = frame.bytes;
    try {
      requireNumber(RESTORE, "bytes", copy.length, LEAST_SAVED, Number.MAX_SAFE_INTEGER);
      checkFrame(RESTORE, frame, copy.length, SAVED_NAME, PARAMETERS_LENGTH, PARAMETERS_LENGTH);
      requireNumber(RESTORE, "digest length", digestLengthOf(frame), VALUE);
      return SubtreeCollector.#from(copy.subarray(HEADER_LENGTH, -CHECKSUM_LENGTH));
    } finally {
      copy.fill(0);
    }
  }

  /** Returns a collector with the parameters and values of a saved one. */
  static #from(saved: Uint8Array): SubtreeCollector {
    checkMode(saved.subarray(0, NUMBERS_AT), RESTORE);
    const [offset, length, partLength, group] = readNumbers(saved);
    // Before anything is allocated by these numbers: one bit per part must follow.
    const bitmap = Math.ceil(length / Math.max(partLength, 1024) / 8);
    requireNumber(RESTORE, "bytes", saved.length - PARAMETERS_LENGTH, bitmap, Number.MAX_SAFE_INTEGER);
    const collector = new SubtreeCollector(length, partLength, { offset, ...(group !== 0 && { group }) });
    collector.#mode.set(saved.subarray(0, MODE_LENGTH));
    try {
      collector.#fill(saved.subarray(PARAMETERS_LENGTH));
    } catch (error) {
      // A refused state leaves no key in memory.
      collector.dispose();
      throw error;
    }
    return collector;
  }

  /** Sets the saved values of a new collector. */
  #fill(saved: Uint8Array): void {
    const { count } = this.#division;
    const bitmap = this.#present.length;
    const has = (index: number) => ((saved[index >> 3] as number) >> (index & 7)) & 1;
    if (count % 8 !== 0) {
      requireZeros(RESTORE, "parts after the last", Uint8Array.of((saved[bitmap - 1] as number) >> (count % 8)), 0);
    }
    let end = bitmap;
    for (let i = 0; i < count; i++) if (has(i)) end += VALUE + this.#groupLengthOf(i);
    requireNumber(RESTORE, "bytes", saved.length, end);
    let at = bitmap;
    for (let i = 0; i < count; i++) {
      if (!has(i)) continue;
      const split = at + VALUE;
      const next = split + this.#groupLengthOf(i);
      this.#put(i, saved.subarray(at, split), saved.subarray(split, next));
      at = next;
    }
  }

  /** Wipes the key and all values. Every later call throws, except `dispose`. */
  dispose(): void {
    const blocks = this.#groupValues.values();
    for (const bytes of [this.#mode, this.#values, this.#present, this.#runs, ...blocks]) bytes.fill(0);
    this.#live = false;
  }

  /** Passes the chaining values of the two subtrees of the root to `use`, and wipes them. */
  #withHalves<T>(use: (halves: Pair) => T): T {
    const { length, partLength } = this.#division;
    const left = Number(leftLength(BigInt(length))) / partLength;
    // Of up to one run, the halves are in it; otherwise the left one is of whole runs.
    const [values, middle] = left < RUN ? [this.#values, left * VALUE] : [this.#runs, (left / RUN) * VALUE];
    const halves: Uint8Array[] = [];
    try {
      for (const half of [values.subarray(0, middle), values.subarray(middle)]) {
        halves.push(mergeValues(this.#mode, half));
      }
      return use(halves as unknown as Pair);
    } finally {
      for (const half of halves) half.fill(0);
    }
  }

  #indexOf(offset: number): number {
    const { offset: first, partLength, count } = this.#division;
    integer(SET, "offset", offset, 0, Number.MAX_SAFE_INTEGER);
    const index = (offset - first) / partLength;
    if (Number.isInteger(index) && index >= 0 && index < count) return index;
    const last = first + (count - 1) * partLength;
    throw outOfRange(SET, `offset must be that of a part: from ${first} to ${last} in steps of ${partLength}`, offset);
  }

  #has(index: number): boolean {
    return (((this.#present[index >> 3] as number) >> (index & 7)) & 1) === 1;
  }

  #valuesOf(index: number): Uint8Array {
    return this.#values.subarray(index * VALUE, (index + 1) * VALUE);
  }

  #valuesIn(run: number): Uint8Array {
    return this.#values.subarray(run * RUN * VALUE, (run + 1) * RUN * VALUE);
  }

  /** Returns the length in bytes of the values of a part's groups. */
  #groupLengthOf(index: number): number {
    return this.#group === undefined ? 0 : Math.ceil(lengthAt(this.#division, index) / this.#group) * VALUE;
  }

  /** Returns where the values of a part's groups are. */
  #groupValuesOf(index: number): Uint8Array {
    if (this.#group === undefined) return new Uint8Array();
    const groups = this.#division.partLength / this.#group;
    const parts = Math.max(1, LEAST_GROUPS / groups);
    const number = Math.floor(index / parts);
    const block =
      this.#groupValues.get(number) ?? allocate(SET, Math.max(LEAST_GROUPS * VALUE, this.#groupLengthOf(index)));
    this.#groupValues.set(number, block);
    const at = (index % parts) * groups * VALUE;
    return block.subarray(at, at + this.#groupLengthOf(index));
  }

  /** Writes the header of a saved collector; returns where it ends. */
  #writeHeader(frame: Frame, size: number): number {
    const parameters = this.#parameters();
    try {
      return writeHeader(frame, SAVED_NAME, VALUE, parameters, PARAMETERS_LENGTH, size);
    } finally {
      parameters.fill(0);
    }
  }

  #parameters(): Uint8Array {
    const parameters = new Uint8Array(PARAMETERS_LENGTH);
    const { offset, length, partLength } = this.#division;
    parameters.set(this.#mode);
    const view = viewOf(parameters);
    for (const [i, number] of [offset, length, partLength, this.#group ?? 0].entries()) {
      view.setBigUint64(NUMBERS_AT + 8 * i, BigInt(number), true);
    }
    return parameters;
  }

  #requireRoot(method: string, given: number, most = 0): void {
    this.#requireAll(method, given, most);
    const { offset } = this.#division;
    if (offset !== 0) {
      throw new RangeError(`${NAME}.${method}: collector must be at offset 0, got offset ${offset}`);
    }
  }

  #requireAll(method: string, given: number, most = 0): void {
    requireArguments(`${NAME}.${method}`, given, most);
    this.#requireLive(method);
    if (this.#awaited === 0) return;
    const [first] = this.missing;
    const [count, missing] = [this.#division.count, this.#awaited];
    throw new Error(
      `${NAME}.${method}: all ${count} parts must be set, got ${missing} missing, the first at offset ${first?.offset}`,
    );
  }

  #requireLive(method: string): void {
    if (!this.#live) throw disposed(`${NAME}.${method}`, "collector");
  }
}

function frameOf(bytes: Uint8Array<ArrayBuffer>): Frame {
  return { bytes, view: viewOf(bytes) };
}

function requireCollectable({ offset, length, partLength, count }: Division): void {
  if (count > MAX_PARTS) {
    const least = 2 ** Math.ceil(Math.log2(length / MAX_PARTS));
    throw outOfRange(NAME, `partLength must be at least ${least}, for at most ${MAX_PARTS} parts`, partLength);
  }
  if (offset === 0 && count === 1) {
    const advice = "use blake3 for an object of one part";
    throw new RangeError(`${NAME}: length must be more than partLength ${partLength} (${advice}), got ${length}`);
  }
}

function readNumbers(parameters: Uint8Array): [offset: number, length: number, partLength: number, group: number] {
  const view = viewOf(parameters);
  const numbers = [0, 1, 2, 3].map((i) => Number(view.getBigUint64(NUMBERS_AT + 8 * i, true)));
  return numbers as [number, number, number, number];
}

/** Compares bytes with those at an offset of an array, in constant time. */
function differ(bytes: Uint8Array, array: Uint8Array, at: number): boolean {
  let difference = 0;
  for (let i = 0; i < bytes.length; i++) difference |= (bytes[i] as number) ^ (array[at + i] as number);
  return difference !== 0;
}
