// Converts the argument of a pool's `hash` to a source.
import { bytesOf, isBlob, isInMemory, isNode, provedSize } from "../input/blobs.js";
import { toBytes, toView } from "../input/bytes.js";
import { copyOf, isBuffer, isUint8Array } from "../input/caller-bytes.js";
import { wrongKind } from "../input/errors.js";
import { isUrl } from "../input/globals.js";
import { type FilePath, type OpenFile, openHandle, openPath } from "./file-source.js";
import { BlobSource, BytesSource, type Pieces, type PoolSource, piecesOf } from "./source.js";

/** A message in memory, a Blob or File, or, in Node, Deno and Bun, a file. */
export type Blake3Source = ArrayBufferLike | ArrayBufferView | Blob | FilePath | URL | OpenFile;

const CALL = "Blake3Pool.hash";
const KINDS =
  "bytes, a Blob, a plain { path } without other properties, a file: URL or a FileHandle (blake3 hashes text, digestOf streams)";

/**
 * @param sharing returns whether workers can read a SharedArrayBuffer
 * @throws TypeError for a value that is not a source; rejects with the system's error if a file cannot be opened
 */
export function openSource(source: Blake3Source, sharing: () => boolean): PoolSource | Promise<PoolSource | Pieces> {
  if (typeof source !== "object" || source === null) throw wrongKind(CALL, "source", KINDS, source);
  if (ArrayBuffer.isView(source) || isBuffer(source)) return bytesSource(source, sharing);
  if (isBlob(source)) return openBlob(source);
  if (isUrl(source)) return openPath(source);
  if (isOpenFile(source)) return openHandle(source);
  if (isPathAlone(source)) return openPath(requirePath(source.path));
  throw wrongKind(CALL, "source", KINDS, source);
}

function bytesSource(bytes: ArrayBufferLike | ArrayBufferView, sharing: () => boolean): BytesSource {
  return new BytesSource(toView(CALL, "source", bytes), sharing);
}

async function openBlob(blob: Blob): Promise<PoolSource | Pieces> {
  if (typeof blob.stream !== "function") return bytesSource(await bytesOf(CALL, blob, blob.size), () => false);
  const size = await provedSize(blob);
  // Node reads slices of a file one after the other, and opens it for each.
  if (size === undefined || (isNode() && !(await isInMemory(blob)))) return piecesOf(blob);
  return new BlobSource(blob, size);
}

function isOpenFile(source: object): source is OpenFile {
  const { fd, read, stat, pipe } = source as Partial<OpenFile>;
  return typeof fd === "number" && typeof read === "function" && typeof stat === "function" && pipe === undefined;
}

/**
 * Whether an object says nothing but a path. Others have one too, and are not that file: a stream of a part of it, a request
 * whose client chose the path.
 */
function isPathAlone(source: object): source is FilePath {
  const [key, ...others] = Reflect.ownKeys(source);
  return key === "path" && others.length === 0 && isPlain(source);
}

const sourceOf = (value: unknown): string | undefined =>
  typeof value === "function" ? Function.prototype.toString.call(value) : undefined;

/** Whether an object has no prototype, or the `Object.prototype` of any realm. */
function isPlain(object: object): boolean {
  const prototype = Object.getPrototypeOf(object);
  if (prototype === null || prototype === Object.prototype) return true;
  if (Object.getPrototypeOf(prototype) !== null || !Object.hasOwn(prototype, "constructor")) return false;
  const { constructor: Maker } = prototype;
  return Maker?.prototype === prototype && sourceOf(Maker) === sourceOf(Object);
}

function requirePath(path: unknown): string | Uint8Array | URL {
  if (typeof path === "string" || isUrl(path)) return path;
  // Copied, since it is read again whenever the file is opened or named.
  if (isUint8Array(path)) return copyOf(toBytes(CALL, "path", path));
  throw wrongKind(CALL, "path", "a string, a Uint8Array or a file: URL", path);
}
