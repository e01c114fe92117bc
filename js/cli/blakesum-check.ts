// The checks of blakesum itself, which accepts the lists of any of the programs.
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
  /** The algorithm of untagged lines; undefined if it must be detected. */
  readonly algorithm: Algorithm | undefined;
  readonly makeRecipe: MakeRecipe;
  readonly observer: Observer;
  readonly strictNames: boolean;
  /** Computes the digest of a folder; undefined if the names are those of files. */
  readonly folder: ((path: string, recipe: Recipe) => Promise<Outcome>) | undefined;
  readonly json: boolean;
  readonly colours: Colours;
}

/** Which messages have already been printed, across all lists. */
export interface Said {
  hint: boolean;
}

/** Parses one list, and formats the results of its check. */
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

  /** Returns undefined if the algorithm has no digests of that length. */
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

  /** Returns the recipe of the likeliest algorithm: trying several on a folder would take too long. */
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

  /** If nothing matches, prints once which algorithm the list appears to use, and the option for it. */
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

/** Whether a name is absolute or contains "..". */
export const leadsOut = (name: string): boolean => /^[/\\]|^[a-z]:/i.test(name) || name.split(/[/\\]/).includes("..");

/** Lists from Windows separate folders with "\": unless a file has that very name, "\" is read as a separator. */
function pathFor({ name, escaped }: Checksum): string {
  if (escaped || !name.includes("\\") || existsSync(pathOf(name))) return name;
  const path = name.replaceAll("\\", "/");
  return existsSync(pathOf(path)) ? path : name;
}
