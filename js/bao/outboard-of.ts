// Outboards of content that comes from a source or through a stream.
import type { Algorithm } from "../engine/algorithm.js";
import { encoder } from "../input/bytes.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { requireKnown } from "../input/options.js";
import { viewBytes } from "../input/views.js";
import type { Blake3Pool, Blake3Source } from "../parallel/pool.js";
import { type Chunk, type DigestOfOptions, digestOf, HashStream, type Source } from "../streams/streams.js";
import { requireOptions, toGroup } from "./arguments.js";
import { buildFromValues, OutboardBuilder } from "./builder.js";
import { Outboard, type OutboardOptions } from "./outboard.js";

/** What `outboardOf` takes. */
export interface OutboardOfOptions extends OutboardOptions, DigestOfOptions {
  /**
   * Hashes on all threads of a pool of `blake-simd/parallel`. The source is then one that the pool's `hash` takes, such as
   * `{ path }` or a Blob.
   */
  readonly pool?: Blake3Pool | undefined;
}

/** Builds an outboard as a hasher makes a digest: whatever hashes what comes can make outboards of it. */
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
    this.#builder.update(typeof input === "string" ? encoder.encode(input) : viewBytes(input));
    return this;
  }

  digest(): Outboard {
    return Outboard.of(this.#builder.finish(), this.#group);
  }

  dispose(): void {
    this.#builder.dispose();
  }
}

/** The algorithm whose digest is an outboard, under the name of who asks. */
function outboards(name: string): Algorithm<OutboardOptions> {
  const create = (options: OutboardOptions = {}): OutboardHasher => {
    requireKnown(name, options, ["group"]);
    return new OutboardHasher(toGroup(name, options.group));
  };
  return { algorithm: name, create } as unknown as Algorithm<OutboardOptions>;
}

/**
 * The outboard of a source's bytes: of whatever `digestOf` of `blake-simd/streams` reads, in the same way.
 *
 * @returns rejects as `digestOf` does, and with a TypeError or RangeError for a wrong group
 * @example
 * const tree = await outboardOf({ path: "film.mp4" }, { pool: new Blake3Pool() });
 * @example
 * const tree = await outboardOf(file, { onProgress: (bytes, total) => show(bytes, total) });
 */
export function outboardOf(source: Source, options?: OutboardOfOptions & { pool?: undefined }): Promise<Outboard>;
export function outboardOf(source: Blake3Source, options: OutboardOfOptions & { pool: Blake3Pool }): Promise<Outboard>;
export async function outboardOf(source: Source | Blake3Source, options: OutboardOfOptions = {}): Promise<Outboard> {
  const name = "outboardOf";
  requireArguments(name, arguments.length, 2);
  requireOptions(name, options, ["group", "signal", "onProgress", "pool"]);
  const { pool, ...others } = options;
  if (pool !== undefined) return fromPool(name, pool, source as Blake3Source, others);
  return (await digestOf(outboards(name), source as Source, others)) as unknown as Outboard;
}

async function fromPool(
  name: string,
  pool: Blake3Pool,
  source: Blake3Source,
  { group, ...options }: Omit<OutboardOfOptions, "pool">,
): Promise<Outboard> {
  if (typeof (pool as Partial<Blake3Pool> | null)?.groupsOf !== "function") {
    throw wrongKind(name, "pool", "a Blake3Pool", pool);
  }
  const size = toGroup(name, group);
  const groups = await pool.groupsOf(source, size, options);
  if (groups.kind === "values") {
    return Outboard.of(buildFromValues(groups.values, groups.unit, groups.length, size), size);
  }
  return (await digestOf(outboards(name), groups.pieces, { group: size, ...options })) as unknown as Outboard;
}

/**
 * Passes chunks through and makes their outboard. A chunk is hashed before it goes on, and goes on as it is, the same object:
 * whoever writes it must not change it afterwards. Chunks are bytes of any kind or strings (as UTF-8).
 *
 * The readable side has to be read: chunks are taken as the reader asks for them.
 *
 * @throws TypeError for a wrong option; RangeError for a group that is no power of 2 from 1024 to 2^20
 * @example
 * const stream = new OutboardStream();
 * await request.body.pipeThrough(stream).pipeTo(file);
 * const tree = await stream.outboard;
 */
export class OutboardStream<C extends Chunk = Uint8Array<ArrayBuffer>> extends TransformStream<C, C> {
  /** The outboard of all bytes. Rejects if the stream fails, is aborted or cancelled, with the reason. */
  readonly outboard: Promise<Outboard>;

  constructor(options: OutboardOptions = {}) {
    super();
    const name = "OutboardStream";
    requireArguments(name, arguments.length, 1);
    // The sides that it came with are idle: locked, so that they cannot be transferred by mistake.
    this.readable.getReader();
    const { readable, writable, digest } = new HashStream<C, OutboardOptions>(outboards(name), options);
    Object.defineProperties(this, { readable: { value: readable }, writable: { value: writable } });
    this.outboard = digest as unknown as Promise<Outboard>;
  }
}
