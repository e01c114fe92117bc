// One digest of a whole folder, as specified in docs/blakesum.md.
import { statSync } from "node:fs";
import { pathOf, toBytes } from "./byte-strings.js";
import { FileFailure, fileErrorOf } from "./errors.js";
import type { FileJob, Outcome, RunOptions } from "./job-list.js";
import { eachDigest } from "./jobs.js";
import { hexOf } from "./output.js";
import { Calculator, type Recipe } from "./recipes.js";
import { enter, entriesOf, type Folder, type Inside, startAt, targetOf, type WalkOptions } from "./walk.js";

/** A prefix that distinguishes the hashed description of a folder from a file. */
const HEADER = "blakesum folder 1\0";

interface Branch {
  readonly type: "f" | "x" | "d" | "l";
  readonly name: string;
  /** Omitted until it is computed. */
  digest?: Uint8Array;
  /** What a folder contains. */
  readonly branches?: readonly Branch[];
}

/** Reads folders, and collects the files in them. */
class FolderReader {
  readonly jobs: (FileJob & { readonly branch: Branch })[] = [];
  readonly #recipe: Recipe;
  readonly #options: WalkOptions;

  constructor(recipe: Recipe, options: WalkOptions) {
    this.#recipe = recipe;
    this.#options = options;
  }

  read(folder: Folder): Branch[] {
    const branches: Branch[] = [];
    let { path } = folder;
    try {
      for (const entry of entriesOf(folder, this.#options)) {
        path = entry.path;
        branches.push(this.#branchOf(folder, entry));
      }
    } catch (error) {
      throw error instanceof FileFailure ? error : new FileFailure(path, fileErrorOf(error));
    }
    return branches;
  }

  #branchOf(folder: Folder, entry: Inside): Branch {
    const { name, path, kind } = entry;
    if (kind === "link") return { type: "l", name, digest: digestBytes(targetOf(path), this.#recipe) };
    if (kind === "folder") {
      const inner = enter(folder, entry);
      if (!inner) throw new FileFailure(path, new Error("leads back to a folder around it"));
      return { type: "d", name, branches: this.read(inner) };
    }
    if (kind === "other") throw new FileFailure(path, new Error("is neither a file nor a folder nor a link"));
    const branch: Branch = { type: isExecutable(path) ? "x" : "f", name };
    this.jobs.push({ name: path, recipe: this.#recipe, branch });
    return branch;
  }
}

const OWNER_MAY_EXECUTE = 0o100;

const isExecutable = (path: string): boolean =>
  process.platform !== "win32" && (statSync(pathOf(path)).mode & OWNER_MAY_EXECUTE) !== 0;

function digestOf(branches: readonly Branch[], recipe: Recipe): Uint8Array {
  const parts = branches.map(({ type, name, digest, branches: inner }) => {
    const content = inner ? digestOf(inner, recipe) : (digest as Uint8Array);
    return `${type} ${hexOf(content)} ${name}\0`;
  });
  return digestBytes(toBytes(HEADER + parts.join("")), recipe);
}

function digestBytes(bytes: Uint8Array, recipe: Recipe): Uint8Array {
  const calculator = new Calculator(recipe);
  calculator.whole(bytes);
  return calculator.end();
}

/** The digest of a folder fails if any of its contents cannot be read, or is not a file, folder or link. */
export const folderHasher =
  (path: string, recipe: Recipe, options: WalkOptions) =>
  async (runOptions: RunOptions): Promise<Outcome> => {
    const reader = new FolderReader(recipe, options);
    try {
      const branches = reader.read(startAt(path));
      await eachDigest(reader.jobs, runOptions, ({ branch, name }, outcome) => {
        if (!(outcome instanceof Uint8Array)) throw new FileFailure(name, outcome);
        branch.digest = outcome;
      });
      return digestOf(branches, recipe);
    } catch (error) {
      return error instanceof FileFailure ? error : fileErrorOf(error);
    }
  };
