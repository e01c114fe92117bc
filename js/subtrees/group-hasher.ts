// Hashes a subtree and keeps the chaining values of its groups, the leaves of an outboard.
import { Disposable } from "../engine/disposable.js";
import { type Input, viewOfInput } from "../input/bytes.js";
import { disposed, requireArguments } from "../input/errors.js";
import { requireKnown } from "../input/options.js";
import { concatBytes } from "../input/views.js";
import { mergeValues } from "../tree/merge.js";
import { requirePowerOf2 } from "./parts.js";
import { requireRoom, requireSome, toOffset } from "./ranges.js";
import { SubtreeState } from "./subtree-state.js";
import type { SubtreeOptions } from "./subtrees.js";

/** A subtree's mode, its offset, and the length of its groups. */
export interface SubtreeGroupOptions extends SubtreeOptions {
  /** The length of a group in bytes: a power of 2 from 1024 to 2^20. `offset` must be a multiple of it. */
  readonly group: number;
}

const NAME = "SubtreeGroupHasher";
const OPTIONS: readonly string[] = ["offset", "key", "context", "group"];
const MAX_GROUP = 2 ** 20;

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
export class SubtreeGroupHasher extends Disposable {
  readonly #offset: bigint;
  readonly #group: number;
  /** The chaining values of all groups except the last. */
  readonly #values: Uint8Array[] = [];
  #state: SubtreeState | undefined;
  /** The number of bytes in the last group. */
  #filled = 0;
  #interrupted = false;

  /** Calls `dispose`; enables `using`. */
  declare readonly [Symbol.dispose]: () => void;

  /**
   * @throws TypeError for an unknown option or a value of the wrong type; RangeError if the group is not a power of 2 from
   *   1024 to 2^20, or the offset is not a multiple of it
   */
  constructor(options: SubtreeGroupOptions) {
    super();
    requireArguments(NAME, arguments.length, 1);
    requireKnown(NAME, options, OPTIONS);
    const { group, offset = 0 } = options;
    requirePowerOf2(NAME, "group", group, MAX_GROUP);
    this.#offset = toOffset(NAME, offset);
    if (this.#offset % BigInt(group) !== 0n) {
      throw new RangeError(`${NAME}: offset must be a multiple of group ${group}, got ${this.#offset}`);
    }
    this.#group = group;
    this.#state = new SubtreeState(NAME, options, this.#offset);
  }

  /** The number of bytes so far. */
  get bytesHashed(): bigint {
    this.#live("bytesHashed");
    return BigInt(this.#values.length * this.#group + this.#filled);
  }

  /**
   * Appends to the subtree. If it throws one of these errors, the subtree is unchanged; if it is interrupted otherwise, by an
   * exhausted stack for example, the hasher can no longer be used.
   *
   * @throws TypeError for a value that is not an {@link Input}, or is detached; RangeError if the subtree would exceed
   *   `maxSubtreeLength(offset)` bytes; Error after `dispose`
   */
  update(input: Input): this {
    const call = `${NAME}.update`;
    requireArguments(call, arguments.length, 1);
    this.#live("update");
    const bytes = viewOfInput(call, "input", input);
    const { length } = bytes;
    requireRoom(call, this.#offset, this.bytesHashed + BigInt(length));
    // An exception in between, of an exhausted stack for example, leaves some of the bytes hashed and others not.
    this.#interrupted = true;
    for (let at = 0; at < length; ) at += this.#fillGroup(bytes.subarray(at));
    this.#interrupted = false;
    return this;
  }

  /** Hashes bytes up to the end of a group; returns how many. */
  #fillGroup(bytes: Uint8Array): number {
    const state = this.#state as SubtreeState;
    if (this.#filled === this.#group) this.#beginGroup(state);
    const part = bytes.subarray(0, this.#group - this.#filled);
    state.update(part);
    this.#filled += part.length;
    return part.length;
  }

  #beginGroup(state: SubtreeState): void {
    this.#values.push(state.chainingValue());
    state.restart(this.#offset + BigInt(this.#values.length * this.#group));
    this.#filled = 0;
  }

  /**
   * Returns the chaining values of the groups so far, in order, 32 bytes each. The last group may be short.
   *
   * @throws RangeError if there are no bytes yet; Error after `dispose`
   */
  groupValues(): Uint8Array<ArrayBuffer> {
    return this.#all("groupValues", arguments.length);
  }

  /**
   * Returns the chaining value of the bytes so far, as `SubtreeHasher` does.
   *
   * @throws RangeError if there are no bytes yet; Error after `dispose`
   */
  chainingValue(): Uint8Array<ArrayBuffer> {
    const values = this.#all("chainingValue", arguments.length);
    try {
      return mergeValues(this.#live("chainingValue").mode, values);
    } finally {
      values.fill(0);
    }
  }

  /** Wipes the state and the key. Every later call throws, except `dispose`. */
  dispose(): void {
    this.#state?.clear();
    this.#state = undefined;
    for (const value of this.#values) value.fill(0);
  }

  /** Returns the values of all groups, including the last one. */
  #all(method: string, given: number): Uint8Array<ArrayBuffer> {
    requireArguments(`${NAME}.${method}`, given, 0);
    const state = this.#live(method);
    requireSome(`${NAME}.${method}`, this.bytesHashed);
    const last = state.chainingValue();
    try {
      return concatBytes([...this.#values, last]);
    } finally {
      last.fill(0);
    }
  }

  #live(method: string): SubtreeState {
    if (!this.#state) throw disposed(`${NAME}.${method}`, "hasher");
    if (!this.#interrupted) return this.#state;
    throw new Error(`${NAME}.${method}: hasher must have a state, got one that lost it in an interrupted update`);
  }
}
