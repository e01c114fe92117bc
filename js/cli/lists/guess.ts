// Guesses the algorithm of a list's untagged lines from the length of the digests. If several fit, it hashes the first
// listed files with each.
import { equal } from "../../index.js";
import { candidates } from "../hashing/algorithms.js";
import type { FileHasher } from "../hashing/file-hasher.js";
import type { Recipe } from "../hashing/recipe.js";
import type { MakeRecipe } from "../options/recipe.js";

/** The number of files to try: the first ones may be damaged. */
const MOST_TRIES = 4;

/** Guesses the algorithm of one list, and remembers the result for each length of digests. */
export class Guesser {
  readonly #makeRecipe: MakeRecipe;
  readonly #files: FileHasher;
  readonly #found = new Map<number, Recipe>();
  readonly #tries = new Map<number, number>();
  /** Names of the algorithms that have been tried. */
  readonly tried = new Set<string>();

  constructor(makeRecipe: MakeRecipe, files: FileHasher) {
    this.#makeRecipe = makeRecipe;
    this.#files = files;
  }

  /** Returns the digest of a file by the algorithm of the list, the likeliest if none fits; undefined if there is none. */
  async digest(name: string, wanted: Uint8Array): Promise<Uint8Array | undefined> {
    const { length } = wanted;
    const found = this.#found.get(length);
    if (found) return this.#files.digest(name, found);
    let likeliest: { recipe: Recipe; digest: Uint8Array } | undefined;
    for (const algorithm of candidates(length)) {
      const recipe = this.#makeRecipe(algorithm, length, false);
      if (!recipe) continue;
      const digest = await this.#files.digest(name, recipe);
      this.tried.add(algorithm.algorithm);
      likeliest ??= { recipe, digest };
      if (!equal(digest, wanted)) continue;
      this.#found.set(length, recipe);
      return digest;
    }
    const tries = (this.#tries.get(length) ?? 0) + 1;
    this.#tries.set(length, tries);
    if (likeliest && tries === MOST_TRIES) this.#found.set(length, likeliest.recipe);
    return likeliest?.digest;
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

/** Says what a list may be in which nothing matches. */
export function hintFor(length: number, tried: Iterable<string>): string {
  const others = [
    "another --algorithm, --length or key",
    ...(OTHERS[length] ? [`${OTHERS[length]}, which blakesum does not check`] : []),
  ];
  return `no file matches as ${[...tried].join(", ")}; if the files are good, the list is of ${others.join(", or of ")}`;
}
