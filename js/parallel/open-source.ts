// Converts the argument of a pool's `hash` to a source: with a length, or as chunks.
import { builtin } from "../input/builtin.js";
import { toBytes, toView } from "../input/bytes.js";
import { copyOf, isBuffer, isUint8Array } from "../input/caller-bytes.js";
import { wrongKind } from "../input/errors.js";
import { isUrl } from "../input/globals.js";
import { blobChunks, inBrowser, isBlob } from "../sources/blobs.js";
import type { Chunks } from "../sources/chunks.js";
import { fileChunks, type Handle, isHandle, type OwnFile, openFile, type Path } from "../sources/files.js";
import { CALL } from "./messages.js";
import { blobSource, bytesSource, fileSource, type PoolSource } from "./source.js";

/** Below this, workers that first have to wake up can be slower than one thread: 0.95 times its speed at 513 KiB. */
export const THRESHOLD = 0xc0000;

/** A file, given by its name in a plain object without other properties, which streams and requests are not. */
export interface FilePath {
  /** The file's path: text, bytes (for a name that is not valid UTF-8), or a `file:` URL. */
  readonly path: string | Uint8Array | URL;
  /** Refuses whatever has other properties, and instances of classes. */
  readonly [other: string]: string | Uint8Array | URL;
}

/** An open file, such as a FileHandle from `node:fs/promises`. It stays open. */
export interface OpenFile extends Handle {
  /** What has a `pipe` is a stream, which may start in the middle of the file. */
  readonly pipe?: never;
}

/** A message in memory, a Blob or File, or, in Node, Deno and Bun, a file. */
export type Blake3Source = ArrayBufferLike | ArrayBufferView | Blob | FilePath | URL | OpenFile;

const KINDS =
  "bytes, a Blob, a plain { path } without other properties, a file: URL or a FileHandle (blake3 hashes text, digestOf streams)";

/**
 * @param sharing returns whether workers can read a SharedArrayBuffer
 * @throws TypeError for a value that is not a source; rejects with the system's error if a file cannot be opened
 */
export function openPoolSource(
  source: Blake3Source,
  sharing: () => boolean,
): PoolSource | Promise<PoolSource | Chunks> {
  if (typeof source !== "object" || source === null) throw wrongKind(CALL, "source", KINDS, source);
  if (ArrayBuffer.isView(source) || isBuffer(source)) return bytesSource(toView(CALL, "source", source), sharing);
  // Elsewhere, a worker cannot read every Blob (https://github.com/nodejs/node/issues/47334), and its size may be wrong.
  if (isBlob(source)) return inBrowser() ? blobSource(source) : blobChunks(CALL, source);
  if (isUrl(source)) return openNamed(source);
  if (isHandle(source)) return openHandle(source);
  if (isPathAlone(source)) return openNamed(requirePath(source.path));
  throw wrongKind(CALL, "source", KINDS, source);
}

/** Whether an object is exactly { path }. Streams and HTTP requests have a `path`, too, but do not mean that file. */
function isPathAlone(source: object): source is FilePath {
  const keys = Reflect.ownKeys(source);
  return keys.length === 1 && keys[0] === "path";
}

function requirePath(path: unknown): string | Uint8Array | URL {
  if (typeof path === "string" || isUrl(path)) return path;
  // Copied, since the caller may use its bytes for another name.
  if (isUint8Array(path)) return copyOf(toBytes(CALL, "path", path));
  throw wrongKind(CALL, "path", "a string, a Uint8Array or a file: URL", path);
}

/** Opens a file by its name; rejects with the system's error, which contains the name. */
async function openNamed(path: string | Uint8Array | URL): Promise<PoolSource | Chunks> {
  const fs = builtin("node:fs");
  if (!fs) throw new TypeError(`${CALL}: source must not be a file here: there is no process.getBuiltinModule`);
  const name = isUrl(path) ? (builtin("node:url") as typeof import("node:url")).fileURLToPath(path) : path;
  return openFile(fs, name, (file) => openHandle(file, file, name));
}

/** @param own the file, if it was opened here by its name */
async function openHandle(file: Handle, own?: OwnFile, name?: Path): Promise<PoolSource | Chunks> {
  const status = await file.stat();
  // Not short ones, since files of /proc and /sys have other numbers of bytes than their size.
  if (status.isFile() && status.size > THRESHOLD) return fileSource(file, Number(status.size), own, name);
  return fileChunks(CALL, file, status, name, own?.close);
}
