// Guesses the algorithm of a list's untagged lines from the length of the digests. If several fit, hashes up to four listed
// files with each.
import { equal } from "../../index.js";
import { type Algorithm, candidates } from "../digests/algorithms.js";
import { Computation, type Outcome, type Recipe } from "../digests/computation.js";
import type { FileJob } from "../digests/run.js";
import { type ByteSink, isStandardInput, type Observer, readThrough, statusOf } from "../files/read.js";
import type { MakeRecipe } from "../options/digest.js";
import { failureOf, reasonOf } from "../system/errors.js";

/** The number of files to try: the first ones may be damaged. */
const ATTEMPTS = 4;

/** Guesses the algorithm of one list, and remembers the result. */
export class Guesser {
  readonly #makeRecipe: MakeRecipe;
  readonly #observer: Observer;
  readonly #found = new Map<number, Recipe | undefined>();
  readonly #tries = new Map<number, number>();
  /** Names of the algorithms that have been tried or chosen. */
  readonly tried = new Set<string>();

  constructor(makeRecipe: MakeRecipe, observer: Observer) {
    this.#makeRecipe = makeRecipe;
    this.#observer = observer;
  }

  /** Returns the job for a line, with the outcome if it had to be computed; undefined if no algorithm suits the line. */
  guess(name: string, digest: Uint8Array): FileJob | undefined {
    if (!this.#found.has(digest.length)) {
      try {
        return this.#try(name, digest);
      } catch (error) {
        return { name, outcome: failureOf(error) };
      }
    }
    const recipe = this.#found.get(digest.length);
    return recipe && { name, recipe };
  }

  #settle(length: number, recipe: Recipe | undefined): void {
    this.#found.set(length, recipe);
    if (recipe) this.tried.add(recipe.algorithm);
  }

  /** Computes the file's digests by the likeliest algorithm, which mostly is right, and if it is not by all others. */
  #try(name: string, digest: Uint8Array): FileJob | undefined {
    const { length } = digest;
    const pending = candidates(length);
    const attempts = this.#next(pending, length, isReadAgain(name) ? 1 : pending.length);
    for (let round = attempts; round.length > 0; round = this.#next(pending, length, pending.length)) {
      if (round !== attempts) attempts.push(...round);
      readBy(round, name, this.#observer);
      const match = round.find(({ outcome }) => outcome instanceof Uint8Array && equal(outcome, digest));
      if (!match) continue;
      this.#settle(length, match.recipe);
      return { name, outcome: match.outcome };
    }
    return this.#withoutMatch(name, length, attempts);
  }

  /** Takes from the pending algorithms as many as options suit, `most` of them at the most. */
  #next(pending: Algorithm[], length: number, most: number): Attempt[] {
    const attempts: Attempt[] = [];
    while (attempts.length < most && pending.length > 0) {
      const attempt = new Attempt(pending.shift() as Algorithm, length, this.#makeRecipe);
      if (attempt.suits) attempts.push(attempt);
    }
    return attempts;
  }

  #withoutMatch(name: string, length: number, attempts: readonly Attempt[]): FileJob | undefined {
    const failed = attempts.filter(({ outcome }) => !(outcome instanceof Uint8Array));
    for (const each of attempts) if (!failed.includes(each)) this.tried.add(each.name);
    if (failed.length > 0) {
      const names = failed.map((each) => each.name).join(", ");
      return {
        name,
        outcome: new Error(
          `cannot be tried with ${names} (--algorithm loads one alone): ${reasonOf(failed[0]?.outcome)}`,
        ),
      };
    }
    const tries = (this.#tries.get(length) ?? 0) + 1;
    this.#tries.set(length, tries);
    const [likeliest] = attempts;
    if (attempts.length < 2 || tries === ATTEMPTS) this.#settle(length, likeliest?.recipe);
    return likeliest && { name, outcome: likeliest.outcome };
  }
}

/** Whether a file can be read a second time. */
const isReadAgain = (name: string): boolean => !isStandardInput(name) && statusOf(name)?.isFile() === true;

/** The attempt at a file with one algorithm. Its error, such as for lack of memory, keeps no others from being made. */
class Attempt implements ByteSink {
  readonly name: string;
  recipe: Recipe | undefined;
  /** The digest or the error, once it is known. */
  outcome: Outcome | undefined;
  #computation: Computation | undefined;

  constructor(algorithm: Algorithm, length: number, makeRecipe: MakeRecipe) {
    this.name = algorithm.algorithm;
    this.#attempt(() => {
      this.recipe = makeRecipe(algorithm, length, false);
      this.#computation = this.recipe && new Computation(this.recipe);
    });
  }

  /** Whether the options suit the algorithm, as far as is known. */
  get suits(): boolean {
    return this.recipe !== undefined || this.outcome !== undefined;
  }

  whole(bytes: Uint8Array): void {
    this.#attempt(() => this.#computation?.whole(bytes));
  }

  piece(bytes: Uint8Array): void {
    this.#attempt(() => this.#computation?.piece(bytes));
  }

  end(): void {
    this.#attempt(() => {
      this.outcome = this.#computation?.end();
    });
  }

  dispose(): void {
    this.#computation?.dispose();
  }

  #attempt(work: () => void): void {
    if (this.outcome) return;
    try {
      work();
    } catch (error) {
      this.outcome = failureOf(error);
    }
  }
}

/** Makes several attempts in one reading of a file. */
function readBy(attempts: readonly Attempt[], name: string, observer: Observer): void {
  const each = (use: (attempt: Attempt) => void): void => attempts.forEach(use);
  try {
    readThrough(name, observer, {
      whole: (bytes) => each((attempt) => attempt.whole(bytes)),
      piece: (bytes) => each((attempt) => attempt.piece(bytes)),
    });
    each((attempt) => attempt.end());
  } finally {
    each((attempt) => attempt.dispose());
  }
}

/** The algorithm whose digests usually have this length. */
export const likeliestFor = (length: number): Algorithm | undefined =>
  candidates(length).find(({ digestLength }) => digestLength === length);

/** What usually prints digests of this length: a program or an algorithm of BLAKE, and a program of other hashes, if there is one. */
export function programsFor(length: number): readonly string[] {
  const algorithm = likeliestFor(length)?.algorithm;
  const program = length === 64 ? "b2sum's" : length === 32 ? "b3sum's" : `${algorithm}'s`;
  const own = algorithm === undefined ? "shortened ones of b2sum or b3sum" : `${program} (--algorithm ${algorithm})`;
  const other = OTHERS[length];
  return other === undefined ? [own] : [own, `${other}'s`];
}

/** The programs of other hashes, whose lists look the same. */
const OTHERS: Readonly<Record<number, string>> = {
  16: "md5sum",
  20: "sha1sum",
  28: "sha224sum",
  32: "sha256sum",
  48: "sha384sum",
  64: "sha512sum",
};
