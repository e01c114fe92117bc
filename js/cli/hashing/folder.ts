// One digest of a whole folder, as specified in docs/blakesum.md.
import { toHex } from "../../index.js";
import { isStandardInput, statusOf } from "../files/read.js";
import { type Entry, enter, entriesOf, type Folder, startAt, targetOf, type WalkOptions } from "../files/walk.js";
import { toBytes } from "../system/byte-strings.js";
import { failureOf } from "../system/errors.js";
import type { FileHasher } from "./file-hasher.js";
import { hasherFor, outputOf, type Recipe } from "./recipe.js";

/** A prefix that distinguishes the hashed description of a folder from a file. */
const HEADER = "blakesum folder 1\0";

const OWNER_MAY_EXECUTE = 0o100;

const isExecutable = (path: string): boolean =>
  process.platform !== "win32" && (statusOf(path).mode & OWNER_MAY_EXECUTE) !== 0;

/** Yields the output for a folder. It fails if anything in it cannot be read, or is no file, folder or link. */
export async function folderOutput(
  path: string,
  recipe: Recipe,
  options: WalkOptions,
  files: FileHasher,
): Promise<Iterable<Uint8Array>> {
  if (isStandardInput(path)) throw new Error("not a directory");
  return outputIn(startAt(path));

  async function outputIn(folder: Folder): Promise<Iterable<Uint8Array>> {
    const hasher = hasherFor(recipe);
    let at = folder.path;
    try {
      hasher.update(toBytes(HEADER));
      for (const entry of entriesOf(folder, options)) {
        at = entry.path;
        const [type, output] = await contentOf(folder, entry);
        hasher.update(toBytes(`${type} `));
        for (const piece of output) hasher.update(toBytes(toHex(piece)));
        hasher.update(toBytes(` ${entry.name}\0`));
      }
    } catch (error) {
      throw failureOf(at, error);
    }
    return outputOf(hasher, recipe);
  }

  async function contentOf(folder: Folder, entry: Entry): Promise<[type: string, output: Iterable<Uint8Array>]> {
    switch (entry.kind) {
      case "file":
        return [isExecutable(entry.path) ? "x" : "f", await files.output(entry.path, recipe)];
      case "link":
        return ["l", outputOf(hasherFor(recipe).update(targetOf(entry.path)), recipe)];
      case "folder": {
        const inner = enter(folder, entry);
        if (!inner) throw new Error("leads back to a folder around it");
        return ["d", await outputIn(inner)];
      }
      case "other":
        throw new Error("is neither a file nor a folder nor a link");
    }
  }
}
