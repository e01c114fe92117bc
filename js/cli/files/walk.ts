// Walks folders, in the byte order of their names.
import { type Dirent, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";
import { pathOf } from "../system/byte-strings.js";
import type { Exclusion } from "./exclusion.js";
import { isStandardInput, statusIfAny } from "./read.js";

type Kind = "file" | "folder" | "link" | "other";

export interface Entry {
  readonly name: string;
  /** The path, relative to the working directory. */
  readonly path: string;
  readonly kind: Kind;
}

export interface WalkOptions {
  readonly follow: boolean;
  /** The names and paths to leave out. */
  readonly excluded: Exclusion;
}

/** A folder in a walk: its path, its path relative to the start, and the identities of the folders above it. */
export interface Folder {
  readonly path: string;
  readonly relativePath: string;
  readonly ancestors: readonly string[];
}

export const startAt = (path: string): Folder => ({ path, relativePath: "", ancestors: [] });

/** Yields a folder's entries that are not excluded, in the byte order of their names. */
export function* entriesOf(folder: Folder, { follow, excluded }: WalkOptions): Generator<Entry, void, undefined> {
  // latin1 gives each name's bytes unchanged, and compares in byte order.
  const entries = readdirSync(pathOf(folder.path), { withFileTypes: true, encoding: "latin1" as BufferEncoding });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder.path, entry.name);
    if (excluded.matches(join(folder.relativePath, entry.name), path)) continue;
    yield { name: entry.name, path, kind: kindOf(entry, path, follow) };
  }
}

/** Enters a folder; returns undefined if it leads back to a folder above it. */
export function enter(folder: Folder, { name, path }: Entry): Folder | undefined {
  const ancestors = [...folder.ancestors, identityOf(folder.path)];
  return ancestors.includes(identityOf(path))
    ? undefined
    : { path, relativePath: join(folder.relativePath, name), ancestors };
}

function identityOf(path: string): string {
  const { dev, ino } = statSync(pathOf(path), { bigint: true });
  return `${dev}:${ino}`;
}

const join = (folder: string, name: string): string =>
  folder === "" || folder.endsWith("/") ? folder + name : `${folder}/${name}`;

function kindOf(entry: Dirent, path: string, follow: boolean): Kind {
  if (!entry.isSymbolicLink()) return kindIn(entry);
  if (!follow) return "link";
  const status = statusIfAny(path);
  // Reading a broken link reports the error.
  return status ? kindIn(status) : "file";
}

function kindIn(entry: Dirent | Stats): Kind {
  return entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other";
}

export const targetOf = (path: string): Buffer => readlinkSync(pathOf(path), { encoding: "buffer" });

/** The path of a file, or of a folder that cannot be read, and why. */
export interface Found {
  readonly name: string;
  readonly error?: unknown;
}

/** The number of things inside folders that are neither files nor folders. */
export type Skipped = Record<"link" | "other", number>;

/** Yields files as they are, and replaces each folder with all files in and below it. */
export function* filesBelow(
  names: Iterable<string>,
  options: WalkOptions,
  skipped: Skipped,
): Generator<Found, void, undefined> {
  for (const name of names) {
    const status = isStandardInput(name) ? undefined : statusIfAny(name);
    if (status?.isDirectory()) yield* filesIn(name, () => startAt(name), options, skipped);
    else yield { name };
  }
}

function* filesIn(
  name: string,
  open: () => Folder | undefined,
  options: WalkOptions,
  skipped: Skipped,
): Generator<Found, void, undefined> {
  try {
    const folder = open();
    for (const entry of folder ? entriesOf(folder, options) : []) {
      if (entry.kind === "file") yield { name: entry.path };
      else if (entry.kind !== "folder") skipped[entry.kind]++;
      else yield* filesIn(entry.path, () => enter(folder as Folder, entry), options, skipped);
    }
  } catch (error) {
    yield { name, error };
  }
}
