// Makes outboards: of bytes, a source, a stream, or the chaining values of groups.
import type { Algorithm } from "../engine/algorithm.js";
import { type Input, toView, viewOfInput } from "../input/bytes.js";
import { outOfRange, requireArguments, wrongKind } from "../input/errors.js";
import { NO_OPTIONS, requireKnown, unknownOption, without } from "../input/options.js";
import { sameBytes } from "../input/text.js";
import type { Blake3Pool, Blake3Source } from "../parallel/pool.js";
import { type Chunk, cancel } from "../sources/chunks.js";
import type { Source } from "../sources/open.js";
import { PromisedDigest } from "../streams/chunk-hasher.js";
import { type DigestOfOptions, digestChunks, digestSource, type ResponseOptions } from "../streams/digest-of.js";
import { HashingTransformStream } from "../streams/hashing-transform.js";
import { LazyTransformStream } from "../streams/lazy-base.js";
import { CHUNK, groupsIn, VALUE } from "../tree/geometry.js";
import { toGroup, toPosition, toRoot } from "./arguments.js";
import { OutboardBuilder, outboardOfValues } from "./builder.js";
import { IntegrityError } from "./errors.js";
import type { Outboard, OutboardOptions } from "./outboard.js";

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
  const made = outboardOfValues(own, group, { length, group });
  if (!sameBytes(made.root, root, VALUE)) throw new IntegrityError(name, "node", 0);
  return made;
}

/** Returns an algorithm whose digest is an outboard, and whose errors name the caller. */
function outboards(name: string): Algorithm<OutboardOptions> {
  const create = (options: OutboardOptions = NO_OPTIONS): OutboardBuilder => {
    requireKnown(name, options, ["group"]);
    return new OutboardBuilder(toGroup(name, options.group));
  };
  const members = { algorithm: name, digestLength: VALUE, blockLength: CHUNK, create };
  return members as unknown as Algorithm<OutboardOptions>;
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

/** @throws TypeError for what only a pool opens; fs.ReadStream has a `path` as well */
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
  const groups = await pool.groupsOf(source, group, others);
  if (groups.kind === "values") return outboardOfValues(groups.values, groups.unit, { length: groups.length, group });
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
 * takes it, as the same object. Chunks are bytes of any kind or strings (as UTF-8).
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
