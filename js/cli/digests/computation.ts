// How the digest of a file is computed, and its computation: of a large file, by several threads.
import type { ExtendableHasher } from "../../index.js";
import { Blake3Pool } from "../../parallel.js";
import { type Observer, readThrough, requireSame, statusNow } from "../files/read.js";
import { toBytes } from "../system/byte-strings.js";
import type { Algorithm, Options } from "./algorithms.js";

/** How a digest is computed. */
export interface Recipe {
  readonly algorithm: Algorithm;
  readonly options: Options;
  /** Bytes in the digest, which `options` have too if the algorithm takes a length. */
  readonly length: number;
  /** Offset in bytes of the digest in the output. */
  readonly seek: bigint;
}

/** The most bytes of output that are kept in memory. */
const MOST_IN_MEMORY = 64 * 1024;

/** Whether the output is too long, or begins too late, to keep in memory. Only extendable output can be so long. */
export const isLong = ({ seek, length }: Recipe): boolean => seek + BigInt(length) > MOST_IN_MEMORY;

/** The options for a digest that contains all output from 0 to the requested end. */
const wholeOptions = ({ options, seek, length }: Recipe): Options =>
  seek === 0n ? options : { ...options, length: Number(seek) + length };

type Hasher = ReturnType<Algorithm["create"]>;

/** Returns a hasher for `outputOf`. */
export const hasherFor = (recipe: Recipe): Hasher =>
  recipe.algorithm.create(isLong(recipe) ? recipe.options : wholeOptions(recipe));

/** Yields a hasher's output, a long one in pieces. */
export function* outputOf(hasher: Hasher, recipe: Recipe): Generator<Uint8Array, void, undefined> {
  if (!isLong(recipe)) {
    yield hasher.digest().subarray(Number(recipe.seek));
    return;
  }
  const reader = (hasher as ExtendableHasher).xof();
  reader.position = recipe.seek;
  let rest = recipe.length;
  for (; rest > MOST_IN_MEMORY; rest -= MOST_IN_MEMORY) yield reader.read(MOST_IN_MEMORY);
  yield reader.read(rest);
}

/** The size in bytes from which several threads gain more time on one file than they take to start. */
const LARGE = 128 * 1024 * 1024;
/** The same once they have started, or once so many bytes have been hashed that they are worth it. */
const LARGE_AMONG_OTHERS = 1024 * 1024;

/** Hashes files, one after the other. */
export class FileHasher {
  readonly #observer: Observer;
  readonly #threads: number;
  #pool: Blake3Pool | undefined;
  #bytes = 0;

  constructor(observer: Observer, threads: number) {
    this.#observer = observer;
    this.#threads = threads;
  }

  /** Returns the digest of a file. */
  async digest(name: string, recipe: Recipe): Promise<Uint8Array> {
    const options = wholeOptions(recipe);
    let hasher: Hasher | undefined;
    let digest: Uint8Array | undefined;
    const take = (bytes: Uint8Array, isAll: boolean): void => {
      this.#bytes += bytes.length;
      if (isAll) digest = recipe.algorithm(bytes, options);
      else {
        hasher ??= recipe.algorithm.create(options);
        hasher.update(bytes);
      }
    };
    const isRead = readThrough(name, this.#observer, take, this.#limitFor(recipe));
    digest ??= isRead ? (hasher as unknown as Hasher).digest() : await this.#hashOnAllThreads(name, options);
    this.#observer.onFile();
    return digest.subarray(Number(recipe.seek));
  }

  /** Returns the output for a file, a long one in pieces. */
  async output(name: string, recipe: Recipe): Promise<Iterable<Uint8Array>> {
    if (!isLong(recipe)) return [await this.digest(name, recipe)];
    const hasher = hasherFor(recipe);
    readThrough(name, this.#observer, (bytes) => void hasher.update(bytes));
    this.#observer.onFile();
    return outputOf(hasher, recipe);
  }

  /** The size in bytes from which the pool hashes a file. */
  #limitFor({ algorithm }: Recipe): number {
    if (algorithm.algorithm !== "blake3" || this.#threads === 1) return Number.POSITIVE_INFINITY;
    return this.#pool || this.#bytes >= LARGE ? LARGE_AMONG_OTHERS : LARGE;
  }

  async #hashOnAllThreads(name: string, options: Options): Promise<Uint8Array> {
    let read = 0;
    const onProgress = (bytes: number): void => {
      this.#observer.onBytes(bytes - read);
      read = bytes;
    };
    this.#pool ??= new Blake3Pool({ threads: this.#threads, callingThread: true });
    const before = statusNow(name);
    try {
      return await this.#pool.hash({ path: toBytes(name) }, { ...options, onProgress });
    } finally {
      // The change may be the reason of the pool's error.
      requireSame(before, statusNow(name));
    }
  }
}
