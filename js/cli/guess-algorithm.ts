// Guesses the algorithm of a list's untagged lines from the length of the digests. If several fit, hashes up to four listed
// files with each.
import { equal } from "../index.js";
import { type Algorithm, algorithmList, algorithmNamed, canHaveLength } from "./algorithms.js";
import { fileErrorOf } from "./errors.js";
import { type Observer, readThrough } from "./files.js";
import type { FileJob } from "./job-list.js";
import { Calculator, type Recipe } from "./recipes.js";

/** The likeliest first. */
const LIKELY = ["blake3", "blake2b", "blake2s", "blake2bp", "blake2sp", "blake256", "blake512", "blake224", "blake384"];

/** The number of files to try: the first ones may be damaged. */
const ATTEMPTS = 4;

/** Returns the recipe for an algorithm and a length, always the same one; undefined if the options do not suit it. */
export type MakeRecipe = (algorithm: Algorithm, length: number) => Recipe | undefined;

/** The algorithms whose digests can have this length, the likeliest first: those with this default length. */
export function candidates(length: number): Algorithm[] {
  const likely = LIKELY.map((name) => algorithmNamed(name) as Algorithm);
  const fitting = likely.filter((algorithm) => canHaveLength(algorithm, length));
  const own = ({ digestLength }: Algorithm): number => (digestLength === length ? 0 : 1);
  return fitting.sort((a, b) => own(a) - own(b));
}

/** Guesses the algorithm of one list, and remembers the result. */
export class Guesser {
  readonly #makeRecipe: MakeRecipe;
  readonly #observer: Observer;
  readonly #found = new Map<number, Recipe | undefined>();
  readonly #attempts = new Map<number, number>();
  /** Names of the algorithms that have been tried or chosen. */
  readonly tried = new Set<string>();

  constructor(makeRecipe: MakeRecipe, observer: Observer) {
    this.#makeRecipe = makeRecipe;
    this.#observer = observer;
  }

  /** Returns the job for a line, with the outcome if it had to be computed; undefined if no algorithm suits the line. */
  guess(name: string, digest: Uint8Array): FileJob | undefined {
    const { length } = digest;
    if (!this.#found.has(length)) {
      const recipes = candidates(length).flatMap((algorithm) => this.#makeRecipe(algorithm, length) ?? []);
      if (recipes.length > 1) return this.#try(name, digest, recipes);
      this.#settle(length, recipes[0]);
    }
    const recipe = this.#found.get(length);
    return recipe && { name, recipe };
  }

  #settle(length: number, recipe: Recipe | undefined): void {
    this.#found.set(length, recipe);
    if (recipe) this.tried.add(recipe.algorithm.algorithm);
  }

  #try(name: string, digest: Uint8Array, recipes: readonly Recipe[]): FileJob {
    let outcomes: Uint8Array[];
    try {
      outcomes = digestsBy(recipes, name, this.#observer);
    } catch (error) {
      return { name, outcome: fileErrorOf(error) };
    }
    const match = outcomes.findIndex((outcome) => equal(outcome, digest));
    const attempts = (this.#attempts.get(digest.length) ?? 0) + 1;
    this.#attempts.set(digest.length, attempts);
    if (match >= 0) this.#settle(digest.length, recipes[match]);
    else {
      for (const { algorithm } of recipes) this.tried.add(algorithm.algorithm);
      if (attempts === ATTEMPTS) this.#settle(digest.length, recipes[0]);
    }
    return { name, outcome: outcomes[Math.max(0, match)] };
  }
}

/** Computes a file's digests by several recipes in one read. */
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

/** The program that usually prints digests of this length, and the option for its algorithm. */
export function looksLike(length: number): string {
  if (length === 64) return "b2sum's (--algorithm blake2b)";
  if (length === 32) return "b3sum's (--algorithm blake3)";
  const own = algorithmList.find(({ digestLength }) => digestLength === length)?.algorithm;
  return own ? `${own}'s (--algorithm ${own})` : "a list of shortened digests of b2sum's or b3sum's";
}
