// How a digest is computed, and its computation.
import type { ExtendableHasher } from "../../index.js";
import { type Observer, readThrough, type Take } from "../files/read.js";
import { failureOf } from "../system/errors.js";
import { type Algorithm, algorithmNamed, type Options } from "./algorithms.js";

/** How a digest is computed, as data that threads can send each other. */
export interface Recipe {
  /** The algorithm's name. */
  readonly algorithm: string;
  readonly options: Options;
  /** Bytes in the digest, which `options` have too if the algorithm takes a length. */
  readonly length: number;
  /** Offset in bytes of the digest in the output. */
  readonly seek: bigint;
}

/** A digest, or the error that prevented it. */
export type Outcome = Uint8Array | Error;

export const algorithmOf = ({ algorithm }: Recipe): Algorithm => algorithmNamed(algorithm) as Algorithm;

/** The most bytes of output that are kept in memory. */
const MOST_IN_MEMORY = 64 * 1024;

/**
 * Whether the output is too long, or begins too late, to keep in memory, and is read a piece at a time instead. Only
 * algorithms with an extendable output have digests of such lengths.
 */
export const isLong = ({ seek, length }: Recipe): boolean => seek + BigInt(length) > MOST_IN_MEMORY;

/** Size in bytes from which several threads gain more time on one file than they take to start. */
const LARGE = 128 * 1024 * 1024;

/** The size in bytes from which Blake3Pool should hash a regular file by this recipe. */
export const poolSizeOf = (recipe: Recipe): number =>
  recipe.algorithm === "blake3" && !isLong(recipe) ? LARGE : Number.POSITIVE_INFINITY;

/** The options for a digest that contains all output from 0 to the requested end. */
export const wholeOptions = ({ options, seek, length }: Recipe): Options =>
  seek === 0n ? options : { ...options, length: Number(seek) + length };

/** Computes digests by one recipe, for one message after another. */
export class Computation {
  readonly #algorithm: Algorithm;
  readonly #options: Options;
  readonly #seek: number;
  /** For messages that come in pieces. */
  #hasher: ReturnType<Algorithm["create"]> | undefined;
  #digest: Uint8Array | undefined;

  constructor(recipe: Recipe) {
    this.#algorithm = algorithmOf(recipe);
    this.#options = wholeOptions(recipe);
    this.#seek = Number(recipe.seek);
    // Reads the kernel's file before that of a message is open: there may be one descriptor left.
    this.#algorithm("", this.#options);
  }

  readonly take: Take = (bytes, isAll) => {
    if (isAll) {
      this.#digest = this.#algorithm(bytes, this.#options);
      return;
    }
    this.#hasher ??= this.#algorithm.create(this.#options);
    this.#hasher.update(bytes);
  };

  end(): Uint8Array {
    const digest = this.#digest ?? this.#hasher!.digest();
    this.#digest = undefined;
    this.dispose();
    return this.#seek === 0 ? digest : digest.subarray(this.#seek);
  }

  dispose(): void {
    this.#hasher?.dispose();
    this.#hasher = undefined;
  }
}

/** Computes digests of files, each by a recipe of its own. */
export class FileDigests {
  readonly #observer: Observer;
  readonly #limitOf: (recipe: Recipe) => number;
  readonly #computations = new Map<Recipe, Computation>();

  /** @param limitOf the size in bytes from which regular files are left unread */
  constructor(observer: Observer, limitOf: (recipe: Recipe) => number) {
    this.#observer = observer;
    this.#limitOf = limitOf;
  }

  /** Makes the computation of a recipe, for whose kernel there may be no descriptor later. */
  prepare(recipe: Recipe): Error | undefined {
    try {
      if (!this.#computations.has(recipe)) this.#computations.set(recipe, new Computation(recipe));
      return undefined;
    } catch (error) {
      return failureOf(error);
    }
  }

  /** Returns undefined for a file that is left unread. */
  digest(name: string, recipe: Recipe): Outcome | undefined {
    try {
      const failure = this.prepare(recipe);
      if (failure) return failure;
      const computation = this.#computations.get(recipe) as Computation;
      return readThrough(name, this.#observer, computation.take, this.#limitOf(recipe)) ? computation.end() : undefined;
    } catch (error) {
      // Starts afresh for the next file.
      this.#computations.get(recipe)?.dispose();
      this.#computations.delete(recipe);
      return failureOf(error);
    }
  }
}

/** Yields the output of the bytes that `feed` passes on, a long one in pieces. */
export function* outputOf(
  recipe: Recipe,
  feed: (update: (bytes: Uint8Array) => void) => void,
): Generator<Uint8Array, void, undefined> {
  const whole = isLong(recipe) ? undefined : wholeOptions(recipe);
  const hasher = algorithmOf(recipe).create(whole ?? recipe.options) as ExtendableHasher;
  let reader: ReturnType<ExtendableHasher["xof"]> | undefined;
  try {
    feed((bytes) => void hasher.update(bytes));
    if (whole) {
      yield hasher.digest().subarray(Number(recipe.seek));
      return;
    }
    reader = hasher.xof();
    reader.position = recipe.seek;
    let rest = recipe.length;
    for (; rest > MOST_IN_MEMORY; rest -= MOST_IN_MEMORY) yield reader.read(MOST_IN_MEMORY);
    yield reader.read(rest);
  } finally {
    hasher.dispose();
    reader?.dispose();
  }
}

/** Yields the output for a file. */
export const outputOfFile = (
  recipe: Recipe,
  name: string,
  observer: Observer,
): Generator<Uint8Array, void, undefined> => outputOf(recipe, (update) => readThrough(name, observer, update));
