// Converts the argument of a pool's `hash` to a source: with a length, or as chunks.
import { builtin, type FileSystem } from "../input/builtin.js";
import { toBytes, toView } from "../input/bytes.js";
import { copyOf, isBuffer, isUint8Array } from "../input/caller-bytes.js";
import { wrongKind } from "../input/errors.js";
import { isNode, isUrl } from "../input/globals.js";
import { blobChunks, bytesOf, isBlob, isInMemory, provedSize } from "../sources/blobs.js";
import type { Chunks } from "../sources/chunks.js";
import {
  type FileStatus,
  isHandle,
  type OwnFile,
  openChunks,
  openPath,
  type Path,
  statusOf,
} from "../sources/files.js";
import { readOnce } from "../sources/reads.js";
import { CALL } from "./messages.js";
import { blobSource, bytesSource, fileSource, identityOf, type PoolSource } from "./source.js";

/** A file, given by its name in a plain object without other properties, which streams and requests are not. */
export interface FilePath {
  /** The file's path: text, bytes (for a name that is not valid UTF-8), or a `file:` URL. */
  readonly path: string | Uint8Array | URL;
  /** Refuses whatever has other properties, and instances of classes. */
  readonly [other: string]: string | Uint8Array | URL;
}

/** An open file, such as a FileHandle from `node:fs/promises`. It stays open. */
export interface OpenFile {
  /** Its descriptor; -1 once it is closed. */
  readonly fd: number;
  /** What the file system knows of the file. */
  stat(options: { bigint: true }): Promise<FileStatus & { readonly dev: bigint; readonly ino: bigint }>;
  /** What has a `pipe` is a stream, which may start in the middle of the file. */
  readonly pipe?: never;
  /** Reads up to `length` bytes into `target` from the index `at` on, from a position in the file. */
  read(target: Uint8Array, at: number, length: number, position: number | null): Promise<{ bytesRead: number }>;
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
  if (isBlob(source)) return openBlob(source);
  if (isUrl(source)) return openNamed(source);
  if (isOpenFile(source)) return openFile(builtin("node:fs"), source, undefined, () => {});
  if (isPathAlone(source)) return openNamed(requirePath(source.path));
  throw wrongKind(CALL, "source", KINDS, source);
}

async function openBlob(blob: Blob): Promise<PoolSource | Chunks> {
  if (typeof blob.stream !== "function") return bytesSource(await bytesOf(CALL, blob, blob.size), () => false);
  const size = await provedSize(blob);
  // Node reads slices of a file one after the other, and opens it for each.
  if (size === undefined || (isNode() && !(await isInMemory(blob)))) return blobChunks(CALL, blob);
  return blobSource(blob, size);
}

const isOpenFile = (source: object): source is OpenFile =>
  isHandle(source) && typeof (source as Partial<OpenFile>).fd === "number";

/**
 * Whether an object says nothing but a path. Others have one too, and are not that file: a stream of a part of it, a
 * request whose client chose the path.
 */
function isPathAlone(source: object): source is FilePath {
  const [key, ...others] = Reflect.ownKeys(source);
  return key === "path" && others.length === 0 && isPlain(source);
}

const sourceOf = (value: unknown): string | undefined =>
  typeof value === "function" ? Function.prototype.toString.call(value) : undefined;

/** As it was at import. */
const PLAIN = Object.prototype;

/** Whether an object has no prototype, or the `Object.prototype` of any realm. */
function isPlain(object: object): boolean {
  const prototype = Object.getPrototypeOf(object);
  if (prototype === null || prototype === PLAIN) return true;
  if (Object.getPrototypeOf(prototype) !== null || !Object.hasOwn(prototype, "constructor")) return false;
  const { constructor: Maker } = prototype;
  return Maker?.prototype === prototype && sourceOf(Maker) === sourceOf(PLAIN.constructor);
}

function requirePath(path: unknown): string | Uint8Array | URL {
  if (typeof path === "string" || isUrl(path)) return path;
  // Copied, since it is read again whenever the file is opened or named.
  if (isUint8Array(path)) return copyOf(toBytes(CALL, "path", path));
  throw wrongKind(CALL, "path", "a string, a Uint8Array or a file: URL", path);
}

/** Opens a file by its name; rejects with the system's error, which contains the name. */
async function openNamed(path: string | Uint8Array | URL): Promise<PoolSource | Chunks> {
  const fs = builtin("node:fs");
  if (!fs) throw new TypeError(`${CALL}: source must not be a file here: there is no process.getBuiltinModule`);
  const name = isUrl(path) ? (builtin("node:url") as typeof import("node:url")).fileURLToPath(path) : path;
  return openPath(CALL, fs, name, true, (file) => openFile(fs, file, name, () => file.close()));
}

/** @param path the file's name, if it was opened here */
async function openFile(
  fs: FileSystem | undefined,
  file: OpenFile | OwnFile,
  path: Path | undefined,
  close: () => void,
): Promise<PoolSource | Chunks> {
  const given = await file.stat({ bigint: true });
  const status = statusOf(CALL, given);
  if (!status.isFile() || status.size === 0 || !(await isAsLong(file, status.size))) {
    return openChunks(CALL, fs, file, status, path, close);
  }
  const isReal = path !== undefined || isDescriptorOf(fs, file.fd, given as { dev: bigint; ino: bigint });
  return fileSource(fs, file, status.size, isReal, path, close);
}

/** Whether there are as many bytes as the size says, and no more: a file of /sys has a size that it need not have. */
async function isAsLong(file: OpenFile | OwnFile, size: number): Promise<boolean> {
  return (await readOnce(CALL, file, new Uint8Array(2), size - 1, 1)) === 1;
}

/** Whether a handle's descriptor is the system's: a file system that is not the system's numbers its files itself. */
function isDescriptorOf(fs: FileSystem | undefined, descriptor: number, status: { dev: bigint; ino: bigint }): boolean {
  try {
    return fs !== undefined && identityOf(fs.fstatSync(descriptor, { bigint: true })) === identityOf(status);
  } catch {
    return false;
  }
}
