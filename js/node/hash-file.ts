// The digest of a file.
import fs from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Algorithm } from "../engine/algorithm.js";
import { type ReadAsync, readPieces } from "../files/read.js";
import { requireArguments } from "../input/errors.js";
import { type Fifo, isFifo, openFifo } from "../parallel/fifo.js";
import type { Chunks } from "../streams/chunks.js";
import { type DigestOfOptions, digestChunks, iteratorChunks } from "../streams/digest-of.js";
import { invalidType } from "./error-codes.js";

/** Bytes read from a file at a time, always into the same memory. Of 128 KiB to 2 MiB, this was read fastest. */
const BUFFER_SIZE = 1024 * 1024;

/**
 * Returns the digest of a file. A file handle is read from the start of the file, whatever its position; the position
 * does not change, and the handle stays open. A file that has no start, such as a pipe, is read to its end. Opening a
 * named pipe waits for a writer; the signal ends the wait at once in the main thread of Node on Linux, but elsewhere a
 * thread of the system continues to wait.
 *
 * @param file a path, a `file:` URL or a file handle
 * @returns the digest's bytes; rejects with a TypeError for a value that is not an algorithm, or (with code ERR_INVALID_ARG_TYPE)
 *   not a file; with the file system's error or the signal's reason; or with what the algorithm's `create` throws for its options
 * @example
 * toHex(await hashFile(blake3, "disk.img", { onProgress: (bytes, total) => console.log(bytes, total) }));
 */
export async function hashFile<Options extends object>(
  algorithm: Algorithm<Options>,
  file: string | Buffer | URL | FileHandle,
  options?: Options & DigestOfOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  requireArguments("hashFile", arguments.length, 3);
  return digestChunks("hashFile", algorithm, () => fileChunks(file), options);
}

const isHandle = (file: unknown): file is FileHandle => typeof (file as FileHandle | null)?.read === "function";

const isPath = (file: unknown): boolean =>
  typeof file === "string" || file instanceof Uint8Array || typeof (file as URL | null)?.href === "string";

function requireFile(file: unknown): void {
  if (isPath(file) || isHandle(file)) return;
  throw invalidType("hashFile", "file", "a path, a file: URL or a FileHandle", file);
}

function fileChunks(file: string | Buffer | URL | FileHandle): Chunks {
  requireFile(file);
  const progress: Progress = {};
  const destroy = (): void => {
    progress.cancelled = true;
    progress.fifo?.destroy();
  };
  const { next, cancel } = iteratorChunks(readFile(file, progress), { destroy });
  return {
    next,
    cancel,
    get total() {
      return progress.total;
    },
  };
}

/** What is known about a file once it is open. */
interface Progress {
  /** The file's size, in bytes. */
  total?: number;
  /** Set if a read may wait indefinitely. */
  fifo?: Fifo;
  cancelled?: boolean;
}

async function* readFile(file: string | Buffer | URL | FileHandle, progress: Progress): AsyncGenerator<Uint8Array> {
  if (!isHandle(file) && (await isFifo(fs, file))) return yield* readFifo(file, progress);
  const handle = isHandle(file) ? file : await open(file);
  try {
    const stats = await handle.stat();
    // Files in /proc report a size of 0 but have contents.
    if (stats.isFile() && stats.size > 0) progress.total = stats.size;
    const size = Math.min(BUFFER_SIZE, progress.total ?? BUFFER_SIZE);
    const read: ReadAsync = async (target, position) =>
      (await handle.read(target, 0, target.length, position)).bytesRead;
    yield* readPieces(read, new Uint8Array(size), stats.isFile() ? 0 : null);
  } finally {
    if (handle !== file) await handle.close();
  }
}

async function* readFifo(path: string | Buffer | URL, progress: Progress): AsyncGenerator<Uint8Array> {
  const net = await import("node:net");
  if (progress.cancelled) return;
  progress.fifo = openFifo(fs, net, path);
  yield* progress.fifo;
}
