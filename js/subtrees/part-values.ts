// The chaining values of an object's parts and of their groups, and what is merged of them.
import { allocate } from "../engine/output.js";
import { secretBytes } from "../input/caller-bytes.js";
import { groupsIn, VALUE } from "../tree/geometry.js";
import { mergeValues, type Pair, withHalves } from "../tree/merge.js";
import { trees } from "../tree/module.js";
import { type Division, lengthAt, RUN } from "./parts.js";

// The least number of group values that memory is allocated for at once.
const LEAST_GROUPS = 64;

/** The values are put in any order, and those of runs of parts are merged as soon as they are complete. */
export class PartValues {
  readonly #division: Division;
  readonly #group: number | undefined;
  readonly #mode: Uint8Array;
  readonly #values: Uint8Array<ArrayBuffer>;
  /**
   * The values of runs. A first merge of all values would run in code that the engine has not optimised: 4 to 18 ms for
   * 16 384 parts, not the 0.4 to 0.7 of merging the runs.
   */
  readonly #runs: Uint8Array<ArrayBuffer>;
  /** The values of groups, in blocks that are allocated with the first part in them: a saved state may claim any number. */
  readonly #groupValues = new Map<number, Uint8Array<ArrayBuffer>>();

  /** @param mode as `modeBytes` returns it; it is read when values are merged */
  constructor(call: string, division: Division, group: number | undefined, mode: Uint8Array) {
    this.#division = division;
    this.#group = group;
    this.#mode = mode;
    this.#values = allocate(call, division.count * VALUE, secretBytes);
    this.#runs = secretBytes(Math.ceil(division.count / RUN) * VALUE);
    void trees.kernel;
  }

  /** Stores the value of a part and those of its groups. `completesRun` says whether all others of its run are here. */
  put(call: string, index: number, value: Uint8Array, groups: Uint8Array, completesRun: boolean): void {
    this.#values.set(value, index * VALUE);
    if (completesRun) this.#mergeRun(Math.floor(index / RUN));
    if (groups.length > 0) this.groupsOf(index, call).set(groups);
  }

  #mergeRun(run: number): void {
    const value = this.merge(this.#values.subarray(run * RUN * VALUE, (run + 1) * RUN * VALUE));
    this.#runs.set(value, run * VALUE);
    value.fill(0);
  }

  /** Returns the value of neighbours. */
  merge(values: Uint8Array): Uint8Array<ArrayBuffer> {
    return mergeValues(this.#mode, values);
  }

  /** Returns the value of all parts. */
  all(): Uint8Array<ArrayBuffer> {
    return this.merge(this.#runs);
  }

  /** Passes the values of the two subtrees of the root to `use`, and wipes them. */
  withHalves<T>(use: (halves: Pair) => T): T {
    // Of more than one run, the left half is of whole runs.
    return withHalves(this.#mode, this.#division.count > RUN ? this.#runs : this.#values, use);
  }

  /** Returns a view of the value of a part. */
  of(index: number): Uint8Array<ArrayBuffer> {
    return this.#values.subarray(index * VALUE, (index + 1) * VALUE);
  }

  /** Returns the length in bytes of the values of a part's groups. */
  groupsLengthOf(index: number): number {
    return this.#group === undefined ? 0 : groupsIn(lengthAt(this.#division, index), this.#group) * VALUE;
  }

  /** Returns a view of the values of a part's groups; empty if there is no group length. `call` allocates room for them. */
  groupsOf(index: number, call = ""): Uint8Array<ArrayBuffer> {
    if (this.#group === undefined) return new Uint8Array();
    const groups = this.#division.partLength / this.#group;
    const parts = Math.max(1, LEAST_GROUPS / groups);
    const number = Math.floor(index / parts);
    const length = this.groupsLengthOf(index);
    const block = this.#groupValues.get(number) ?? allocate(call, Math.max(LEAST_GROUPS * VALUE, length), secretBytes);
    this.#groupValues.set(number, block);
    const at = (index % parts) * groups * VALUE;
    return block.subarray(at, at + length);
  }

  wipe(): void {
    for (const bytes of [this.#values, this.#runs, ...this.#groupValues.values()]) bytes.fill(0);
  }
}
