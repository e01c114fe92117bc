// Files as the command reads them. Names are byte strings.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { readFully, readSome } from "../../files/read.js";
import { pathOf } from "../system/byte-strings.js";
import { isClosed } from "../system/descriptors.js";
import { CHANGED, CLOSED, FileError } from "../system/errors.js";

const STDIN = 0;
const { O_RDONLY } = constants;

/** Bytes read at a time: the fastest size between 64 KiB and 1 MiB. */
const READ_SIZE = 256 * 1024;

/** The only buffer of `readThrough`: each read overwrites the one before, whichever file it is from. */
const buffer = new Uint8Array(READ_SIZE);

/** /dev/stdin cannot be opened if standard input is a socket, so all its names mean the open descriptor. */
export const isStandardInput = (name: string): boolean => name === "-" || name === "/dev/stdin" || name === "/dev/fd/0";

/** The status of the file that a name leads to. */
export const statusNow = (name: string): Stats => (isStandardInput(name) ? fstatSync(STDIN) : statSync(pathOf(name)));

/** Returns undefined on an error, which reading the file will report. */
export function statusOf(name: string): Stats | undefined {
  try {
    return statusNow(name);
  } catch {
    return undefined;
  }
}

/** Callbacks for the progress of a read. */
export interface Observer {
  /** The file takes more than one read. */
  onLong(): void;
  onBytes(count: number): void;
  /** The outcome of a file is known. */
  onFile(): void;
}

/** Takes the next bytes of a file, which are valid only during the call; `isAll` if they are all of a short one. */
export type Take = (bytes: Uint8Array, isAll: boolean) => void;

/**
 * Reads a file or standard input.
 *
 * @param limit the size in bytes from which regular files are left unread
 * @returns whether it was read
 * @throws FileError for a regular file that changes while it is read
 */
export function readThrough(name: string, observer: Observer, take: Take, limit = Number.POSITIVE_INFINITY): boolean {
  const file = File.open(name);
  try {
    if (file.isRegular && file.status.size >= limit) return false;
    readFile(file, observer, take);
    return true;
  } finally {
    file.close();
  }
}

function readFile(file: File, observer: Observer, take: Take): void {
  const { descriptor } = file;
  // What is printed before must not wait for standard input, which may be a terminal.
  if (descriptor === STDIN) observer.onLong();
  let length = readSome(readSync, descriptor, buffer, 0, null);
  // A file that gives all of its size, and less than it was asked for, has ended.
  const isWhole = file.status.isFile() && length === file.status.size && length < READ_SIZE;
  if (!isWhole && length > 0) length += readFully(readSync, descriptor, buffer.subarray(length), null);
  if (length < READ_SIZE) {
    file.requireUnchanged();
    take(buffer.subarray(0, length), true);
    observer.onBytes(length);
    return;
  }
  observer.onLong();
  let read = 0;
  for (; length > 0; length = readFully(readSync, descriptor, buffer, null)) {
    read += length;
    file.requireNotGrown(read);
    take(length === READ_SIZE ? buffer : buffer.subarray(0, length), false);
    observer.onBytes(length);
  }
  file.requireUnchanged();
}

/**
 * Times apart by a quarter of a microsecond are told apart; those of BigInts, which are exact, take twice as long.
 *
 * @throws FileError if a file has changed, or another has taken its name
 */
export function requireSame(before: Stats, after: Stats): void {
  const isSame = before.mtimeMs === after.mtimeMs && before.dev === after.dev && before.ino === after.ino;
  // The times of files without a size, as in /proc, mean nothing.
  if (before.size !== after.size || (after.size > 0 && !isSame)) throw new FileError(CHANGED);
}

/** A file or standard input, open for reading. */
export class File {
  readonly descriptor: number;
  /** Its status before anything was read. */
  readonly status: Stats;

  static open(name: string): File {
    // Node parses flags that are text at each call.
    const descriptor = isStandardInput(name) ? STDIN : openSync(pathOf(name), O_RDONLY);
    if (descriptor === STDIN && isClosed(STDIN)) throw new FileError(CLOSED);
    try {
      return new File(descriptor);
    } catch (error) {
      if (descriptor !== STDIN) closeSync(descriptor);
      throw error;
    }
  }

  constructor(descriptor: number) {
    this.descriptor = descriptor;
    this.status = fstatSync(descriptor);
  }

  /** Whether it can be read at any position. Standard input may already be past the start of its file. */
  get isRegular(): boolean {
    return this.descriptor !== STDIN && this.status.isFile();
  }

  /** @throws FileError if it is a file that has changed since it was opened */
  requireUnchanged(): void {
    if (this.status.isFile()) requireSame(this.status, fstatSync(this.descriptor));
  }

  /** Ends the reading of a file that may grow as fast as it is read. */
  requireNotGrown(read: number): void {
    if (read > this.status.size) this.requireUnchanged();
  }

  /**
   * Yields its bytes from the current position, or from `start`, each chunk in a new array.
   *
   * @throws FileError if it is a file that has changed since it was opened
   */
  *chunks(start?: number, end = Number.POSITIVE_INFINITY): Generator<Uint8Array, void, undefined> {
    for (let at = start ?? 0; at < end; ) {
      const bytes = new Uint8Array(Math.min(READ_SIZE, end - at));
      const length = readSome(readSync, this.descriptor, bytes, 0, start === undefined ? null : at);
      if (length === 0) break;
      at += length;
      this.requireNotGrown(at);
      yield bytes.subarray(0, length);
    }
    this.requireUnchanged();
  }

  /** Reads `length` bytes from `start`, or fewer at the end of the file. */
  part(start: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, readFully(readSync, this.descriptor, bytes, start));
  }

  close(): void {
    if (this.descriptor !== STDIN) closeSync(this.descriptor);
  }
}

/** Yields a file or standard input in chunks, each in a new array. */
export function* fileChunks(name: string): Generator<Uint8Array, void, undefined> {
  const file = File.open(name);
  try {
    yield* file.chunks();
  } finally {
    file.close();
  }
}

/** Reads a file or standard input, but stops when it has more than `limit` bytes. */
export function fileBytes(name: string, limit = Number.POSITIVE_INFINITY): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const bytes of fileChunks(name)) {
    parts.push(bytes);
    length += bytes.length;
    if (length > limit) break;
  }
  return Buffer.concat(parts);
}
