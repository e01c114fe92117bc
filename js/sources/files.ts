// Files as sources, in Node, Deno and Bun: opened by their names, or given as handles, and read to their end.
import type { FileSystem } from "../input/builtin.js";
import { tag } from "../input/errors.js";
import { integer } from "../input/options.js";
import type { Chunks } from "./chunks.js";
import { wholeChunks } from "./iterables.js";

/** A file's name: text, or bytes for one that is not valid UTF-8. */
export type Path = string | Uint8Array;

/** What a file system says of a file. */
interface FileStatus {
  isFile(): boolean;
  /** In bytes. */
  readonly size: number | bigint;
  /** The number of blocks that it takes, if the system has any. */
  readonly blocks?: number | bigint | null | undefined;
}

/** What is used of a FileHandle. */
export interface Handle {
  /** What the file system knows of the file. */
  stat(): Promise<FileStatus>;
  /** Reads up to `length` bytes into `target` from the index `at` on, from a position in the file. */
  read(target: Uint8Array, at: number, length: number, position: number | null): Promise<{ bytesRead: number }>;
}

/** What has a `pipe` is a stream, whose bytes may be those of a part of the file. */
export function isHandle(file: unknown): file is Handle {
  const { read, stat, pipe } = Object(file) as Partial<Handle & { pipe: unknown }>;
  return typeof read === "function" && typeof stat === "function" && pipe === undefined;
}

/** A file that was opened by its name. */
export interface OwnFile extends Handle {
  readonly fd: number;
  /** Closes the file, once a read in progress has ended. */
  close(): Promise<void>;
}

/** The most files that are open, or being read, at a time. */
const MOST_OPEN = 64;
let openFiles = 0;
const waiting: (() => void)[] = [];

/** Waits until fewer files are open. Whoever calls it then calls `release` once. */
function takePlace(): Promise<void> | undefined {
  if (openFiles >= MOST_OPEN) return new Promise<void>((resolve) => waiting.push(resolve));
  openFiles++;
  return undefined;
}

/** Gives the place of a file that was closed to the next one. */
function release(): void {
  const next = waiting.shift();
  if (next) next();
  else openFiles--;
}

/**
 * Opens a file for `use`, which is to close it unless it fails. If many are open, it first waits for one to be closed.
 *
 * @throws the system's error, or that of `use`, with the file's name
 */
export async function openFile<T>(fs: FileSystem, path: Path, use: (file: OwnFile) => Promise<T>): Promise<T> {
  await takePlace();
  let close: () => unknown = release;
  try {
    const handle = await fs.promises.open(path as string);
    let closed: Promise<void> | undefined;
    const file: OwnFile = {
      fd: handle.fd,
      stat: () => handle.stat(),
      read: (...place) => handle.read(...place),
      close() {
        // What was only read has nothing to lose by an error.
        closed ??= handle
          .close()
          .catch(() => {})
          .then(release);
        return closed;
      },
    };
    close = file.close;
    return await use(file);
  } catch (error) {
    await close();
    throw named(error, path);
  }
}

/** The most bytes that are read at once, as many as Node's `readFile` reads in one step. */
const MOST_AT_ONCE = 512 * 1024;

/**
 * Opens a file by its name, to be read to its end. A short one is read at once: since Node 26, `readFile` takes half as
 * long as a FileHandle.
 */
export async function pathChunks(call: string, fs: FileSystem, path: Path): Promise<Chunks> {
  let status: FileStatus;
  await takePlace();
  try {
    status = await fs.promises.stat(path as string);
    if (status.isFile() && status.size > 0 && status.size <= MOST_AT_ONCE) {
      const bytes = await fs.promises.readFile(path as string);
      requireWhole(call, status, bytes.length);
      return wholeChunks(bytes);
    }
  } catch (error) {
    throw named(error, path);
  } finally {
    release();
  }
  return openFile(fs, path, async (file) => fileChunks(call, file, status, path, file.close));
}

/** @throws Error for a file that has fewer bytes than its status says, unless it is of /sys: those take no blocks */
function requireWhole(call: string, { size, blocks }: FileStatus, length: number): void {
  if (length >= size || Number(blocks ?? 1) === 0) return;
  throw new Error(`${call}: the file became shorter while it was being hashed: expected ${size} bytes, got ${length}`);
}

/**
 * Bytes read from a file at a time, always into the same memory. Of 128 KiB to 2 MiB, 1 MiB was read fastest; a file of
 * just that size ends within one read.
 */
const BUFFER_SIZE = 1024 * 1024 + 4096;
/** The least buffer, for files that grow, and those without a size, as in /proc. */
const LEAST_BUFFER = 65536;

/**
 * The chunks of an open file, read to its end: one that grows meanwhile, too. What has no start, such as a pipe or a
 * device, is read from where it is.
 *
 * @param path its name, if it was opened here
 */
export function fileChunks(
  call: string,
  file: Handle,
  status: FileStatus,
  path?: Path,
  close: () => unknown = () => {},
): Chunks {
  const isFile = status.isFile();
  const size = isFile ? Number(status.size) : 0;
  const buffer = new Uint8Array(Math.min(Math.max(size + 1, LEAST_BUFFER), BUFFER_SIZE));
  let at = 0;
  let isOver = false;

  async function next(): Promise<IteratorResult<unknown>> {
    const length = isOver ? 0 : await readOnce(call, file, buffer, isFile ? at : null);
    at += length;
    // What gives the rest of its size, and less than there was room for, has ended.
    isOver = at === size && length < buffer.length;
    if (length > 0) return { done: false, value: buffer.subarray(0, length) };
    if (isFile) requireWhole(call, status, at);
    return { done: true, value: undefined };
  }

  return {
    total: size || undefined,
    next: () => next().catch((error) => Promise.reject(named(error, path))),
    end: close,
    cancel: close,
  };
}

/** Reads once into `target`; resolves to the number of bytes, 0 at the end of the file. */
export async function readOnce(
  call: string,
  file: Handle,
  target: Uint8Array,
  position: number | null,
): Promise<number> {
  const { bytesRead } = await file.read(target, 0, target.length, position);
  return integer(call, "bytesRead", bytesRead, 0, target.length);
}

/** Returns an error with the name of its file, as Node's own have if a file cannot be opened. */
export function named(error: unknown, path: Path | undefined): unknown {
  if (path === undefined || tag(error) !== "Error" || "path" in (error as Error)) return error;
  const name = typeof path === "string" ? path : new TextDecoder().decode(path);
  (error as Error).message += ` '${name}'`;
  return Object.assign(error as Error, { path: name });
}
