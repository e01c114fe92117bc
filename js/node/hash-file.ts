// The digest of a file.
import fs, { type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Algorithm } from "../engine/algorithm.js";
import { readerOf, readPieces } from "../files/read.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { integer } from "../input/options.js";
import { type Fifo, isFifo, openFifo } from "../parallel/fifo.js";
import type { Chunks } from "../streams/chunks.js";
import { type DigestOfOptions, digestChunks, iteratorChunks } from "../streams/digest-of.js";
import { invalidType } from "./error-codes.js";

const CALL = "hashFile";

/** Bytes read from a file at a time, always into the same memory. Of 128 KiB to 2 MiB, this was read fastest. */
const BUFFER_SIZE = 1024 * 1024;

/** The fewest bytes of a buffer: a file that is longer than its size says, or grows, is read in pieces of this size. */
const LEAST_BUFFER = 64 * 1024;

/**
 * Returns the digest of a file, which is read to its end: one that grows meanwhile, too. A file handle is read from the start of the file, whatever its position; the position
 * does not change, and the handle stays open. A file that has no start, such as a pipe, is read to its end. Opening a
 * named pipe waits for a writer; the signal ends the wait at once in the main thread of Node on Linux, but elsewhere a
 * thread of the system continues to wait.
 *
 * @param file a path, a `file:` URL or a file handle
 * @returns the digest's bytes; rejects with a TypeError for a value that is not an algorithm, or (with code ERR_INVALID_ARG_TYPE)
 *   not a file; with the file system's error, an Error for a file that became shorter while it was read, or the signal's
 *   reason; or with what the algorithm's `create` throws for its options
 * @example
 * toHex(await hashFile(blake3, "disk.img", { onProgress: (bytes, total) => console.log(bytes, total) }));
 */
export async function hashFile<Options extends object>(
  algorithm: Algorithm<Options>,
  file: string | Buffer | URL | FileHandle,
  options?: Options & DigestOfOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  requireArguments("hashFile", arguments.length, 3);
  return digestChunks(CALL, algorithm, () => fileChunks(file), options);
}

function isHandle(file: unknown): file is FileHandle {
  const { read, stat, pipe } = Object(file) as Partial<FileHandle & { pipe: unknown }>;
  return typeof read === "function" && typeof stat === "function" && pipe === undefined;
}

const isPath = (file: unknown): file is string | Buffer | URL =>
  typeof file === "string" || file instanceof Uint8Array || typeof (file as URL | null)?.href === "string";

function requireFile(file: unknown): void {
  if (isPath(file) || isHandle(file)) return;
  const advice = "digestOf of blake-simd/streams hashes streams and Blobs";
  throw invalidType(CALL, "file", "a path, a file: URL or a FileHandle", file, advice);
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
    const stats = await statusOf(handle);
    // Files in /proc report a size of 0 but have contents.
    if (stats.isFile() && stats.size > 0) progress.total = stats.size;
    const size = Math.max(LEAST_BUFFER, Math.min(BUFFER_SIZE, progress.total ?? BUFFER_SIZE));
    let at = 0;
    for await (const piece of readPieces(readerOf(CALL, handle), new Uint8Array(size), stats.isFile() ? 0 : null)) {
      at += piece.length;
      yield piece;
    }
    if (at < (progress.total ?? 0) && !(await isOfKernel(handle, stats))) throw becameShorter(file, stats.size, at);
  } finally {
    if (handle !== file) await handle.close();
  }
}

async function statusOf(handle: FileHandle): Promise<Stats> {
  const status: Stats | undefined = await handle.stat();
  if (typeof status?.isFile !== "function") throw wrongKind(CALL, "stat()", "a file's status", status);
  integer(CALL, "size", status.size, 0, Number.MAX_SAFE_INTEGER);
  return status;
}

/** Whether a file that is shorter than its size is one of a kernel, as in /sys: it takes no blocks, and says that size again. */
async function isOfKernel(handle: FileHandle, { blocks, size }: Stats): Promise<boolean> {
  return blocks === 0 && (await statusOf(handle)).size === size;
}

function becameShorter(file: string | Buffer | URL | FileHandle, expected: number, got: number): Error {
  const text = `${CALL}: the file became shorter while it was being hashed: expected ${expected} bytes, got ${got}`;
  if (!isPath(file)) return new Error(text);
  const path = file instanceof Uint8Array ? file.toString() : String(file);
  // As in Node's own system errors, the message contains the path.
  return Object.assign(new Error(`${text} '${path}'`), { path });
}

async function* readFifo(path: string | Buffer | URL, progress: Progress): AsyncGenerator<Uint8Array> {
  const net = await import("node:net");
  if (progress.cancelled) return;
  progress.fifo = openFifo(fs, net, path);
  yield* progress.fifo;
}
