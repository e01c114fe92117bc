// Finds out which algorithm the untagged lines of a list are of: by the digests' lengths, and by trying on the first
// file.
import { equal } from "../index.js";
import { type Algorithm, algorithmList, algorithmNamed, limitsOf } from "./algorithms.js";
import { fileErrorOf } from "./file-error.js";
import type { Observer } from "./files.js";
import { readThrough } from "./files.js";
import type { Outcome } from "./job.js";
import { Calculator, type Recipe } from "./recipes.js";

/** The likeliest first. */
const LIKELY = ["blake3", "blake2b", "blake2s", "blake2bp", "blake2sp", "blake256", "blake512", "blake224", "blake384"];

/** So many files may have been damaged before one is good. */
const ATTEMPTS = 4;

/** Makes the recipe of an algorithm and a length; undefined where the options do not suit it. */
export type MakeRecipe = (algorithm: Algorithm, length: number) => Recipe | undefined;

/** The algorithms whose digests have so many bytes, the likeliest first: that whose own length it is, BLAKE3, BLAKE2b. */
export function candidates(length: number): Algorithm[] {
  const likely = LIKELY.map((name) => algorithmNamed(name) as Algorithm);
  const fitting = likely.filter((algorithm) => {
    const [least, most] = limitsOf(algorithm).length;
    return length >= least && length <= most;
  });
  const own = ({ digestLength }: Algorithm): number => (digestLength === length ? 0 : 1);
  return fitting.sort((a, b) => own(a) - own(b));
}

/** What has been found out about the lines of one list. */
export class Finder {
  readonly #makeRecipe: MakeRecipe;
  readonly #observer: Observer;
  readonly #found = new Map<number, Recipe | undefined>();
  readonly #attempts = new Map<number, number>();
  /** Algorithms that have been tried without any match, by their names. */
  readonly tried = new Set<string>();

  constructor(makeRecipe: MakeRecipe, observer: Observer) {
    this.#makeRecipe = makeRecipe;
    this.#observer = observer;
  }

  /** The recipe of a digest's line, and its outcome when that had to be computed. */
  find(name: string, digest: Uint8Array): { recipe?: Recipe | undefined; outcome?: Outcome } {
    const { length } = digest;
    if (this.#found.has(length)) return { recipe: this.#found.get(length) };
    const recipes = candidates(length).flatMap((algorithm) => this.#makeRecipe(algorithm, length) ?? []);
    if (recipes.length <= 1) return { recipe: this.#settle(length, recipes[0]) };
    return this.#try(name, digest, recipes);
  }

  #settle(length: number, recipe: Recipe | undefined): Recipe | undefined {
    this.#found.set(length, recipe);
    if (recipe) this.tried.add(recipe.algorithm.algorithm);
    return recipe;
  }

  #try(
    name: string,
    digest: Uint8Array,
    recipes: readonly Recipe[],
  ): { recipe?: Recipe | undefined; outcome: Outcome } {
    let outcomes: Uint8Array[];
    try {
      outcomes = digestsBy(recipes, name, this.#observer);
    } catch (error) {
      return { outcome: fileErrorOf(error) };
    }
    const match = outcomes.findIndex((outcome) => equal(outcome, digest));
    const attempts = (this.#attempts.get(digest.length) ?? 0) + 1;
    this.#attempts.set(digest.length, attempts);
    if (match >= 0) this.#settle(digest.length, recipes[match]);
    else {
      for (const { algorithm } of recipes) this.tried.add(algorithm.algorithm);
      if (attempts === ATTEMPTS) this.#settle(digest.length, recipes[0]);
    }
    return { outcome: outcomes[Math.max(0, match)] as Uint8Array };
  }
}

/** A file's digests by several recipes, from one reading. */
function digestsBy(recipes: readonly Recipe[], name: string, observer: Observer): Uint8Array[] {
  const calculators = recipes.map((recipe) => new Calculator(recipe));
  try {
    readThrough(name, observer, {
      whole(bytes) {
        for (const calculator of calculators) calculator.whole(bytes);
      },
      piece(bytes) {
        for (const calculator of calculators) calculator.piece(bytes);
      },
    });
    return calculators.map((calculator) => calculator.end());
  } finally {
    for (const calculator of calculators) calculator.dispose();
  }
}

/** Who prints digests of so many bytes, and the option that says so. */
export function looksLike(length: number): string {
  if (length === 64) return "b2sum's (--algorithm blake2b)";
  if (length === 32) return "b3sum's (--algorithm blake3)";
  const [own] = algorithmList.filter(({ digestLength }) => digestLength === length);
  return own
    ? `${own.algorithm}'s (--algorithm ${own.algorithm})`
    : "a list of shortened digests of b2sum's or b3sum's";
}
