// What is inside folders, in the order of the names' bytes.
import { type Dirent, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";
import { pathOf } from "./byte-strings.js";
import { statusOf } from "./files.js";
import type { Exclusion } from "./glob.js";

export type Kind = "file" | "folder" | "link" | "other";

export interface Inside {
  readonly name: string;
  /** Where it is, from where the command runs. */
  readonly path: string;
  readonly kind: Kind;
}

export interface WalkOptions {
  readonly follow: boolean;
  readonly excluded: Exclusion;
}

/** A place in a walk: the folder's path, that inside the folder that the walk began with, and all folders around it. */
export interface Place {
  readonly path: string;
  readonly inside: string;
  readonly around: readonly string[];
}

export const startAt = (path: string): Place => ({ path, inside: "", around: [] });

/** What a folder holds, without what is excluded, in the order of the names' bytes. */
export function* entriesOf(place: Place, { follow, excluded }: WalkOptions): Generator<Inside, void, undefined> {
  // As bytes names come as they are, and a byte string's order is that of its bytes.
  const entries = readdirSync(pathOf(place.path), { withFileTypes: true, encoding: "latin1" as BufferEncoding });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(place.path, entry.name);
    if (excluded(join(place.inside, entry.name))) continue;
    yield { name: entry.name, path, kind: kindOf(entry, path, follow) };
  }
}

/** The place inside a folder; undefined for one that leads back to a folder around it. */
export function enter(place: Place, { name, path }: Inside): Place | undefined {
  const identity = identityOf(path);
  if (place.around.includes(identity) || identity === identityOf(place.path)) return undefined;
  return { path, inside: join(place.inside, name), around: [...place.around, identityOf(place.path)] };
}

function identityOf(path: string): string {
  const { dev, ino } = statSync(pathOf(path), { bigint: true });
  return `${dev}:${ino}`;
}

export const join = (folder: string, name: string): string =>
  folder === "" || folder.endsWith("/") ? folder + name : `${folder}/${name}`;

function kindOf(entry: Dirent, path: string, follow: boolean): Kind {
  if (!entry.isSymbolicLink()) return kindIn(entry);
  if (!follow) return "link";
  const status = statusOf(path);
  // Whoever reads a link that leads nowhere says so.
  return status ? kindIn(status) : "file";
}

function kindIn(entry: Dirent | Stats): Kind {
  return entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other";
}

export const targetOf = (path: string): Buffer => readlinkSync(pathOf(path), { encoding: "buffer" });
