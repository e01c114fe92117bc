// The digest of a file.
import fs, { type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { Algorithm } from "../engine/algorithm.js";
import { canWatch, type Fifo, watchFifo } from "../files/fifo.js";
import { type Readable, readerOf, readPieces } from "../files/read.js";
import { isUint8Array } from "../input/caller-bytes.js";
import { tag, wrongKind } from "../input/errors.js";
import { readGlobal } from "../input/globals.js";
import { integer } from "../input/options.js";
import { type DigestOfOptions, digestChunks } from "../streams/digest-of.js";
import { type Chunks, iteratorChunks, Whole } from "../streams/sources.js";
import { invalidType } from "./error-codes.js";

const CALL = "hashFile";

/** Bytes read from a file at a time, always into the same memory. Of 128 KiB to 2 MiB, this was read fastest. */
const BUFFER_SIZE = 1024 * 1024;

type Path = string | Buffer | URL;

/** What is used of a FileHandle. */
type Handle = Readable & { stat(): Stats | PromiseLike<Stats> };

/** A file that was opened here. Every call of a FileHandle waits for a thread; of these, only those that wait for a disk. */
class OpenFile implements Handle {
  readonly fd: number;
  /** Whether it is a FIFO that was opened without blocking. */
  isFifo = false;
  /** What it was once it was open. */
  status: Stats | undefined;

  constructor(fd: number) {
    this.fd = fd;
  }

  stat(): Stats {
    return fs.fstatSync(this.fd);
  }

  read(target: Uint8Array, at: number, length: number, position: number | null): Promise<{ bytesRead: number }> {
    return new Promise((resolve, reject) => {
      fs.read(this.fd, target, at, length, position, (error, bytesRead) => {
        if (error) reject(error);
        else resolve({ bytesRead });
      });
    });
  }

  close(): void {
    fs.closeSync(this.fd);
  }
}

const openBy = (path: Path, flags: number): Promise<OpenFile> =>
  new Promise((resolve, reject) => {
    fs.open(path, flags, (error, fd) => {
      if (error) reject(error);
      else resolve(new OpenFile(fd));
    });
  });

/** Opens a file. A FIFO that can be watched does not wait for a writer. */
async function open(path: Path): Promise<OpenFile> {
  const { O_RDONLY, O_NONBLOCK } = fs.constants;
  const watches = canWatch();
  const file = await openBy(path, watches ? O_RDONLY | O_NONBLOCK : O_RDONLY);
  const status = file.stat();
  file.status = status;
  file.isFifo = watches && status.isFIFO();
  if (!watches || file.isFifo || status.isFile() || status.isDirectory()) return file;
  // A terminal, for example, whose reads are to wait.
  file.close();
  return openBy(path, O_RDONLY);
}

/**
 * Returns the digest of a file, which is read to its end: one that grows meanwhile, too; one of up to 1 MiB at once. A file handle
 * is read from the start of the file, whatever its position; the position does not change, and the handle stays open. A file
 * that has no start, such as a pipe, is read to its end. Opening a named pipe waits for a writer; the signal ends the wait at
 * once in the main thread of Node on Linux, but elsewhere a thread of the system continues to wait.
 *
 * @param file a path, a `file:` URL or a file handle
 * @returns the digest's bytes; rejects with a TypeError for a value that is not an algorithm, or (with code ERR_INVALID_ARG_TYPE)
 *   not a file; with the file system's error, an Error for a file that became shorter while it was read, or the signal's
 *   reason; or with what the algorithm's `create` throws for its options
 * @example
 * toHex(await hashFile(blake3, "disk.img", { onProgress: (bytes, total) => console.log(bytes, total) }));
 */
export function hashFile<Options extends object>(
  algorithm: Algorithm<Options>,
  file: string | Buffer | URL | FileHandle,
  options?: Options & DigestOfOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  return digestChunks(CALL, arguments.length, algorithm, (_, given) => openChunks(file, given), options);
}

function isHandle(file: unknown): file is FileHandle {
  const { read, stat, pipe } = Object(file) as Partial<FileHandle & { pipe: unknown }>;
  return typeof read === "function" && typeof stat === "function" && pipe === undefined;
}

const isPath = (file: unknown): file is Path => typeof file === "string" || isUint8Array(file) || tag(file) === "URL";

function requireFile(file: unknown): void {
  if (isPath(file) || isHandle(file)) return;
  const advice = "digestOf of blake-simd/streams hashes streams and Blobs";
  throw invalidType(CALL, "file", "a path, a file: URL or a FileHandle", file, advice);
}

/** A short file that no signal is to stop is read at once. */
function openChunks(file: Path | FileHandle, given: DigestOfOptions | undefined): Chunks | Promise<Chunks> {
  requireFile(file);
  return given?.signal || isHandle(file) ? fileChunks(file) : pathChunks(file);
}

async function pathChunks(path: Path): Promise<Chunks> {
  const file = await open(path);
  const bytes = readShort(file);
  if (!bytes) return fileChunks(path, file);
  file.close();
  return new Whole(CALL, bytes);
}

/** Files of fewer bytes are read without a thread: the way there and back takes ten times as long as a read that need not wait. */
const SHORT = 65536;

/** Milliseconds that such a read may take. If one takes longer, it has waited for a disk, and threads read for 20 times as long. */
const PATIENCE = 0.2;
let slowUntil = 0;

const now = (): number => readGlobal(() => performance.now()) ?? 0;

/** Returns the bytes of a short file; undefined for any other, and for one that changes. */
function readShort({ fd, status }: OpenFile): Uint8Array | undefined {
  const start = now();
  const size = status?.isFile() ? status.size : 0;
  if (size === 0 || size >= SHORT || start < slowUntil) return undefined;
  try {
    const bytes = new Uint8Array(size + 1);
    if (fs.readSync(fd, bytes, 0, size + 1, 0) !== size) return undefined;
    return bytes.subarray(0, size);
  } catch {
    // The next read reports the error.
    return undefined;
  } finally {
    const end = now();
    if (end - start > PATIENCE) slowUntil = end + 20 * (end - start);
  }
}

/** @param opened the file, if it is open already */
function fileChunks(file: Path | FileHandle, opened?: OpenFile): Chunks {
  const progress: Progress = { total: undefined, fifo: undefined, cancelled: false };
  const destroy = (): void => {
    progress.cancelled = true;
    progress.fifo?.destroy();
  };
  return { ...iteratorChunks(readFile(file, progress, opened), { destroy }), total: () => progress.total };
}

/** What is known about a file once it is open. */
interface Progress {
  /** The file's size, in bytes. */
  total: number | undefined;
  /** Set if a read may wait indefinitely. */
  fifo: Fifo | undefined;
  cancelled: boolean;
}

async function* readFile(file: Path | FileHandle, progress: Progress, already?: OpenFile): AsyncGenerator<Uint8Array> {
  if (isHandle(file)) return yield* readHandle(file, progress);
  const opened = already ?? (await open(file));
  // The open of a named pipe may have waited: its bytes are for another reader.
  if (progress.cancelled) return opened.close();
  if (opened.isFifo) return yield* readFifo(opened, progress);
  try {
    yield* readHandle(opened, progress, file);
  } finally {
    opened.close();
  }
}

async function* readHandle(handle: Handle, progress: Progress, path?: Path): AsyncGenerator<Uint8Array> {
  const status = await statusOf(handle);
  const isFile = status.isFile();
  const read = readerOf(CALL, handle);
  // Files in /proc report a size of 0 but have contents.
  if (isFile && status.size > 0) progress.total = status.size;
  let buffer = new Uint8Array(Math.min((progress.total ?? BUFFER_SIZE) + 1, BUFFER_SIZE));
  let at = 0;
  if (progress.total !== undefined) {
    at = await read(buffer, 0);
    if (at > 0) yield buffer.subarray(0, at);
    // A short file is read at once, and has ended if there is room left.
    if (at === progress.total && at < buffer.length) return;
  }
  if (buffer.length < BUFFER_SIZE) buffer = new Uint8Array(BUFFER_SIZE);
  for await (const piece of readPieces(read, buffer, isFile ? at : null)) {
    at += piece.length;
    yield piece;
  }
  if (at < (progress.total ?? 0) && !(await isOfKernel(handle, status))) throw becameShorter(path, status.size, at);
}

async function statusOf(handle: Handle): Promise<Stats> {
  const status: Stats | undefined = await handle.stat();
  if (typeof status?.isFile !== "function") throw wrongKind(CALL, "stat()", "a file's status", status);
  integer(CALL, "size", status.size, 0, Number.MAX_SAFE_INTEGER);
  return status;
}

/** Whether a file that is shorter than its size is one of a kernel, as in /sys: it takes no blocks, and says that size again. */
async function isOfKernel(handle: Handle, { blocks, size }: Stats): Promise<boolean> {
  return blocks === 0 && (await statusOf(handle)).size === size;
}

function becameShorter(file: Path | undefined, expected: number, got: number): Error {
  const text = `${CALL}: the file became shorter while it was being hashed: expected ${expected} bytes, got ${got}`;
  if (file === undefined) return new Error(text);
  const path = isUint8Array(file) ? Buffer.from(file).toString() : String(file);
  // As in Node's own system errors, the message contains the path.
  return Object.assign(new Error(`${text} '${path}'`), { path });
}

async function* readFifo(file: OpenFile, progress: Progress): AsyncGenerator<Uint8Array> {
  const net = await import("node:net");
  if (progress.cancelled) return file.close();
  progress.fifo = watchFifo(fs, net, file.fd);
  yield* progress.fifo;
}
