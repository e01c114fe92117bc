// Makes outboards: of bytes, of a source, of a stream, or of the chaining values of groups.
import type { Algorithm } from "../engine/algorithm.js";
import { type Input, toView, viewOfInput } from "../input/bytes.js";
import { concatBytes, viewOf } from "../input/caller-bytes.js";
import { outOfRange, requireArguments, wrongKind } from "../input/errors.js";
import { NO_OPTIONS, requireKnown, unknownOption, without } from "../input/options.js";
import { sameBytes } from "../input/text.js";
import { encodeText } from "../input/utf8.js";
import type { Blake3Pool, Blake3Source } from "../parallel/pool.js";
import { cancel } from "../sources/chunks.js";
import type { ResponseOptions } from "../sources/streams.js";
import { PromisedDigest } from "../streams/chunks.js";
import { digestChunks, digestSource } from "../streams/digest-of.js";
import { HashingTransformStream } from "../streams/hashing-transform.js";
import { LazyTransformStream } from "../streams/lazy-base.js";
import type { Chunk, DigestOfOptions, Source } from "../streams/streams.js";
import { CHUNK, chunksIn, groupsIn, leftLeaves, NODE, VALUE } from "../tree/geometry.js";
import { MAX_VALUES, PIECE } from "../tree/kernel.js";
import { toGroup, toPosition, toRoot } from "./arguments.js";
import { IntegrityError } from "./errors.js";
import { type BaoKernel, compute, prepareKernel, wipeKernel } from "./kernel.js";
import { nodesLeftOf, POST_ORDER } from "./order.js";
import { Outboard, type OutboardOptions } from "./outboard.js";
import type { TreeShape } from "./range.js";

/** The options of `outboardOf`. */
export interface OutboardOfOptions extends OutboardOptions, DigestOfOptions, ResponseOptions {
  /**
   * Hashes on all threads of a pool of `blake-simd/parallel`. The source must then be one that the pool's `hash`
   * accepts, such as `{ path }` or a Blob.
   */
  readonly pool?: Blake3Pool | undefined;
}

const POOL_OPTIONS: readonly string[] = ["group", "signal", "onProgress", "pool"];

/** The content whose group values an outboard is made from, and its division. */
export interface OutboardGroupsOptions extends OutboardOptions {
  /** The BLAKE3 digest of the content: 32 bytes, or hexadecimal text. */
  readonly root: Input;
  /** The length of the content in bytes: more than one group. */
  readonly length: number;
}

/**
 * Returns the outboard of a whole message in memory.
 *
 * @throws TypeError for a value or option of the wrong type; RangeError for a group that is not a power of 2 from 1024
 *   to 2^20
 * @example
 * const tree = outboard(bytes);
 * tree.root; // the same as blake3(bytes)
 */
export function outboard(input: Input, options: OutboardOptions = NO_OPTIONS): Outboard {
  const name = "outboard";
  requireArguments(name, arguments.length, 2);
  requireKnown(name, options, ["group"]);
  const group = toGroup(name, options.group);
  const bytes = viewOfInput(name, "input", input);
  return new OutboardBuilder(group, bytes.length).digestOf(bytes);
}

/**
 * Returns the outboard of content that was hashed in parts, from the chaining values of its groups.
 *
 * @param values the chaining values of all groups, in order, 32 bytes each, as `SubtreeCollector.groupValues` of
 *   `blake-simd/hazmat` returns them
 * @throws TypeError for a value or option of the wrong type; RangeError for a value out of range, or a wrong number of
 *   values; IntegrityError if the values do not match the root
 * @example
 * const collector = new SubtreeCollector(length, 2 ** 26, { group: 16384 });
 * // After all parts have been set:
 * outboardOfGroups(collector.groupValues(), { root: collector.digest(), length, group: 16384 });
 */
