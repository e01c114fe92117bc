// One hash in progress: its parts, their chaining values as they arrive, and the digest that results.
import { module } from "../algorithms/blake3-kernel.js";
import { modeBytes } from "../algorithms/blake3-mode.js";
import { allocate } from "../engine/output.js";
import { copyOf } from "../input/views.js";
import { type Pair, parentValue, rootDigest } from "../subtrees/parents.js";
import { SubtreeStack, VALUE } from "../tree/geometry.js";
import { type Part, type Parts, subtreesOf } from "./parts.js";
import type { Request } from "./request.js";
import type { Source } from "./source.js";
import type { Job } from "./worker-thread.js";

/** The result that is assembled from the parts' chaining values. */
interface Outcome {
  keep(part: Part, values: Uint8Array): void;
  result(): Uint8Array<ArrayBuffer>;
}

/** The digest of the message. */
class Digest implements Outcome {
  readonly #mode: Uint8Array;
  readonly #digestLength: number;
  /** The parts that are complete, with the chaining values of their subtrees. */
  readonly #parts: { readonly part: Part; readonly values: Uint8Array }[] = [];

  /** @param mode as `modeBytes` returns it */
  constructor(mode: Uint8Array, digestLength: number) {
    this.#mode = mode;
    this.#digestLength = digestLength;
  }

  keep(part: Part, values: Uint8Array): void {
    this.#parts.push({ part, values });
  }

  result(): Uint8Array<ArrayBuffer> {
    const stack = new SubtreeStack((left, right) => parentValue(this.#mode, [left, right]));
    for (const { part, values } of this.#parts.sort((a, b) => a.part.at - b.part.at)) {
      for (const [i, { length }] of subtreesOf(part).entries()) {
        stack.push(length, () => values.subarray(i * VALUE, (i + 1) * VALUE));
      }
    }
    const pair = stack.finish() as unknown as Pair;
    return rootDigest("Blake3Pool.hash", this.#mode, pair, { length: this.#digestLength });
  }
}

/** The chaining values of the message's groups, one after the other. */
class GroupValues implements Outcome {
  readonly #group: number;
  readonly #values: Uint8Array<ArrayBuffer>;

  constructor(length: number, group: number) {
    this.#group = group;
    this.#values = allocate("Blake3Pool.hash", Math.ceil(length / group) * VALUE);
  }

  keep({ at }: Part, values: Uint8Array): void {
    this.#values.set(values, (at / this.#group) * VALUE);
  }

  result(): Uint8Array<ArrayBuffer> {
    return this.#values;
  }
}

/** A message of at least two parts. Each `begin` must be followed by one call of `complete`, `requeue` or `fail`. */
export class Task {
  /** Settles as soon as the outcome is known, even if other parts are still in progress. */
  readonly digest: Promise<Uint8Array<ArrayBuffer>>;
  readonly #source: Source;
  readonly #request: Request;
  readonly #parts: Parts;
  readonly #parameters: Uint8Array<ArrayBuffer>;
  readonly #outcome: Outcome;
  /** Parts whose worker ended before they were complete. */
  readonly #lost: number[] = [];
  #next = 0;
  #inFlight = 0;
  #missing: number;
  #bytesSoFar = 0;
  #settled = false;
  #released = false;
  #resolve!: (digest: Uint8Array<ArrayBuffer>) => void;
  #reject!: (error: unknown) => void;

  constructor(source: Source, request: Request, parts: Parts) {
    this.#source = source;
    this.#request = request;
    this.#parts = parts;
    this.#missing = parts.count;
    this.#parameters = modeBytes("Blake3Pool.hash", module, request.mode);
    const { group } = request;
    this.#outcome =
      group === undefined ? new Digest(this.#parameters, request.length) : new GroupValues(source.length, group);
    this.digest = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Number of its parts. */
  get count(): number {
    return this.#parts.count;
  }

  /** Bytes in the calling thread's memory; 0 if the message is elsewhere. */
  get bytesInMemory(): number {
    return this.#source.inMemory ? this.#source.length : 0;
  }

  /** Whether there are parts that have not been begun. */
  get waiting(): boolean {
    return !this.#settled && (this.#lost.length > 0 || this.#next < this.#parts.count);
  }

  /** Begins a part and returns its number. */
  begin(): number {
    this.#inFlight++;
    return this.#lost.pop() ?? this.#next++;
  }

  /** Returns the job to send to a worker. */
  jobOf(number: number): Job | Promise<Job> {
    const { at, length } = this.#parts.part(number);
    const place = this.#source.place(at, length);
    return place ? this.#makeJob(number, place) : this.jobWithBytes(number);
  }

  /** Returns the job with its bytes, which may be in `room`. */
  jobWithBytes(number: number, room?: Uint8Array): Job<Uint8Array> | Promise<Job<Uint8Array>> {
    const { at, length } = this.#parts.part(number);
    const bytes = this.#source.bytes(at, length, room);
    return bytes instanceof Promise ? bytes.then((b) => this.#makeJob(number, b)) : this.#makeJob(number, bytes);
  }

  #makeJob<S>(number: number, source: S): Job<S> {
    return { ...this.#parts.part(number), source, parameters: copyOf(this.#parameters) };
  }

  complete(number: number, values: Uint8Array): void {
    const part = this.#parts.part(number);
    this.#outcome.keep(part, values);
    this.#missing--;
    if (!this.#settled) this.#advance(part.length);
    this.#end();
  }

  #advance(bytes: number): void {
    this.#bytesSoFar += bytes;
    try {
      this.#request.onProgress?.(this.#bytesSoFar, this.#source.length);
      if (this.#missing > 0 || this.#settled) return;
      this.#source.requireOpen?.();
      this.#succeed(this.#outcome.result());
    } catch (error) {
      this.abort(error);
    }
  }

  /** Returns a part to the queue because the worker that had begun it has ended. */
  requeue(number: number): void {
    this.#lost.push(number);
    this.#end();
  }

  fail(error: unknown): void {
    this.abort(this.#source.explain(error));
    this.#end();
  }

  /** Ends the hash with an error. The results of parts in progress are discarded. */
  abort(reason: unknown): void {
    if (this.#settled) return;
    // First, so that the digest rejects even if the rest of this fails.
    this.#reject(reason);
    this.#settled = true;
    if (this.#inFlight === 0) void this.#release();
  }

  // The file is closed before its digest resolves.
  #succeed(digest: Uint8Array<ArrayBuffer>): void {
    this.#settled = true;
    void this.#release().then(() => this.#resolve(digest));
  }

  #end(): void {
    this.#inFlight--;
    if (this.#inFlight === 0 && this.#settled) void this.#release();
  }

  async #release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    this.#parameters.fill(0);
    await this.#source.close?.().catch(() => {});
  }
}
