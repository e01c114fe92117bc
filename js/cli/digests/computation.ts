// Recipes for digests, and their computation.
import type { ExtendableHasher } from "../../index.js";
import { type ByteSink, type Observer, readThrough } from "../files/read.js";
import { failureOf } from "../system/errors.js";
import { type Algorithm, blake3, type Options } from "./algorithms.js";

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

/**
 * Whether the output is too long, or begins too late, to keep in memory, and is read a piece at a time instead. Only
 * algorithms with an extendable output have digests of such lengths.
 */
export const isLong = (recipe: Recipe): boolean => recipe.seek + BigInt(lengthOf(recipe)) > KEPT;

/** Size in bytes from which several threads gain more time on one file than they take to start. */
const LARGE = 128 * 1024 * 1024;

/** The size in bytes from which Blake3Pool should hash a regular file by this recipe. */
export const poolSizeOf = (recipe: Recipe): number =>
  recipe.algorithm === blake3 && !isLong(recipe) ? LARGE : Number.POSITIVE_INFINITY;

/** The options for a digest that contains all output from 0 to the requested end. */
export function wholeOptions(recipe: Recipe): Options {
  return recipe.seek === 0n ? recipe.options : { ...recipe.options, length: Number(recipe.seek) + lengthOf(recipe) };
}

/** Computes digests by one recipe, for one file after another. */
export class Calculator implements ByteSink {
  readonly #algorithm: Algorithm;
  readonly #options: Options;
  readonly #seek: number;
  readonly #limit: number;
  /** For files that are read in pieces. */
  #hasher: ReturnType<Algorithm["create"]> | undefined;
  #digest: Uint8Array | undefined;

  /** @param limit the size in bytes from which regular files are left unread */
  constructor(recipe: Recipe, limit = Number.POSITIVE_INFINITY) {
    this.#algorithm = recipe.algorithm;
    this.#limit = limit;
    this.#options = wholeOptions(recipe);
    this.#seek = Number(recipe.seek);
  }

  /** Returns undefined for a file that is left unread. */
  digest(name: string, observer: Observer): Uint8Array | undefined {
    this.#digest = undefined;
    this.#hasher?.reset();
    return readThrough(name, observer, this, this.#limit) ? this.end() : undefined;
  }

  whole(bytes: Uint8Array): void {
    this.#digest = this.#algorithm(bytes, this.#options);
  }

  piece(bytes: Uint8Array): void {
    this.#hasher ??= this.#algorithm.create(this.#options);
    this.#hasher.update(bytes);
  }

  end(): Uint8Array {
    const digest = this.#digest ?? this.#hasher!.digest();
    return this.#seek === 0 ? digest : digest.subarray(this.#seek);
  }

  dispose(): void {
    this.#hasher?.dispose();
  }
}

/** Computes digests of files, each by a recipe of its own. */
export class Calculators {
  readonly #observer: Observer;
  readonly #limitOf: (recipe: Recipe) => number;
  readonly #byRecipe = new Map<Recipe, Calculator>();

  /** @param limitOf see `Calculator`'s `limit` */
  constructor(observer: Observer, limitOf: (recipe: Recipe) => number) {
    this.#observer = observer;
    this.#limitOf = limitOf;
  }

  /** Returns undefined for a file that is left unread. */
  digest(name: string, recipe: Recipe): Uint8Array | Error | undefined {
    let calculator = this.#byRecipe.get(recipe);
    if (!calculator) {
      calculator = new Calculator(recipe, this.#limitOf(recipe));
      this.#byRecipe.set(recipe, calculator);
    }
    try {
      return calculator.digest(name, this.#observer);
    } catch (error) {
      // Whatever it was, the next file has a calculator that works.
      calculator.dispose();
      this.#byRecipe.delete(recipe);
      return failureOf(error);
    }
  }

  dispose(): void {
    for (const calculator of this.#byRecipe.values()) calculator.dispose();
  }
}

/** Yields in pieces the output, for a recipe whose output is long, of the bytes that `feed` passes on. */
export function* outputOf(
  { algorithm, options, seek }: Recipe,
  feed: (update: (bytes: Uint8Array) => void) => void,
): Generator<Uint8Array, void, undefined> {
  const hasher = algorithm.create(options) as ExtendableHasher;
  let reader: ReturnType<ExtendableHasher["xof"]> | undefined;
  try {
    feed((bytes) => void hasher.update(bytes));
    reader = hasher.xof();
    reader.position = seek;
    let rest = lengthOf({ algorithm, options, seek });
    for (; rest > KEPT; rest -= KEPT) yield reader.read(KEPT);
    yield reader.read(rest);
  } finally {
    hasher.dispose();
    reader?.dispose();
  }
}

/** Yields the output for a file in pieces. */
export const outputPieces = (
  recipe: Recipe,
  name: string,
  observer: Observer,
): Generator<Uint8Array, void, undefined> =>
  outputOf(recipe, (update) => readThrough(name, observer, { whole: update, piece: update }));