export function outboardOfGroups(values: Uint8Array, options: OutboardGroupsOptions): Outboard {
  const name = "outboardOfGroups";
  requireArguments(name, arguments.length, 2);
  requireKnown(name, options, ["root", "length", "group"]);
  const root = toRoot(name, options.root);
  const group = toGroup(name, options.group);
  const length = toPosition(name, "length", options.length);
  if (length <= group) throw outOfRange(name, `length must be more than one group of ${group} bytes`, length);
  const own = new Uint8Array(toView(name, "values", values));
  const size = groupsIn(length, group) * VALUE;
  if (own.length !== size) throw outOfRange(name, `values must have ${size} bytes`, own.length);
  const made = ofValues(own, group, { length, group });
  if (!sameBytes(made.root, root, VALUE)) throw new IntegrityError(name, "node", 0);
  return made;
}

/** Returns an algorithm whose digest is an outboard, and whose errors name the caller. */
function outboards(name: string): Algorithm<OutboardOptions> {
  const create = (options: OutboardOptions = NO_OPTIONS): OutboardBuilder => {
    requireKnown(name, options, ["group"]);
    return new OutboardBuilder(toGroup(name, options.group));
  };
  return {
    algorithm: name,
    digestLength: VALUE,
    blockLength: CHUNK,
    create,
  } as unknown as Algorithm<OutboardOptions>;
}

/**
 * Returns the outboard of a source: of everything that `digestOf` of `blake-simd/streams` reads, in the same way.
 * Files, as `{ path }`, are read by a pool.
 *
 * @returns the outboard; rejects as `digestOf` does, and with a TypeError or RangeError for a wrong group
 * @example
 * const tree = await outboardOf({ path: "film.mp4" }, { pool: new Blake3Pool() });
 * @example
 * const tree = await outboardOf(file, { onProgress: (bytes, total) => show(bytes, total) });
 */
export function outboardOf(source: Source, options?: OutboardOfOptions & { pool?: undefined }): Promise<Outboard>;
export function outboardOf(source: Blake3Source, options: OutboardOfOptions & { pool: Blake3Pool }): Promise<Outboard>;
export async function outboardOf(
  source: Source | Blake3Source,
  options: OutboardOfOptions = NO_OPTIONS,
): Promise<Outboard> {
  const name = "outboardOf";
  requireArguments(name, arguments.length, 2);
  requireKnown(name, options, [...POOL_OPTIONS, "requireOk"]);
  const { pool } = options;
  // Not a copy, which would lose inherited options, and inherit from Object.prototype.
  const others: Omit<OutboardOfOptions, "pool"> = without(options, ["pool"]);
  if (pool !== undefined) return fromPool(name, pool, source as Blake3Source, options);
  requireNoPath(name, source);
  return (await digestSource(name, 2, outboards(name), source, others)) as unknown as Outboard;
}

/** @throws TypeError for what only a pool opens; a stream of Node's has a path, too */
function requireNoPath(name: string, source: unknown): void {
  const { path, [Symbol.asyncIterator]: iterator } = Object(source) as { path?: unknown } & Partial<
    AsyncIterable<unknown>
  >;
  if (path === undefined || iterator !== undefined) return;
  const advice = "add the option pool: new Blake3Pool() of blake-simd/parallel, which reads files";
  throw wrongKind(name, "source", "one that digestOf reads", source, advice);
}

async function fromPool(
  name: string,
  pool: Blake3Pool,
  source: Blake3Source,
  options: OutboardOfOptions,
): Promise<Outboard> {
  if (typeof (pool as Partial<Blake3Pool> | null)?.groupsOf !== "function") {
    throw wrongKind(name, "pool", "a Blake3Pool", pool);
  }
  // No pool reads Responses.
  if (options.requireOk !== undefined) throw unknownOption(name, "requireOk", POOL_OPTIONS);
  const group = toGroup(name, options.group);
  const { signal, onProgress } = options;
  const others = { __proto__: null, signal, onProgress };
  // Before the pool's, without which an outboard can be made.
  prepareKernel();
  const groups = await pool.groupsOf(source, group, others);
  if (groups.kind === "values") return ofValues(groups.values, groups.unit, { length: groups.length, group });
  try {
    const tree = await digestChunks(name, 2, outboards(name), () => groups.chunks, { ...others, group });
    return tree as unknown as Outboard;
  } catch (error) {
    cancel(groups.chunks, error);
    throw error;
  }
}

