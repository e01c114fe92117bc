// The digest of a file.
import fs, { closeSync, fstatSync, openSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Algorithm } from "../engine/algorithm.js";
import type { Hasher } from "../engine/hasher.js";
import { copyOf, isUint8Array } from "../input/caller-bytes.js";
import { requireAlgorithm, requireArguments } from "../input/errors.js";
import { isUrl } from "../input/globals.js";
import type { Chunks } from "../sources/chunks.js";
import { fileChunks, isHandle, named, type Path, pathChunks } from "../sources/files.js";
import { type DigestOfOptions, digestChunks } from "../streams/digest-of.js";
import { invalidType } from "./error-codes.js";
import { readToEnd } from "./read-sync.js";

/**
 * Returns the digest of a file, which is read to its end in constant memory, on one thread. `Blake3Pool` uses all
 * cores. For a short file {@link hashFileSync} is several times as fast, but blocks.
 *
 * A file handle is read from the start of the file; its position does not change, and it stays open. A pipe is read
 * from where it is. Opening a named pipe waits for a writer; after an abort, a thread of the system may go on waiting.
 * Of many calls at once, some wait for their turn, so that the process does not run out of descriptors.
 *
 * @param file a path, a `file:` URL or a file handle
 * @returns the digest's bytes; rejects with a TypeError for a value that is not an algorithm, or (with code
 *   ERR_INVALID_ARG_TYPE) not a file; with the file system's error, an Error for a file that became shorter while it
 *   was read, or the signal's reason; or with what the algorithm's `create` throws for its options
 * @example
 * toHex(await hashFile(blake3, "disk.img", { onProgress: (bytes, total) => console.log(bytes, total) }));
 */
export function hashFile<Options extends object>(
  algorithm: Algorithm<Options>,
  file: string | Buffer | URL | FileHandle,
  options?: Options & DigestOfOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  return digestChunks("hashFile", arguments.length, algorithm, (name) => openChunks(name, file), options);
}

/**
 * Returns the digest of a file, which is read to its end in constant memory. Nothing else runs meanwhile, so it suits
 * scripts and short files; a server should use {@link hashFile}.
 *
 * @param path text, bytes (for a name that is not valid UTF-8) or a `file:` URL
 * @returns the digest's bytes
 * @throws TypeError for a value that is not an algorithm, or (with code ERR_INVALID_ARG_TYPE) not a path; the file
 *   system's error; Error for a file of more than 256 KiB that changed while it was read; what the algorithm's
 *   `create` throws for its options
 * @example
 * toHex(hashFileSync(blake3, "package.json"));
 */
export function hashFileSync<Options extends object>(
  algorithm: Algorithm<Options>,
  path: string | Buffer | URL,
  options?: Options,
): Uint8Array<ArrayBuffer> {
  const call = "hashFileSync";
  requireArguments(call, arguments.length, 3);
  requireAlgorithm(call, algorithm, "blake3");
  const name = pathOf(path);
  if (name === undefined) throw invalidType(call, "path", "a path or a file: URL", path);
  // Read before the file, since a getter among the options may read another one.
  let hasher = options === undefined ? undefined : algorithm.create(options);
  let digest: Uint8Array<ArrayBuffer> | undefined;
  try {
    const descriptor = openSync(name as string, "r");
    try {
      readToEnd(descriptor, fstatSync(descriptor), (bytes, isAll) => {
        if (isAll && !hasher) digest = algorithm(bytes);
        else {
          hasher ??= algorithm.create();
          hasher.update(bytes);
        }
      });
    } finally {
      closeSync(descriptor);
    }
    return digest ?? (hasher as unknown as Hasher).digest();
  } catch (error) {
    throw named(error, name);
  } finally {
    hasher?.dispose();
  }
}

/** @throws TypeError for what is no file */
export async function openChunks(name: string, file: unknown): Promise<Chunks> {
  const path = pathOf(file);
  if (path !== undefined) return pathChunks(name, fs, path);
  if (isHandle(file)) return fileChunks(name, file, await file.stat());
  const advice = "digestOf of blake-simd/streams hashes streams and Blobs";
  throw invalidType(name, "file", "a path, a file: URL or a FileHandle", file, advice);
}

/** Returns a file's name, which stays while the caller uses its bytes or URL for another one. */
function pathOf(file: unknown): Path | undefined {
  if (typeof file === "string") return file;
  if (isUint8Array(file)) return copyOf(file);
  return isUrl(file) ? fileURLToPath(file) : undefined;
}
