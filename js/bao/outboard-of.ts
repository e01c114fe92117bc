// Outboards of content from a source or a stream.
import type { Algorithm } from "../engine/algorithm.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { NO_OPTIONS, requireKnown, without } from "../input/options.js";
import { utf8 } from "../input/utf8.js";
import { viewBytes } from "../input/views.js";
import type { Blake3Pool, Blake3Source } from "../parallel/pool.js";
import { LazyTransformStream } from "../streams/lazy-base.js";
import { type Chunk, type DigestOfOptions, digestOf, HashStream, type Source } from "../streams/streams.js";
import { toGroup } from "./arguments.js";
import { OutboardBuilder } from "./builder.js";
import { prepareKernel } from "./kernel.js";
import { Outboard, type OutboardOptions } from "./outboard.js";

/** The options of `outboardOf`. */
export interface OutboardOfOptions extends OutboardOptions, DigestOfOptions {
  /**
   * Hashes on all threads of a pool of `blake-simd/parallel`. The source must then be one that the pool's `hash` accepts, such
   * as `{ path }` or a Blob.
   */
  readonly pool?: Blake3Pool | undefined;
}

/** Builds an outboard with the interface of a hasher, so that everything that hashes a source can build its outboard. */
class OutboardHasher {
  readonly #group: number;
  readonly #builder: OutboardBuilder;

  constructor(group: number) {
    this.#group = group;
    this.#builder = new OutboardBuilder(group);
  }

  get bytesHashed(): bigint {
    return BigInt(this.#builder.length);
  }

  update(input: Uint8Array | string): this {
    this.#builder.update(typeof input === "string" ? utf8().encode(input) : viewBytes(input));
    return this;
  }

  digest(): Outboard {
    return Outboard.of(this.#builder.finish(), this.#group);
  }

  dispose(): void {
    this.#builder.dispose();
  }
}

/** Returns an algorithm whose digest is an outboard, and whose errors name the caller. */
function outboards(name: string): Algorithm<OutboardOptions> {
  const create = (options: OutboardOptions = NO_OPTIONS): OutboardHasher => {
    requireKnown(name, options, ["group"]);
    return new OutboardHasher(toGroup(name, options.group));
  };
  return { algorithm: name, usedBy: name, create } as unknown as Algorithm<OutboardOptions>;
}

/**
 * Returns the outboard of a source: of everything that `digestOf` of `blake-simd/streams` reads, in the same way.
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
  requireKnown(name, options, ["group", "signal", "onProgress", "pool"]);
  const { pool } = options;
  // Not a copy, which would lose inherited options, and inherit from Object.prototype.
  const others: Omit<OutboardOfOptions, "pool"> = without(options, ["pool"]);
  if (pool !== undefined) return fromPool(name, pool, source as Blake3Source, others);
  return (await digestOf(outboards(name), source as Source, others)) as unknown as Outboard;
}

async function fromPool(
  name: string,
  pool: Blake3Pool,
  source: Blake3Source,
  options: Omit<OutboardOfOptions, "pool">,
): Promise<Outboard> {
  if (typeof (pool as Partial<Blake3Pool> | null)?.groupsOf !== "function") {
    throw wrongKind(name, "pool", "a Blake3Pool", pool);
  }
  const size = toGroup(name, options.group);
  // Before the pool's, without which an outboard can be made.
  prepareKernel();
  const groups = await pool.groupsOf(source, size, without(options, ["group"]));
  if (groups.kind === "values") {
    const { values, unit, length } = groups;
    return Outboard.of(new OutboardBuilder(size, length).finishWithValues(values, unit, length), size);
  }
  return (await digestOf(outboards(name), groups.pieces, options)) as unknown as Outboard;
}

/**
 * A TransformStream that passes chunks through unchanged and builds their outboard. Each chunk is hashed as the reader takes
 * it, as the same object; one in shared memory as a copy. Chunks are bytes of any kind or strings (as UTF-8).
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
    const { readable, writable, digest } = new HashStream<C, OutboardOptions>(outboards(name), options);
    Object.defineProperties(this, { readable: { value: readable }, writable: { value: writable } });
    this.outboard = digest as unknown as Promise<Outboard>;
  }
}
