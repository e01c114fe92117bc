// One hash in flight: its slabs, their chaining values as they come, and the digest that these make.
import { encodeMode, MODE_LENGTH } from "../blake3-mode.js";
import { mergeSubtrees, rootOf } from "../hazmat.js";
import type { Request } from "./request.js";
import type { Source } from "./source.js";
import type { Order } from "./thread.js";

const CHUNK = 1024;

/** A message of two slabs at least. Whoever begins a slab says once how it went: `complete`, `lose` or `fail`. */
export class Task {
  /** Settles as soon as the outcome is known: other slabs may still be in work then. */
  readonly digest: Promise<Uint8Array<ArrayBuffer>>;
  readonly #source: Source;
  readonly #request: Request;
  readonly #slab: number;
  readonly #count: number;
  readonly #parameters = new Uint8Array(MODE_LENGTH);
  readonly #values: Uint8Array[] = [];
  /** Slabs that were begun and lost. */
  readonly #lost: number[] = [];
  #next = 0;
  #inWork = 0;
  #missing: number;
  #bytesSoFar = 0;
  #settled = false;
  #released = false;
  #resolve!: (digest: Uint8Array<ArrayBuffer>) => void;
  #reject!: (error: unknown) => void;

  /** @param slab bytes in each slab but the last: a power of 2 of chunks */
  constructor(source: Source, request: Request, slab: number) {
    this.#source = source;
    this.#request = request;
    this.#slab = slab;
    this.#count = Math.ceil(source.length / slab);
    this.#missing = this.#count;
    encodeMode(request.mode, this.#parameters);
    this.digest = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Whether there are slabs that nobody has begun. */
  get waiting(): boolean {
    return !this.#settled && (this.#lost.length > 0 || this.#next < this.#count);
  }

  /** Begins a slab, and answers its number. */
  begin(): number {
    this.#inWork++;
    return this.#lost.pop() ?? this.#next++;
  }

  /** The slab as a worker is given it. */
  async order(slab: number): Promise<Order> {
    const [at, length] = this.#extent(slab);
    const place = this.#source.place(at, length);
    return place ? this.#orderOf(slab, place) : this.orderBytes(slab);
  }

  /** The slab with its bytes, which may be put into `room`. */
  async orderBytes(slab: number, room?: Uint8Array): Promise<Order<Uint8Array>> {
    return this.#orderOf(slab, await this.#source.bytes(...this.#extent(slab), room));
  }

  #orderOf<S>(slab: number, source: S): Order<S> {
    const [at, length] = this.#extent(slab);
    return { source, chunk: at / CHUNK, length, parameters: this.#parameters.slice() };
  }

  #extent(slab: number): [at: number, length: number] {
    const at = slab * this.#slab;
    return [at, Math.min(this.#slab, this.#source.length - at)];
  }

  complete(slab: number, value: Uint8Array): void {
    this.#values[slab] = value;
    this.#missing--;
    if (!this.#settled) this.#advance(this.#extent(slab)[1]);
    this.#end();
  }

  #advance(bytes: number): void {
    this.#bytesSoFar += bytes;
    try {
      this.#request.onProgress?.(this.#bytesSoFar, this.#source.length);
      if (this.#missing === 0) this.#succeed(this.#root());
    } catch (error) {
      this.abort(error);
    }
  }

  #root(): Uint8Array<ArrayBuffer> {
    const { mode, length } = this.#request;
    let level = this.#values;
    while (level.length > 2) {
      level = pairs(level).map(([left, right]) => (right ? mergeSubtrees(left, right, mode) : left));
    }
    return rootOf(level[0] as Uint8Array, level[1] as Uint8Array, mode, { length });
  }

  /** Whoever was at it has ended: somebody else has to do it again. */
  lose(slab: number): void {
    this.#lost.push(slab);
    this.#end();
  }

  fail(error: unknown): void {
    this.abort(this.#source.explain(error));
    this.#end();
  }

  /** Ends the hash with an error. Slabs that are in work are finished in vain. */
  abort(reason: unknown): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#reject(reason);
    if (this.#inWork === 0) void this.#release();
  }

  // A file is closed by the time its digest is there.
  #succeed(digest: Uint8Array<ArrayBuffer>): void {
    this.#settled = true;
    void this.#release().then(() => this.#resolve(digest));
  }

  #end(): void {
    this.#inWork--;
    if (this.#inWork === 0 && this.#settled) void this.#release();
  }

  async #release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    this.#parameters.fill(0);
    await this.#source.close?.().catch(() => {});
  }
}

/** Neighbours two by two; the last one alone where their number is odd. */
function pairs<T>(level: readonly T[]): [left: T, right: T | undefined][] {
  return Array.from({ length: Math.ceil(level.length / 2) }, (_, i) => [level[2 * i] as T, level[2 * i + 1]]);
}
