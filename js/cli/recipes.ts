// Recipes for digests, and their computation.
import { type Algorithm, blake3, type Hasher, type Options, type Reader } from "./algorithms.js";
import { type ByteSink, type Observer, readThrough } from "./files.js";

/** How a digest is computed. */
export interface Recipe {
  readonly algorithm: Algorithm;
  readonly options: Options;
  /** Offset in bytes of the digest in the output; `options.length` is counted from there. */
  readonly seek: bigint;
}

export const lengthOf = ({ algorithm, options }: Recipe): number => options.length ?? algorithm.digestLength;

/** The most bytes of output that are kept in memory. */
const KEPT = 64 * 1024;

/** Whether the output is too long, or begins too late, to keep in memory, and is read a piece at a time instead. */
export const isLong = (recipe: Recipe): boolean =>
  recipe.algorithm === blake3 && recipe.seek + BigInt(lengthOf(recipe)) > KEPT;

/** The options for a digest that contains all output from 0 to the requested end. */
export function wholeOptions(recipe: Recipe): Options {
  return recipe.seek === 0n ? recipe.options : { ...recipe.options, length: Number(recipe.seek) + lengthOf(recipe) };
}

/** Computes digests by one recipe, for one file after another. */
export class Calculator implements ByteSink {
  readonly recipe: Recipe;
  readonly #options: Options;
  readonly #seek: number;
  /** For files that are read in pieces. */
  #hasher: Hasher | undefined;
  #digest: Uint8Array | undefined;

  constructor(recipe: Recipe) {
    this.recipe = recipe;
    this.#options = wholeOptions(recipe);
    this.#seek = Number(recipe.seek);
  }

  digest(name: string, observer: Observer): Uint8Array {
    this.#digest = undefined;
    this.#hasher?.reset();
    readThrough(name, observer, this);
    return this.end();
  }

  whole(bytes: Uint8Array): void {
    this.#digest = this.recipe.algorithm(bytes, this.#options);
  }

  piece(bytes: Uint8Array): void {
    this.#hasher ??= this.recipe.algorithm.create(this.#options);
    this.#hasher.update(bytes);
  }

  end(): Uint8Array {
    const digest = this.#digest ?? (this.#hasher as Hasher).digest();
    return this.#seek === 0 ? digest : digest.subarray(this.#seek);
  }

  dispose(): void {
    this.#hasher?.dispose();
  }
}

/** Yields the output for a file in pieces, for a recipe whose output is long. */
export function* outputPieces(
  recipe: Recipe,
  name: string,
  observer: Observer,
): Generator<Uint8Array, void, undefined> {
  const { length: _, ...options } = recipe.options;
  const hasher = recipe.algorithm.create(options);
  const update = (bytes: Uint8Array): unknown => hasher.update(bytes);
  readThrough(name, observer, { whole: update, piece: update });
  // Only BLAKE3's outputs are read in pieces.
  const reader = hasher.xof?.() as Reader;
  hasher.dispose();
  reader.position = recipe.seek;
  let rest = lengthOf(recipe);
  for (; rest > KEPT; rest -= KEPT) yield reader.read(KEPT);
  yield reader.read(rest);
}
