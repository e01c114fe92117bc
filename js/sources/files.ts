// Files as sources, in Node, Deno and Bun: opened by their names or handles, and read to their end.
import type { Stats } from "node:fs";
import type { FileSystem } from "../input/builtin.js";
import { isUint8Array } from "../input/caller-bytes.js";
import { tag, wrongKind } from "../input/errors.js";
import { atImport, readGlobal } from "../input/globals.js";
import { wholeNumber } from "../input/options.js";
import { OwnPromise } from "../input/promises.js";
import { type Chunks, closingChunks, Whole } from "./chunks.js";
import { canWatch, openFifo } from "./fifo.js";
import { IteratorChunks } from "./iterables.js";
import { type Readable, readOnce, readOnceSync } from "./reads.js";

/** A file's name: text, or bytes for one that is not valid UTF-8, which are nobody else's. */
export type Path = string | Uint8Array;

/** What a file system says of a file, in numbers or bigints. */
export interface FileStatus {
  isFile(): boolean;
  /** In bytes. */
  readonly size: number | bigint;
  /** The number of blocks that it takes, if the system has any. */
  readonly blocks?: number | bigint | null | undefined;
}

/** What is used of a FileHandle. */
export interface Handle extends Readable {
  stat(options: { bigint: true }): FileStatus | PromiseLike<FileStatus>;
}

/** What has a `pipe` is a stream, whose bytes may be those of a part of the file. */
export function isHandle(file: unknown): file is Handle {
  const { read, stat, pipe } = Object(file) as Partial<Handle & { pipe: unknown }>;
  return typeof read === "function" && typeof stat === "function" && pipe === undefined;
}

/** How many files are open, or are being opened, and what waits for one to be closed. */
let openFiles = 0;
const waiting: (() => void)[] = [];

function release(): void {
  openFiles--;
  waiting.shift()?.();
}

/** Opens a file, which is to be released; if too many are open, once one that was opened here has been closed. */
async function inTurn<T>(open: () => T | Promise<T>): Promise<T> {
  for (;;) {
    openFiles++;
    try {
      return await open();
    } catch (error) {
      const isFull = /^E[MN]FILE$/.test(String((error as NodeJS.ErrnoException).code));
      if (!isFull || openFiles === 1) {
        release();
        throw error;
      }
      openFiles--;
      await new OwnPromise<void>((resolve) => waiting.push(resolve));
    }
  }
}

/** A file that was opened here. Every call of a FileHandle waits for a thread; of these, only reads do. */
export class OwnFile implements Handle {
  readonly fd: number;
  readonly status: Stats;
  readonly #fs: FileSystem;

  /** @throws the system's error; TypeError for what is no descriptor */
  constructor(call: string, fs: FileSystem, fd: number) {
    this.#fs = fs;
    if (typeof fd !== "number") throw wrongKind(call, "what open() gives", "a descriptor", fd);
    this.fd = fd;
    try {
      this.status = fs.fstatSync(fd);
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }

  stat(): Stats {
    return this.#fs.fstatSync(this.fd);
  }

  read(target: Uint8Array, at: number, length: number, position: number | null): Promise<{ bytesRead: number }> {
    return new OwnPromise((resolve, reject) => {
      this.#fs.read(this.fd, target, at, length, position, (error, bytesRead) =>
        error ? reject(error) : resolve({ bytesRead }),
      );
    });
  }

  close(): void {
    try {
      this.#fs.closeSync(this.fd);
    } catch {
      // Nothing was written that could be lost.
    }
    release();
  }
}

/** Calls one of node:fs's functions that call back. */
const later = <T>(call: (callback: (error: unknown, value: T) => void) => void): Promise<T> =>
  new OwnPromise((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))));

const clock = /* @__PURE__ */ atImport("performance");
const now = (): number => readGlobal(() => (clock() as Performance).now()) ?? 0;

/** Milliseconds that calls without a thread may take. After a longer one, threads make them for 20 times as long. */
const PATIENCE = 0.2;
let slowUntil = 0;

/** Returns what a call without a thread returns, if none was slow of late: by a thread it takes ten times as long. */
function quickly<T>(call: () => T): T | undefined {
  const start = now();
  if (start < slowUntil) return undefined;
  try {
    return call();
  } finally {
    const end = now();
    if (end - start > PATIENCE) slowUntil = end + 20 * (end - start);
  }
}

/**
 * Opens a file by its name, for `use`, which is to close it unless it fails; a FIFO that can be watched as what its
 * writers send. If the process has too many files open, it waits until one of those that were opened here is closed.
 *
 * @param canBlock whether blocking calls are allowed, since there is no signal to abort them
 * @throws the system's error, or that of `use`, with the file's name
 */
export async function openPath<T>(
  call: string,
  fs: FileSystem,
  path: Path,
  canBlock: boolean,
  use: (file: OwnFile) => T | Promise<T>,
): Promise<T | Chunks> {
  const name = path as string;
  let file: OwnFile | undefined;
  try {
    // First, since some hosts create a file that is missing when it is opened for reading.
    const status =
      (canBlock && quickly(() => fs.statSync(name))) || (await later<Stats>((done) => fs.stat(name, done)));
    if (status.isFIFO() && canWatch()) {
      const fifo = await inTurn(() => openFifo(fs, path));
      fifo.once("close", release);
      return new IteratorChunks(fifo[Symbol.asyncIterator](), fifo);
    }
    file = await inTurn(async () => {
      const fd = canBlock && status.isFile() ? quickly(() => fs.openSync(name, "r")) : undefined;
      return new OwnFile(call, fs, fd ?? (await later<number>((done) => fs.open(name, "r", done))));
    });
    return await use(file);
  } catch (error) {
    file?.close();
    throw named(error, path);
  }
}

