// Checks as blakesum does them: lists of any program, names with care.
import { existsSync } from "node:fs";
import { type Algorithm, limitsOf } from "./algorithms.js";
import { pathOf } from "./byte-strings.js";
import { type CheckStyle, type Expectation, showVerdict, type Tally, type Verdict } from "./check.js";
import { type Checksum, parseLine } from "./checksum-lines.js";
import type { Colours } from "./colours.js";
import { isStandardInput, type Observer } from "./files.js";
import { candidates as candidatesFor, Finder, looksLike, type MakeRecipe } from "./find-algorithm.js";
import type { Outcome } from "./job.js";
import { jsonLine, jsonName } from "./json-lines.js";
import { linesOf } from "./lines.js";
import { blakesumMessages as messages } from "./messages.js";
import { print } from "./output.js";
import type { Recipe } from "./recipes.js";

export interface CheckOptions {
  /** The algorithm that untagged lines are of; undefined: to be found. */
  readonly algorithm: Algorithm | undefined;
  readonly makeRecipe: MakeRecipe;
  readonly observer: Observer;
  readonly strictNames: boolean;
  /** Computes the digest of a folder; undefined when names are of files. */
  readonly folder: ((path: string, recipe: Recipe) => Promise<Outcome>) | undefined;
  readonly json: boolean;
  readonly colours: Colours;
}

/** What has been said already, of all lists. */
export interface Said {
  hint: boolean;
}

/** Reads and words the check of one list. */
export class BlakesumCheck implements CheckStyle {
  readonly messages = messages;
  readonly linesOf = linesOf;
  readonly malformed = "improperly formatted checksum line";
  readonly #options: CheckOptions;
  readonly #said: Said;
  readonly #finder: Finder;
  readonly #recipes = new Map<string, Recipe | undefined>();
  /** The length of the last untagged digest. */
  #untagged: number | undefined;

  constructor(options: CheckOptions, said: Said) {
    this.#options = options;
    this.#said = said;
    this.#finder = new Finder(options.makeRecipe, options.observer);
  }

  titleOf(list: string): string {
    return isStandardInput(list) ? "standard input" : list;
  }

  listError(list: string, error: unknown): void {
    messages.fileError(this.titleOf(list), error);
  }

  read(line: string): Expectation | undefined {
    const checksum = parseLine(line);
    if (!checksum) return undefined;
    const expected = this.#expect(checksum);
    if (expected && this.#options.strictNames && leadsOut(checksum.name)) {
      messages.error(`WARNING: ${checksum.name}: the name leads out of the folder`);
    }
    return expected;
  }

  #expect(checksum: Checksum): Expectation | undefined {
    const { name, digest } = checksum;
    const path = pathFor(checksum);
    const chosen = checksum.algorithm ?? this.#options.algorithm;
    if (checksum.algorithm === undefined) this.#untagged = digest.length;
    if (chosen || this.#options.folder) {
      const recipe = this.#recipeOf(chosen, digest.length);
      return recipe && { name, digest, ...this.#work(path, recipe) };
    }
    const { recipe, outcome } = this.#finder.find(path, digest);
    if (outcome) return { name, digest, outcome };
    return recipe && { name, digest, job: { name: path, recipe } };
  }

  #work(path: string, recipe: Recipe): Pick<Expectation, "job" | "later"> {
    const { folder } = this.#options;
    return folder ? { later: () => folder(path, recipe) } : { job: { name: path, recipe } };
  }

  /** Undefined: the algorithm has no digests of that length. */
  #recipeOf(algorithm: Algorithm | undefined, length: number): Recipe | undefined {
    const key = `${algorithm?.algorithm} ${length}`;
    if (!this.#recipes.has(key)) this.#recipes.set(key, this.#makeRecipe(algorithm, length));
    return this.#recipes.get(key);
  }

  #makeRecipe(algorithm: Algorithm | undefined, length: number): Recipe | undefined {
    if (!algorithm) return this.#finderless(length);
    const [least, most] = limitsOf(algorithm).length;
    return length >= least && length <= most ? this.#options.makeRecipe(algorithm, length) : undefined;
  }

  /** Folders are too much to try algorithms on: the likeliest one is taken. */
  #finderless(length: number): Recipe | undefined {
    const [first] = candidatesFor(length);
    return first && this.#options.makeRecipe(first, length);
  }

  show(name: string, verdict: string, result: Verdict): void {
    const { json, colours } = this.#options;
    if (json) print(jsonLine({ ...jsonName(name), status: STATUSES[result] }));
    else showVerdict(name, result === "matched" ? verdict : colours.bad(verdict));
  }

  noLines(title: string): string {
    return `${title}: no properly formatted checksum lines found`;
  }

  warning(title: string, sentence: string): string {
    return `${title}: WARNING: ${sentence}`;
  }

  /** When nothing matches, says once what the list looks like, and which option is for it. */
  conclude(title: string, { matched, mismatched }: Readonly<Tally>): void {
    const length = this.#untagged;
    if (this.#said.hint || length === undefined || matched > 0 || mismatched === 0) return;
    this.#said.hint = true;
    const { algorithm } = this.#options;
    const digits = `its digests have ${length * 2} digits, like ${looksLike(length)}`;
    if (algorithm && !looksLike(length).includes(` ${algorithm.algorithm})`)) {
      messages.error(`${title}: no file matches as ${algorithm.algorithm}: ${digits}; without --algorithm it is found`);
      return;
    }
    const tried = algorithm ? algorithm.algorithm : [...this.#finder.tried].join(", ");
    messages.error(
      `${title}: no file matches as ${tried}: ${digits}; if the files are good, the list is of another --algorithm, or of keyed digests (--key, --keyed, --derive-key)`,
    );
  }
}

const STATUSES: Readonly<Record<Verdict, string>> = { matched: "ok", mismatched: "failed", unreadable: "unreadable" };

/** A name that is absolute, or leads to a folder above with "..". */
export const leadsOut = (name: string): boolean => /^[/\\]|^[a-z]:/i.test(name) || name.split(/[/\\]/).includes("..");

/** Lists from Windows have "\" between folders: where no file has such a name, the folders are meant. */
function pathFor({ name, escaped }: Checksum): string {
  if (escaped || !name.includes("\\") || existsSync(pathOf(name))) return name;
  const path = name.replaceAll("\\", "/");
  return existsSync(pathOf(path)) ? path : name;
}