/**
 * A TransformStream that passes chunks through unchanged and builds their outboard. Each chunk is hashed as the reader
 * takes it, as the same object; one in shared memory as a copy. Chunks are bytes of any kind or strings (as UTF-8).
 *
 * The readable side must be read: the stream accepts chunks only as the reader asks for them.
 *
 * @throws TypeError for a wrong option; RangeError for a group that is not a power of 2 from 1024 to 2^20
 * @example
 * const stream = new OutboardStream();
 * await request.body.pipeThrough(stream).pipeTo(file);
 * const tree = await stream.outboard;
 */
export class OutboardStream<C extends Chunk = Uint8Array<ArrayBuffer>> extends LazyTransformStream<C, C> {
  /** The outboard of all bytes. Rejects with the reason if the stream fails, is aborted or is cancelled. */
  readonly outboard: Promise<Outboard>;

  constructor(options: OutboardOptions = NO_OPTIONS) {
    super();
    const name = "OutboardStream";
    requireArguments(name, arguments.length, 1);
    // The sides of the base class are not used. Locked, they cannot be transferred by mistake.
    this.readable.getReader();
    const promised = new PromisedDigest(name, outboards(name), options);
    const { readable, writable, digest } = new HashingTransformStream<C>(promised);
    Object.defineProperties(this, { readable: { value: readable }, writable: { value: writable } });
    this.outboard = digest as unknown as Promise<Outboard>;
  }
}

const NONE = /* @__PURE__ */ new Uint8Array();

/**
 * Builds an outboard of content that arrives in pieces: keeps the chaining values of its groups, from which the nodes
 * follow at its end. It has the interface of a hasher, so that everything that hashes a source can build its outboard.
 */
export class OutboardBuilder {
  readonly #group: number;
  /** Bytes for each value: a group, or a part of one that is larger than a piece. */
  readonly #unit: number;
  /** Bytes that have not been hashed yet. The last bytes always wait here: they are the root if there are no others. */
  #rest: Uint8Array<ArrayBuffer> = NONE;
  #filled = 0;
  #hashed = 0;
  /** The chaining values, in an array that grows. */
  #values: Uint8Array<ArrayBuffer> = NONE;

  /** @param length of the content, if it is known: memory for all values is then allocated at once */
  constructor(group: number, length = 0) {
    this.#group = group;
    this.#unit = Math.min(group, PIECE);
    if (length > PIECE) this.#values = new Uint8Array(groupsIn(length, this.#unit) * VALUE);
  }

  get digestLength(): number {
    return VALUE;
  }

