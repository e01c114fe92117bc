// What the lines of a list say, in the format of any of the programs.
import { existsSync } from "node:fs";
import type { Algorithm } from "../digests/algorithms.js";
import { folderHasher } from "../digests/folder.js";
import type { FileJob, RunOptions } from "../digests/job-list.js";
import type { WalkOptions } from "../files/walk.js";
import { pathOf } from "../system/byte-strings.js";
import { failureOf } from "../system/errors.js";
import { printError } from "../system/output.js";
import { type Checksum, parseLine } from "./checksum-line.js";
import { candidates, Guesser, type MakeRecipe } from "./guess.js";

export interface ListOptions {
  /** The algorithm of untagged lines; undefined if it must be detected. */
  readonly algorithm: Algorithm | undefined;
  readonly makeRecipe: MakeRecipe;
  readonly strictNames: boolean;
  /** How folders are walked; undefined if the names are those of files. */
  readonly folders: WalkOptions | undefined;
  readonly runOptions: RunOptions;
}

/** A line of a list, and the job that computes what it should name. */
export interface Expectation extends FileJob {
  /** The name as it is listed; `name` is the path that is read. */
  readonly listed: string;
  readonly digest: Uint8Array;
}

/** Reads the lines of one list. */
export class ListedFiles {
  readonly #options: ListOptions;
  readonly #guesser: Guesser;
  /** The length of the last untagged digest. */
  untaggedLength: number | undefined;

  constructor(options: ListOptions) {
    this.#options = options;
    this.#guesser = new Guesser(options.makeRecipe, options.runOptions.observer);
  }

  /** Names of the algorithms that untagged lines have been tried with. */
  get tried(): ReadonlySet<string> {
    return this.#guesser.tried;
  }

  /** Returns undefined if the line is not a checksum line. */
  read(line: string): Expectation | undefined {
    const checksum = parseLine(line);
    const expected = checksum && this.#expect(checksum);
    if (expected && this.#options.strictNames && escapesDirectory(expected.listed)) {
      printError(`WARNING: ${expected.listed}: the name leads out of the folder`);
    }
    return expected;
  }

  #expect(checksum: Checksum): Expectation | undefined {
    if (checksum.algorithm === undefined) this.untaggedLength = checksum.digest.length;
    const { name: listed, digest } = checksum;
    try {
      const job = this.#jobFor(checksum);
      return job && { listed, digest, ...job };
    } catch (error) {
      return { listed, digest, name: listed, outcome: failureOf(error) };
    }
  }

  #jobFor(checksum: Checksum): FileJob | undefined {
    const { digest } = checksum;
    const name = pathFor(checksum);
    const { algorithm, folders, makeRecipe } = this.#options;
    // Of a folder the likeliest: trying several would take too long.
    const chosen = checksum.algorithm ?? algorithm ?? (folders && candidates(digest.length)[0]);
    if (!chosen) return folders ? undefined : this.#guesser.guess(name, digest);
    const recipe = makeRecipe(chosen, digest.length);
    if (!recipe) return undefined;
    return folders ? { name, later: folderHasher(name, recipe, folders) } : { name, recipe };
  }
}

/** Whether a name is absolute or contains "..". */
const escapesDirectory = (name: string): boolean => /^[/\\]|^[a-z]:/i.test(name) || name.split(/[/\\]/).includes("..");

/** Lists from Windows separate folders with "\": unless a file has that very name, "\" is read as a separator. */
function pathFor({ name, escaped }: Checksum): string {
  if (escaped || !name.includes("\\") || existsSync(pathOf(name))) return name;
  const path = name.replaceAll("\\", "/");
  return existsSync(pathOf(path)) ? path : name;
}
