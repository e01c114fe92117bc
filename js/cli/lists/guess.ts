// Guesses the algorithm of a list's untagged lines from the length of the digests. If several fit, hashes up to four listed
// files with each.
import { equal } from "../../index.js";
import { type Algorithm, candidates, isExtendable } from "../digests/algorithms.js";
import { Computation, type Outcome, type Recipe } from "../digests/computation.js";
import type { FileJob } from "../digests/run.js";
import { isStandardInput, type Observer, readThrough, statusOf, type Take } from "../files/read.js";
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
    if (!this.#found.has(digest.length)) return this.#try(name, digest);
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
    const pending = this.#attempts(length);
    const likeliest: Attempt | undefined = pending.next().value;
    if (!likeliest) return undefined;
    const attempts: Attempt[] = [];
    for (const round of isReadAgain(name) ? [[likeliest], pending] : [[likeliest, ...pending]]) {
      const begun = [...round];
      if (begun.length > 0) readBy(begun, name, this.#observer);
      const match = begun.find(({ outcome }) => outcome instanceof Uint8Array && equal(outcome, digest));
      if (match) {
        this.#settle(length, match.recipe);
        return { name, outcome: match.outcome };
      }
      attempts.push(...begun);
    }
    return this.#withoutMatch(name, length, attempts);
  }

  /** The attempts with all algorithms that suit the options, each of which loads its kernel. */
  *#attempts(length: number): Generator<Attempt, undefined, undefined> {
    for (const algorithm of candidates(length)) {
      const attempt = new Attempt(algorithm, length, this.#makeRecipe);
      if (attempt.suits) yield attempt;
    }
  }

  #withoutMatch(name: string, length: number, attempts: readonly Attempt[]): FileJob {
    const failed = attempts.filter(({ outcome }) => !(outcome instanceof Uint8Array));
    for (const each of attempts) if (!failed.includes(each)) this.tried.add(each.name);
    if (failed.length > 0) {
      const names = failed.map((each) => each.name).join(", ");
      const reason = reasonOf(failed[0]?.outcome);
      return { name, outcome: new Error(`cannot be tried with ${names} (--algorithm loads one alone): ${reason}`) };
    }
    const tries = (this.#tries.get(length) ?? 0) + 1;
    this.#tries.set(length, tries);
    const [likeliest] = attempts;
    if (attempts.length < 2 || tries === ATTEMPTS) this.#settle(length, likeliest?.recipe);
    return { name, outcome: likeliest?.outcome };
  }
}

/** Whether a file can be read a second time. */
const isReadAgain = (name: string): boolean => !isStandardInput(name) && statusOf(name)?.isFile() === true;

/** The attempt at a file with one algorithm. Its error, such as for lack of memory, keeps no others from being made. */
class Attempt {
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

  readonly take: Take = (bytes, isAll) => this.#attempt(() => this.#computation?.take(bytes, isAll));

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
  try {
    readThrough(name, observer, (bytes, isAll) => {
      for (const attempt of attempts) attempt.take(bytes, isAll);
    });
    for (const attempt of attempts) attempt.end();
  } finally {
    for (const attempt of attempts) attempt.dispose();
  }
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