  get bytesHashed(): bigint {
    return BigInt(this.#hashed + this.#filled);
  }

  update(input: Uint8Array | string): this {
    const bytes = typeof input === "string" ? encodeText(input) : viewOf(input);
    if (this.#rest.length === 0) this.#rest = new Uint8Array(PIECE);
    this.#fill(bytes, this.#takeWhole(bytes));
    wipeKernel();
    return this;
  }

  /** Ends the content. The builder cannot be used again, but holds the last bytes until it is disposed of. */
  digest(): Outboard {
    return this.#finish(this.#rest.subarray(0, this.#filled));
  }

  /** Takes all content at once, so that the last piece is copied only once. The builder cannot be used again. */
  digestOf(bytes: Uint8Array): Outboard {
    return this.#finish(bytes.subarray(this.#takeWhole(bytes)));
  }

  #finish(last: Uint8Array): Outboard {
    if (this.#hashed === 0) {
      const shape = { length: last.length, group: this.#group };
      return fromRuns(shape, this.#unit, (kernel) => this.#hash(kernel, last, last.length <= this.#unit));
    }
    this.#take(last);
    return ofValues(this.#values, this.#unit, { length: this.#hashed, group: this.#group });
  }

  /** Hashes pieces as long as more bytes follow them. Returns the number of bytes hashed. */
  #takeWhole(bytes: Uint8Array): number {
    let at = 0;
    while (this.#filled + bytes.length - at > PIECE) {
      if (this.#filled === 0) {
        this.#take(new Uint8Array(bytes.buffer, bytes.byteOffset + at, PIECE));
        at += PIECE;
      } else {
        at += this.#fill(bytes, at);
        this.#filled = 0;
        this.#take(this.#rest);
      }
    }
    return at;
  }

  /** Completes the waiting piece. Returns the number of bytes taken. */
  #fill(bytes: Uint8Array, at: number): number {
    const count = Math.min(PIECE - this.#filled, bytes.length - at);
    this.#rest.set(new Uint8Array(bytes.buffer, bytes.byteOffset + at, count), this.#filled);
    this.#filled += count;
    return count;
  }

  /** Adds the values of a piece. */
  #take(piece: Uint8Array): void {
    const at = (this.#hashed / this.#unit) * VALUE;
    const end = at + groupsIn(piece.length, this.#unit) * VALUE;
    if (end > this.#values.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.#values.length));
      larger.set(this.#values);
      this.#values = larger;
    }
    compute((kernel) => {
      const count = this.#hash(kernel, piece, false);
      this.#values.set(kernel.values(0, count), at);
    });
    this.#hashed += piece.length;
  }

  /** Computes the kernel's first values from a piece, or the root of content that is one unit. Returns how many. */
  #hash(kernel: BaoKernel, piece: Uint8Array, isRoot: boolean): number {
    kernel.put(piece);
    if (isRoot) kernel.subtree(0, piece.length, 0, true);
    else kernel.groups(0, piece.length, this.#unit, this.#hashed / CHUNK);
    return groupsIn(piece.length, this.#unit);
  }

  /** Wipes the content that is still held. */
  dispose(): void {
    this.#rest.fill(0);
    this.#filled = this.#hashed = 0;
  }
}

/** Makes an outboard of the chaining values of groups, or of parts of `unit` bytes. A single value is the root. */
function ofValues(values: Uint8Array, unit: number, shape: TreeShape): Outboard {
  return fromRuns(shape, unit, (kernel, at, size) => {
    const first = (at / unit) * VALUE;
    const count = groupsIn(size, unit);
    kernel.putValues(values.subarray(first, first + count * VALUE), 0);
    return count;
  });
}

/** Makes an outboard of runs of values, which `put` stores as the kernel's first ones. It returns how many. */
function fromRuns(
  { length, group }: TreeShape,
  unit: number,
  put: (kernel: BaoKernel, at: number, size: number) => number,
): Outboard {
  const nodes = new Uint8Array((groupsIn(length, group) - 1) * NODE);
  /** Returns the chaining value of the subtree of `size` bytes at an offset, and stores the nodes under it. */
  const subtree = (at: number, size: number): Uint8Array<ArrayBuffer> => {
    const half = size > MAX_VALUES * unit ? leftLeaves(chunksIn(size)) * CHUNK : 0;
    const pair = half > 0 && concatBytes([subtree(at, half), subtree(at + half, size - half)]);
    return compute((kernel) => {
      if (pair) kernel.putValues(pair, 0);
      let count = pair ? 2 : put(kernel, at, size);
      for (let part = unit; part < group && count > 2; part *= 2, count = Math.ceil(count / 2))
        kernel.level(0, count, 0);
      // In post-order, the nodes above these values are the last ones of the subtree.
      const number = nodesLeftOf(at / group) + groupsIn(size, group) - count;
      if (size > group) nodes.set(kernel.collect(count), number * NODE);
      return kernel.value(count > 1 ? kernel.join(0, size === length) : 0);
    });
  };
  const root = subtree(0, length);
  wipeKernel();
  return Outboard.of({ root, length, group }, POST_ORDER, nodes);
}
