// Outboards of content that comes from a source or through a stream.
import type { Algorithm } from "../engine/algorithm.js";
import { encoder } from "../input/bytes.js";
import { requireKnown } from "../input/options.js";
import { viewBytes } from "../input/views.js";
import { type Chunk, type DigestOfOptions, digestOf, HashStream, type Source } from "../streams/streams.js";
import { toGroup } from "./arguments.js";
import { OutboardBuilder } from "./builder.js";
import { Outboard, type OutboardOptions } from "./outboard.js";

/** What `outboardOf` takes. */
export interface OutboardOfOptions extends OutboardOptions, DigestOfOptions {}

/** Builds an outboard as a hasher makes a digest: whatever hashes what comes can make outboards of it. */
class OutboardHasher {
  readonly digestLength = 32;
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
 * const tree = await outboardOf(file, { onProgress: (bytes, total) => show(bytes / total) });
 */
export async function outboardOf(source: Source, options: OutboardOfOptions = {}): Promise<Outboard> {
  return (await digestOf(outboards("outboardOf"), source, options)) as unknown as Outboard;
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
    // The sides that it came with are idle: locked, so that they cannot be transferred by mistake.
    this.readable.getReader();
    const { readable, writable, digest } = new HashStream<C, OutboardOptions>(outboards("OutboardStream"), options);
    Object.defineProperties(this, { readable: { value: readable }, writable: { value: writable } });
    this.outboard = digest as unknown as Promise<Outboard>;
  }
}
