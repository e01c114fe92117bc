// Guesses the algorithm of a list's untagged lines from the length of the digests. If several fit, it hashes up to four
// listed files with each.

import { types } from "node:util";
import { equal } from "../../index.js";
import { type Algorithm, candidates, isExtendable } from "../digests/algorithms.js";
import { Computation, FileDigests, type Outcome, type Recipe } from "../digests/computation.js";
import type { FileJob } from "../digests/run.js";
import { isStandardInput, type Observer, readThrough, statusOf } from "../files/read.js";
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

  /** Returns the job for a line, with the outcome if that had to be computed; undefined if no algorithm suits it. */
  guess(name: string, digest: Uint8Array): FileJob | undefined {
    if (!this.#found.has(digest.length)) return this.#try(name, digest);
    const recipe = this.#found.get(digest.length);
    return recipe && { name, recipe };
  }

  #settle(length: number, recipe: Recipe | undefined): void {
    this.#found.set(length, recipe);
    if (recipe) this.tried.add(recipe.algorithm);
  }

  /** Computes the file's digest by one algorithm after the other, the likeliest first, until it matches. */
  #try(name: string, digest: Uint8Array): FileJob | undefined {
    const { length } = digest;
    const attempts: Attempt[] = [];
    for (const attempt of isReadAgain(name) ? this.#oneByOne(name, length) : this.#atOnce(name, length)) {
      const { recipe, outcome } = attempt;
      if (types.isUint8Array(outcome) && equal(outcome, digest)) {
        this.#settle(length, recipe);
        return { name, outcome };
      }
      // Of the file, which no other algorithm can read either.
      if ((outcome as NodeJS.ErrnoException | undefined)?.errno !== undefined) return { name, outcome };
      attempts.push(attempt);
    }
    return this.#withoutMatch(name, length, attempts);
  }

  /** An error of one algorithm, such as for lack of memory, keeps no others from being tried. */
  *#oneByOne(name: string, length: number): Generator<Attempt, void, undefined> {
    const digests = new FileDigests(this.#observer, () => Number.POSITIVE_INFINITY);
    for (const algorithm of candidates(length)) {
      let recipe: Recipe | undefined;
      let outcome: Outcome | undefined;
      try {
        recipe = this.#makeRecipe(algorithm, length, false);
        outcome = recipe && digests.digest(name, recipe);
      } catch (error) {
        outcome = failureOf(error);
      }
      if (outcome) yield { algorithm: algorithm.algorithm, recipe, outcome };
    }
  }

  /** For a file that can be read only once. */
  #atOnce(name: string, length: number): Attempt[] {
    const recipes = candidates(length).flatMap((algorithm) => this.#makeRecipe(algorithm, length, false) ?? []);
    const computations = recipes.map((recipe) => new Computation(recipe));
    try {
      readThrough(name, this.#observer, (bytes, isAll) => {
        for (const each of computations) each.take(bytes, isAll);
      });
      return recipes.map((recipe, i) => ({ algorithm: recipe.algorithm, recipe, outcome: computations[i]?.end() }));
    } finally {
      for (const each of computations) each.dispose();
    }
  }

  #withoutMatch(name: string, length: number, attempts: readonly Attempt[]): FileJob | undefined {
    const failed = attempts.filter(({ outcome }) => !types.isUint8Array(outcome));
    for (const each of attempts) if (!failed.includes(each)) this.tried.add(each.algorithm);
    if (failed.length > 0) {
      const names = failed.map(({ algorithm }) => algorithm).join(", ");
      const reason = reasonOf(failed[0]?.outcome);
      return { name, outcome: new Error(`cannot be tried with ${names} (--algorithm loads one alone): ${reason}`) };
    }
    const tries = (this.#tries.get(length) ?? 0) + 1;
    this.#tries.set(length, tries);
    const [likeliest] = attempts;
    if (attempts.length < 2 || tries === ATTEMPTS) this.#settle(length, likeliest?.recipe);
    return likeliest && { name, outcome: likeliest.outcome };
  }
}

/** What an algorithm has made of a file. */
interface Attempt {
  /** Its name. */
  readonly algorithm: string;
  readonly recipe: Recipe | undefined;
  readonly outcome: Outcome | undefined;
}

/** Whether a file can be read a second time. */
const isReadAgain = (name: string): boolean => !isStandardInput(name) && statusOf(name)?.isFile() === true;

/** The programs of other hashes, whose lists look the same. */
const OTHERS: Readonly<Record<number, string>> = {
  16: "md5sum",
  20: "sha1sum",
  28: "sha224sum",
  32: "sha256sum",
  48: "sha384sum",
  64: "sha512sum",
};

/**
 * Says what a list may be in which nothing matches, and the option for it.
 *
 * @param chosen the algorithm that --algorithm names
 * @param tried the names of those that were tried without it
 */
export function hintFor(
  length: number,
  chosen: Algorithm | undefined,
  isStated: boolean,
  tried: Iterable<string>,
): string {
  const begin = `no file matches as ${chosen ? chosen.algorithm : [...tried].join(", ")}`;
  if (chosen && isExtendable(chosen)) {
    const [given, other] = isStated ? ["with", "without it"] : ["without", `with --length ${length}`];
    return `${begin} ${given} --length; it is another hash ${other}, and with a key`;
  }
  const digits = `digests of ${length * 2} digits`;
  const foreign = OTHERS[length] && `${OTHERS[length]}'s`;
  const likeliest = candidates(length).find(({ digestLength }) => digestLength === length);
  if (chosen && likeliest !== chosen) {
    const program = length === 64 ? "b2sum" : length === 32 ? "b3sum" : likeliest?.algorithm;
    const own = likeliest ? `${program}'s (--algorithm ${likeliest.algorithm})` : "shortened ones of b2sum or b3sum";
    return `${begin}; ${digits} are usually ${foreign ? `${own} or ${foreign}` : own}; without --algorithm it is detected`;
  }
  const unsupported = foreign ? `probably ${foreign} (${digits}), which blakesum does not check; or ` : "";
  return `${begin}; if the files are good, the list is ${unsupported}of keyed digests (--key, --keyed, --derive-key) or another --algorithm`;
}
