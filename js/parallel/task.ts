// One message in progress: its parts, the chaining values of their groups as they arrive, and the digest that results.
import { kernels } from "../algorithms/blake3-kernel.js";
import { modeBytes } from "../algorithms/blake3-mode.js";
import { allocate } from "../engine/output.js";
import { inContext } from "../input/async-context.js";
import { named } from "../sources/files.js";
import type { Part } from "../subtrees/parts.js";
import { rootDigest } from "../subtrees/root.js";
import { groupsIn, VALUE } from "../tree/geometry.js";
import { PIECE } from "../tree/kernel.js";
import { withHalves } from "../tree/merge.js";
import { CALL } from "./messages.js";
import type { PartJob } from "./pool-worker.js";
import type { Request } from "./request.js";
import type { PoolSource } from "./source.js";

/** The least group: small enough for equal parts, large enough for the kernel's lanes. */
const MIN_GROUP = 0x4000;
/** The most groups in a message, unless they are as large as pieces. */
const MOST_GROUPS = 0x200;

/** Returns the length of the groups that a message of some length is hashed in. */
function groupFor(length: number): number {
  return Math.min(PIECE, Math.max(MIN_GROUP, 2 ** Math.ceil(Math.log2(length / MOST_GROUPS))));
}

/** The hash of a message of at least two parts. Each `begin` must be followed by one call of `complete` or `fail`. */
export class MessageTask {
  /** Settles as soon as the outcome is known, even if other parts are still in progress. */
  readonly result: Promise<Uint8Array<ArrayBuffer>>;
  readonly #source: PoolSource;
  readonly #request: Request;
  /** In the caller's context, as in p-queue since sindresorhus/p-queue#200: parts end in that of another call. */
  readonly #onProgress: Request["onProgress"];
  readonly count: number;
  readonly #group: number;
  readonly #parameters: Uint8Array<ArrayBuffer>;
  /** The chaining values of the groups, in order. */
  readonly #values: Uint8Array<ArrayBuffer>;
  #next = 0;
  #inFlight = 0;
  #bytesSoFar = 0;
  #settled = false;
  #resolve!: (digest: Uint8Array<ArrayBuffer>) => void;
  #reject!: (error: unknown) => void;

  /** @param count of parts, of about equal length, so that threads that start together finish together */
  constructor(source: PoolSource, request: Request, count: number) {
    const { length } = source;
    this.#source = source;
    this.#request = request;
    this.#onProgress = request.onProgress && inContext(request.onProgress);
    this.count = count;
    this.#group = request.group ?? groupFor(length);
    this.#values = allocate(CALL, groupsIn(length, this.#group) * VALUE);
    this.#parameters = modeBytes(CALL, kernels, request.mode);
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Whether there are parts that have not been begun. */
  get waiting(): boolean {
    return !this.#settled && this.#next < this.count;
  }

  /** Begins a part and returns its number. */
  begin(): number {
    this.#inFlight++;
    return this.#next++;
  }

  /** Returns the job to send to a worker. */
  async jobOf(number: number): Promise<PartJob> {
    const { offset, length } = this.#part(number);
    const place = this.#source.place(offset, length);
    return place ? this.#makeJob(number, place) : this.jobWithBytes(number);
  }

  /** Returns the job with its bytes, which may be in `room`. */
  async jobWithBytes(number: number, room?: Uint8Array): Promise<PartJob<Uint8Array>> {
    const { offset, length } = this.#part(number);
    return this.#makeJob(number, await this.#source.bytes(offset, length, room));
  }

  #makeJob<S>(number: number, source: S): PartJob<S> {
    return { ...this.#part(number), group: this.#group, source, parameters: this.#parameters };
  }

  /** Returns the part with a number, counted from 0. No group is divided. */
  #part(number: number): Part {
    const offset = this.#startOf(number);
    return { offset, length: this.#startOf(number + 1) - offset };
  }

  /** Returns where a part begins. Products of these numbers would not be exact. */
  #startOf(number: number): number {
    const grain = Math.max(MIN_GROUP, this.#group);
    const { length } = this.#source;
    const grains = groupsIn(length, grain);
    const first = number * Math.floor(grains / this.count) + Math.min(number, grains % this.count);
    return Math.min(first * grain, length);
  }

  /** Takes the chaining values of a part. */
  complete(number: number, values: Uint8Array): void {
    const { offset, length } = this.#part(number);
    if (!this.#settled) {
      this.#values.set(values, (offset / this.#group) * VALUE);
      this.#bytesSoFar += length;
      this.#report();
    }
    this.#end();
  }

  #report(): void {
    try {
      this.#onProgress?.(this.#bytesSoFar, this.#source.length);
    } catch (error) {
      this.abort(error);
    }
  }

  fail(error: unknown): void {
    this.abort(named(error, this.#source.path));
    this.#end();
  }

  /** Ends the task. The values of parts in progress are discarded. */
  abort(reason: unknown): void {
    if (this.#settled) return;
    // First, so that the digest rejects even if the rest of this fails.
    this.#reject(reason);
    this.#settled = true;
    if (this.#inFlight === 0) this.#release();
  }

  /** Ends a part. The last one ends the task. */
  #end(): void {
    this.#inFlight--;
    if (this.#inFlight > 0) return;
    if (this.#settled) this.#release();
    else if (this.#bytesSoFar === this.#source.length) void this.#succeed();
  }

  async #succeed(): Promise<void> {
    try {
      const result = this.#result();
      this.#settled = true;
      // The file is closed before its digest resolves.
      await this.#release();
      this.#resolve(result);
    } catch (error) {
      this.abort(error);
    }
  }

  /** Returns the values if they were asked for, otherwise the digest. */
  #result(): Uint8Array<ArrayBuffer> {
    const { group, length } = this.#request;
    if (group !== undefined) return this.#values;
    return withHalves(this.#parameters, this.#values, (pair) => rootDigest(CALL, this.#parameters, pair, length));
  }

  /** Wipes the key and closes the source; called once, when no part is in progress. */
  #release(): unknown {
    this.#parameters.fill(0);
    if (this.#request.group === undefined) this.#values.fill(0);
    return this.#source.close();
  }
}
