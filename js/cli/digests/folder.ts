// One digest of a whole folder, as specified in docs/blakesum.md.

import type { Stats } from "node:fs";
import { constants } from "node:os";
import { types } from "node:util";
import { toHex } from "../../index.js";
import { isStandardInput, type Observer, requireSame, statusNow } from "../files/read.js";
import { enter, entriesOf, type Folder, type Inside, startAt, targetOf, type WalkOptions } from "../files/walk.js";
import { toBytes } from "../system/byte-strings.js";
import { FileError, FileFailure, failureOf, named, naming } from "../system/errors.js";
import { type Outcome, outputOf, outputOfFile, type Recipe } from "./computation.js";
import { eachDigest, type FileJob, type RunOptions } from "./run.js";

/** A prefix that distinguishes the hashed description of a folder from a file. */
const HEADER = "blakesum folder 1\0";

const NOT_A_DIRECTORY = -constants.errno.ENOTDIR;

interface Branch {
  readonly type: "f" | "x" | "d" | "l";
  readonly name: string;
  readonly path: string;
  /** Where a link leads. */
  readonly target?: Uint8Array;
  /** What a folder contains. */
  readonly branches?: readonly Branch[];
  /** Of a file, once it is computed. */
  digest?: Uint8Array;
}

/** Reads folders, and collects the files in them. */
class FolderReader {
  readonly jobs: (FileJob & { readonly branch: Branch })[] = [];
  readonly #recipe: Recipe;
  readonly #options: WalkOptions;
  /** The folders' paths, and their statuses before they were read. */
  readonly #folders: [path: string, before: Stats][] = [];

  constructor(recipe: Recipe, options: WalkOptions) {
    this.#recipe = recipe;
    this.#options = options;
  }

  start(path: string): Branch[] {
    if (isStandardInput(path)) throw new FileError(NOT_A_DIRECTORY);
    return this.#read(startAt(path));
  }

  #read(folder: Folder): Branch[] {
    const branches: Branch[] = [];
    let { path } = folder;
    try {
      this.#folders.push([path, statusNow(path)]);
      for (const entry of entriesOf(folder, this.#options)) {
        path = entry.path;
        branches.push(this.#branchOf(folder, entry));
      }
    } catch (error) {
      throw named(path, error);
    }
    return branches;
  }

  #branchOf(folder: Folder, entry: Inside): Branch {
    const { name, path, kind } = entry;
    if (kind === "link") return { type: "l", name, path, target: targetOf(path) };
    if (kind === "folder") {
      const inner = enter(folder, entry);
      if (!inner) throw new FileFailure(path, new Error("leads back to a folder around it"));
      return { type: "d", name, path, branches: this.#read(inner) };
    }
    if (kind === "other") throw new FileFailure(path, new Error("is neither a file nor a folder nor a link"));
    const branch: Branch = { type: isExecutable(path) ? "x" : "f", name, path };
    this.jobs.push({ name: path, recipe: this.#recipe, branch });
    return branch;
  }

  /** @throws FileFailure if things have come into a folder, or left it, since it was read */
  requireUnchanged(): void {
    for (const [path, before] of this.#folders) naming(path, () => requireSame(before, statusNow(path)));
  }
}

const OWNER_MAY_EXECUTE = 0o100;

const isExecutable = (path: string): boolean =>
  process.platform !== "win32" && (statusNow(path).mode & OWNER_MAY_EXECUTE) !== 0;

/** Passes on the description of a folder in pieces: each digest in it may be too long to keep in memory. */
function describe(
  branches: readonly Branch[],
  recipe: Recipe,
  observer: Observer,
  update: (bytes: Uint8Array) => void,
): void {
  const contentOf = ({ path, target, branches: inner, digest }: Branch): Iterable<Uint8Array> => {
    if (digest) return [digest];
    if (target) return outputOf(recipe, (updateLink) => updateLink(target));
    if (inner) return outputOf(recipe, (updateInner) => describe(inner, recipe, observer, updateInner));
    return outputOfFile(recipe, path, observer);
  };
  update(toBytes(HEADER));
  for (const branch of branches) {
    const { type, name, path } = branch;
    update(toBytes(`${type} `));
    naming(path, () => {
      for (const piece of contentOf(branch)) update(toBytes(toHex(piece)));
    });
    update(toBytes(` ${name}\0`));
  }
}

/** Returns a function that hashes a folder. It fails if anything in it cannot be read, or is no file, folder or link. */
export const folderHasher =
  (path: string, recipe: Recipe, options: WalkOptions) =>
  async (runOptions: RunOptions): Promise<Outcome> => {
    const reader = new FolderReader(recipe, options);
    try {
      const branches = reader.start(path);
      await eachDigest(reader.jobs, runOptions, ({ branch, name }, outcome) => {
        if (!types.isUint8Array(outcome)) throw new FileFailure(name, outcome);
        branch.digest = outcome;
      });
      reader.requireUnchanged();
      const [digest] = outputOf(recipe, (update) => describe(branches, recipe, runOptions.observer, update));
      return digest as Uint8Array;
    } catch (error) {
      return failureOf(error);
    }
  };

/** The same, for a recipe whose output is long. */
export const folderOutput = (
  recipe: Recipe,
  path: string,
  observer: Observer,
  options: WalkOptions,
): Iterable<Uint8Array> =>
  outputOf(recipe, (update) => {
    const reader = new FolderReader(recipe, options);
    describe(reader.start(path), recipe, observer, update);
    reader.requireUnchanged();
  });
