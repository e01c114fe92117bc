// The files that a command line names: operands, lists of names, folders.
import { isStandardInput, statusOf } from "./files.js";
import type { Source } from "./hash-files.js";
import { textOf } from "./lines.js";
import { enter, entriesOf, type Folder, type Inside, startAt, type WalkOptions } from "./walk.js";

/** Reads names from a list: terminated by NUL if it contains any NUL, otherwise one per line. */
export function namesFrom(list: string): string[] {
  const text = [...textOf(list)].join("");
  const names = text.includes("\0") ? text.split("\0") : text.split("\n").map((line) => line.replace(/\r$/, ""));
  return names.filter((name) => name !== "");
}

/** Yields files as they are, and replaces each folder with all files in and below it. */
export function* filesBelow(names: Iterable<string>, options: WalkOptions): Generator<Source, void, undefined> {
  for (const name of names) {
    const status = isStandardInput(name) ? undefined : statusOf(name);
    if (status?.isDirectory()) yield* filesIn(startAt(name), options);
    else yield { name };
  }
}

function* filesIn(folder: Folder, options: WalkOptions): Generator<Source, void, undefined> {
  try {
    for (const entry of entriesOf(folder, options)) {
      if (entry.kind === "file") yield { name: entry.path };
      else if (entry.kind === "folder") yield* folderIn(folder, entry, options);
    }
  } catch (error) {
    yield { name: folder.path, error };
  }
}

function* folderIn(folder: Folder, entry: Inside, options: WalkOptions): Generator<Source, void, undefined> {
  let inner: Folder | undefined;
  try {
    inner = enter(folder, entry);
  } catch (error) {
    yield { name: entry.path, error };
  }
  if (inner) yield* filesIn(inner, options);
}
