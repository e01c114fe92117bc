// Files as the command reads them. Names are byte strings.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { readFullySync, readOnceSync } from "../../sources/reads.js";
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
    return readOpen(file, observer, take, limit);
  } finally {
    file.close();
  }
}

/** A file whose status changed before this has not changed since the command began: times may be coarse by 100 ms. */
const LONG_AGO = performance.timeOrigin - 100;

function readOpen(file: File, observer: Observer, take: Take, limit: number): boolean {
  // What is printed before must not wait for standard input, which may be a terminal.
  // Its place in a file is unknown, and its status is taken before it is read.
  if (file.descriptor === STDIN && file.status) observer.onLong();
  let length = file.read(buffer);
  const { status, isRegular } = file;
  if (isRegular && status.size >= limit) return false;
  // Its status tells that it has not changed since it was opened, unless it has changed of late.
  const isOld = status.ctimeMs < LONG_AGO;
  if (isRegular && !isOld && status.size > 0) file.requireToBegin(buffer.subarray(0, length));
  // A file that gives all of its size, and less than it was asked for, has ended.
  const isWhole = isRegular && isOld && length === status.size && length < READ_SIZE;
  if (!isWhole) length += file.fill(buffer.subarray(length), length);
  if (length < READ_SIZE) {
    if (!isWhole) file.requireUnchanged();
    take(buffer.subarray(0, length), true);
    observer.onBytes(length);
    return true;
  }
  observer.onLong();
  let read = 0;
  for (; length > 0; length = file.fill(buffer, read)) {
    read += length;
    file.requireNotGrown(read);
    take(length === READ_SIZE ? buffer : buffer.subarray(0, length), false);
    observer.onBytes(length);
  }
  file.requireUnchanged();
  return true;
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

const CALL = "blakesum";

/** A file or standard input, open for reading. */
export class File {
  readonly descriptor: number;
  #status: Stats | undefined;

  static open(name: string): File {
    // Node parses flags that are text at each call.
    const descriptor = isStandardInput(name) ? STDIN : openSync(pathOf(name), O_RDONLY);
    if (descriptor === STDIN && isClosed(STDIN)) throw new FileError(CLOSED);
    return new File(descriptor);
  }

  constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  /** Its status when it was first asked for. */
  get status(): Stats {
    this.#status ??= fstatSync(this.descriptor);
    return this.#status;
  }

  /** Whether it can be read at any position. Standard input may already be past the start of its file. */
  get isRegular(): boolean {
    return this.descriptor !== STDIN && this.status.isFile();
  }

  /** Reads once from where the file is; returns the number of bytes, 0 at its end. */
  read(target: Uint8Array): number {
    return readOnceSync(CALL, readSync, this.descriptor, target, null);
  }

  /** Reads from a position, or where there is none from where the file is, until `target` is full or the file ends. */
  fill(target: Uint8Array, position: number): number {
    return readFullySync(CALL, readSync, this.descriptor, target, this.isRegular ? position : null, this.status.size);
  }

  /** @throws FileError if a file does not begin with what was read of it, or has changed since its status was taken */
  requireToBegin(read: Uint8Array): void {
    const again = new Uint8Array(read.length + 1);
    const length = readOnceSync(CALL, readSync, this.descriptor, again, 0, read.length);
    const begins = read.length === READ_SIZE ? length >= READ_SIZE : length === read.length;
    if (!begins || Buffer.compare(again.subarray(0, read.length), read) !== 0) throw new FileError(CHANGED);
    this.requireUnchanged();
  }

  /** @throws FileError if it is a file that has changed since its status was taken */
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
    const { size } = this.status;
    for (let at = start ?? 0; at < end; ) {
      const bytes = new Uint8Array(Math.min(READ_SIZE, end - at));
      const position = start === undefined ? null : at;
      const length = readOnceSync(CALL, readSync, this.descriptor, bytes, position, size - at);
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
    return bytes.subarray(0, readFullySync(CALL, readSync, this.descriptor, bytes, start, this.status.size));
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
