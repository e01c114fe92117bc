// One digest of a whole folder, as specified in docs/blakesum.md.
import { statSync } from "node:fs";
import { pathOf, toBytes } from "./byte-strings.js";
import { FileFailure, fileErrorOf } from "./errors.js";
import type { Item, Outcome, RunOptions } from "./job.js";
import { eachDigest } from "./jobs.js";
import { type Recipe, wholeOptions } from "./recipes.js";
import { enter, entriesOf, type Folder, startAt, targetOf, type WalkOptions } from "./walk.js";

/** A prefix that distinguishes the hashed description of a folder from a file. */
const HEADER = "blakesum folder 1\0";

/** A folder's contents, with digests that are filled in later. */
interface Tree {
  readonly entries: readonly Branch[];
}

interface Branch {
  readonly type: "f" | "x" | "d" | "l";
  readonly name: string;
  /** Omitted until it is computed. */
  digest?: Uint8Array;
  readonly tree?: Tree;
}

/** @throws FileFailure if any of its contents cannot be read, or is not a file, folder or link */
export async function folderDigest(path: string, recipe: Recipe, runOptions: RunOptions, options: WalkOptions) {
  const jobs: (Item & { branch: Branch; path: string })[] = [];
  const add = (branch: Branch, name: string): void => {
    jobs.push({ branch, path: name, job: { name, recipe } });
  };
  const tree = read(startAt(path), recipe, options, add);
  await eachDigest(jobs, runOptions, ({ branch, path: file }, outcome) => {
    if (!(outcome instanceof Uint8Array)) throw new FileFailure(file, outcome);
    branch.digest = outcome;
  });
  return digestOf(tree, recipe);
}

type Add = (branch: Branch, path: string) => void;

function read(folder: Folder, recipe: Recipe, options: WalkOptions, add: Add): Tree {
  const entries: Branch[] = [];
  let path = folder.path;
  try {
    for (const entry of entriesOf(folder, options)) {
      path = entry.path;
      entries.push(branchOf(folder, entry, recipe, options, add));
    }
  } catch (error) {
    throw error instanceof FileFailure ? error : new FileFailure(path, fileErrorOf(error));
  }
  return { entries };
}

type Entry = Parameters<typeof enter>[1];

function branchOf(folder: Folder, entry: Entry, recipe: Recipe, options: WalkOptions, add: Add): Branch {
  const { name, path, kind } = entry;
  if (kind === "link") return { type: "l", name, digest: digestBytes(targetOf(path), recipe) };
  if (kind === "folder") {
    const inner = enter(folder, entry);
    if (!inner) throw new FileFailure(path, new Error("leads back to a folder around it"));
    return { type: "d", name, tree: read(inner, recipe, options, add) };
  }
  if (kind === "other") throw new FileFailure(path, new Error("is neither a file nor a folder nor a link"));
  const branch: Branch = { type: isExecutable(path) ? "x" : "f", name };
  add(branch, path);
  return branch;
}

const OWNER_MAY_EXECUTE = 0o100;

const isExecutable = (path: string): boolean =>
  process.platform !== "win32" && (statSync(pathOf(path)).mode & OWNER_MAY_EXECUTE) !== 0;

function digestOf({ entries }: Tree, recipe: Recipe): Uint8Array {
  const parts = entries.map(({ type, name, digest, tree }) => {
    const content = tree ? digestOf(tree, recipe) : (digest as Uint8Array);
    return `${type} ${Buffer.from(content).toString("hex")} ${name}\0`;
  });
  return digestBytes(toBytes(HEADER + parts.join("")), recipe);
}

function digestBytes(bytes: Uint8Array, recipe: Recipe): Uint8Array {
  const hasher = recipe.algorithm.create(wholeOptions(recipe));
  hasher.update(bytes);
  const digest = hasher.digest().subarray(Number(recipe.seek));
  hasher.dispose();
  return digest;
}

/** Returns the digest, or the error that prevented it. */
export async function folderOutcome(...args: Parameters<typeof folderDigest>): Promise<Outcome> {
  try {
    return await folderDigest(...args);
  } catch (error) {
    return error instanceof FileFailure ? error : fileErrorOf(error);
  }
}
