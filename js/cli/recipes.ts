// What is computed of a file, and the computing.
import { type Algorithm, blake3, type Hasher, type Options } from "./algorithms.js";
import { type Observer, readThrough } from "./files.js";

/** How a digest is computed. */
export interface Recipe {
  readonly algorithm: Algorithm;
  readonly options: Options;
  /** Where in the output the digest begins, in bytes; with `options.length` bytes from there on. */
  readonly seek: bigint;
}

export const plainRecipe = (algorithm: Algorithm, options: Options = {}): Recipe => ({ algorithm, options, seek: 0n });

export const lengthOf = ({ algorithm, options }: Recipe): number => options.length ?? algorithm.digestLength;

/** Output of which at most so many bytes are wanted is kept whole. */
const KEPT = 64 * 1024;

/** Whether the output is too long, or begins too late, to be kept: it is read a piece at a time then. */
export const isLong = (recipe: Recipe): boolean =>
  recipe.algorithm === blake3 && recipe.seek + BigInt(lengthOf(recipe)) > KEPT;

/** The options under which a digest holds all output up to the end that is wanted. */
export function wholeOptions(recipe: Recipe): Options {
  return recipe.seek === 0n ? recipe.options : { ...recipe.options, length: Number(recipe.seek) + lengthOf(recipe) };
}

/** Computes digests by one recipe, of one file after the other. */
export class Calculator {
  readonly recipe: Recipe;
  readonly #hasher: Hasher;

  constructor(recipe: Recipe) {
    this.recipe = recipe;
    this.#hasher = recipe.algorithm.create(wholeOptions(recipe));
  }

  digest(name: string, observer: Observer): Uint8Array {
    const hasher = this.#hasher.reset();
    readThrough(name, observer, (bytes) => hasher.update(bytes));
    return this.#hasher.digest().subarray(Number(this.recipe.seek));
  }

  /** Takes bytes that somebody else reads. */
  update(bytes: Uint8Array): void {
    this.#hasher.update(bytes);
  }

  /** The digest of all that `update` has taken. */
  current(): Uint8Array {
    return this.#hasher.digest().subarray(Number(this.recipe.seek));
  }

  dispose(): void {
    this.#hasher.dispose();
  }
}

/** The output of a file, a piece at a time, for a recipe whose output is long. */
export function* outputPieces(
  recipe: Recipe,
  name: string,
  observer: Observer,
): Generator<Uint8Array, void, undefined> {
  const { length: _, ...options } = recipe.options;
  const hasher = recipe.algorithm.create(options);
  readThrough(name, observer, (bytes) => hasher.update(bytes));
  const reader = hasher.xof?.();
  hasher.dispose();
  if (!reader) throw new Error(`${recipe.algorithm.algorithm} has no long output`);
  reader.position = recipe.seek;
  let rest = lengthOf(recipe);
  for (; rest > KEPT; rest -= KEPT) yield reader.read(KEPT);
  yield reader.read(rest);
}
