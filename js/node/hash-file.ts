// The digest of a file.
import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Algorithm } from "../engine/algorithm.js";
import { copyOf, isUint8Array } from "../input/caller-bytes.js";
import { isUrl } from "../input/globals.js";
import type { Chunks } from "../sources/chunks.js";
import { fileChunks, isHandle, openFile, type Path } from "../sources/files.js";
import { type DigestOfOptions, digestChunks } from "../streams/digest-of.js";
import { invalidType } from "./error-codes.js";

const CALL = "hashFile";

/**
 * Returns the digest of a file, which is read to its end in constant memory, on one thread. `Blake3Pool` uses all
 * cores.
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
  return digestChunks(CALL, arguments.length, algorithm, (name) => openChunks(name, file), options);
}

/** @throws TypeError for what is no file */
export async function openChunks(name: string, file: unknown): Promise<Chunks> {
  const path = pathOf(file);
  if (path !== undefined) return openFile(fs, path, (own) => fileChunks(name, own, path, own.close));
  if (isHandle(file)) return fileChunks(name, file);
  const advice = "digestOf of blake-simd/streams hashes streams and Blobs";
  throw invalidType(name, "file", "a path, a file: URL or a FileHandle", file, advice);
}

/** Returns a file's name, which stays while the caller uses its bytes or URL for another one. */
function pathOf(file: unknown): Path | undefined {
  if (typeof file === "string") return file;
  if (isUint8Array(file)) return copyOf(file);
  return isUrl(file) ? fileURLToPath(file) : undefined;
}