/** Files of at least this many bytes are read in a thread. */
const READ_IN_THREAD = 65536;

/** Opens a file by its name and, if it is short and no signal is to end a wait for a disk, reads it. */
export function pathChunks(call: string, fs: FileSystem, path: Path, canBlock: boolean): Promise<Chunks> {
  return openPath(call, fs, path, canBlock, (file) => {
    const bytes = canBlock ? quickly(() => readShort(call, fs, file)) : undefined;
    if (!bytes) return openChunks(call, fs, file, file.stat(), path, () => file.close());
    const whole = new Whole(call, bytes);
    file.close();
    return whole;
  });
}

/** Returns the bytes of a short file; undefined for any other, and for one that changes. */
function readShort(call: string, fs: FileSystem, { fd, status }: OwnFile): Uint8Array | undefined {
  const size = status.isFile() ? status.size : 0;
  if (size === 0 || size >= READ_IN_THREAD) return undefined;
  try {
    const bytes = new Uint8Array(size + 1);
    return readOnceSync(call, fs.readSync, fd, bytes, 0, size) === size ? bytes.subarray(0, size) : undefined;
  } catch {
    // The next read reports the error.
    return undefined;
  }
}

/** Opens a file that is open already, which stays open. */
export async function handleChunks(call: string, fs: FileSystem, handle: Handle): Promise<Chunks> {
  const status = statusOf(call, await handle.stat({ bigint: true }));
  return openChunks(call, fs, handle, status, undefined, () => {});
}

/** @throws TypeError or RangeError for what is no status */
export function statusOf(call: string, status: FileStatus): FileStatus & { readonly size: number } {
  if (typeof (status as Partial<FileStatus> | null)?.isFile !== "function") {
    throw wrongKind(call, "stat()", "a file's status", status);
  }
  const size = Number(wholeNumber(call, "size", status.size, BigInt(Number.MAX_SAFE_INTEGER)));
  return { isFile: () => status.isFile(), size, blocks: status.blocks };
}

/** Bytes read from a file at a time, always into the same memory. Of 128 KiB to 2 MiB, this was read fastest. */
const BUFFER_SIZE = 1024 * 1024;

/**
 * The chunks of an open file, read to its end: one that grows meanwhile, too. What has no start, such as a pipe or a
 * device, is read from where it is. One whose size is 0 may have bytes, as in /proc, and one of /sys fewer than its
 * size; any other that has fewer is an error.
 */
export function openChunks(
  call: string,
  fs: FileSystem | undefined,
  file: Handle,
  status: FileStatus & { readonly size: number },
  path: Path | undefined,
  close: () => void,
): Chunks {
  const isFile = status.isFile();
  const size = isFile ? status.size : 0;
  const takesBlocks = Number(status.blocks ?? 1) > 0;
  let buffer = new Uint8Array(Math.min((size || BUFFER_SIZE) + 1, BUFFER_SIZE));
  let at = 0;

  async function read(): Promise<IteratorResult<unknown>> {
    // If a first read has had room for more than there was, that was all.
    const isWhole = at > 0 && at === size && size < buffer.length;
    const length = isWhole ? 0 : await readNext();
    if (length > 0) return { done: false, value: buffer.subarray(0, length) };
    if (at >= size || (await mayBeShorter())) return { done: true, value: undefined };
    const must = `${call}: the file became shorter while it was being hashed`;
    throw named(new Error(`${must}: expected ${size} bytes, got ${at}`), path);
  }

  async function readNext(): Promise<number> {
    if (at > 0 && buffer.length < BUFFER_SIZE) buffer = new Uint8Array(BUFFER_SIZE);
    try {
      const length = await readOnce(call, file, buffer, isFile ? at : null, size - at);
      at += length;
      return length;
    } catch (error) {
      throw named(error, path);
    }
  }

  /**
   * Whether it may have fewer bytes than its size: it takes no blocks, as in /sys, and still has that size. If nothing
   * was read, it must be in /sys.
   */
  async function mayBeShorter(): Promise<boolean> {
    if (takesBlocks || statusOf(call, await file.stat({ bigint: true })).size !== size) return false;
    return at > 0 || isOfKernel(fs, path ?? descriptorOf(file));
  }

  return closingChunks(read, () => (takesBlocks && size > 0 ? size : undefined), close);
}

/** Returns whether a file is one of /sys. */
function isOfKernel(fs: FileSystem | undefined, path: Path): boolean {
  try {
    return fs?.realpathSync(path as string).startsWith("/sys/") ?? false;
  } catch {
    return false;
  }
}

const descriptorOf = (file: Handle & { fd?: unknown }): string => `/proc/self/fd/${Number(file.fd)}`;

const nameOf = (path: Path): string => (isUint8Array(path) ? new TextDecoder().decode(path) : path);

/** Returns an error with the name of its file. */
export function named(error: unknown, path: Path | undefined): unknown {
  if (path === undefined || tag(error) !== "Error" || "path" in (error as Error)) return error;
  const name = nameOf(path);
  // As in Node's own system errors, the message contains the path.
  (error as Error).message += ` '${name}'`;
  return Object.assign(error as Error, { path: name });
}
