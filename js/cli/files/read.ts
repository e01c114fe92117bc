// Files as the command reads them. Names are byte strings.
import { closeSync, fstatSync, openSync, type Stats, statSync } from "node:fs";
import { pathOf } from "../system/byte-strings.js";
import { readOnce } from "../system/descriptors.js";

const STDIN = 0;

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
  /** The digest of a file is known. */
  onFile(): void;
}

/** Takes the next bytes of a file, which are valid only during the call; `isAll` if they are all of a short one. */
export type Take = (bytes: Uint8Array, isAll: boolean) => void;

/**
 * Reads a file or standard input.
 *
 * @param limit the size in bytes from which regular files are left unread
 * @returns whether it was read
 * @throws Error for a file of more than one read that changes meanwhile
 */
export function readThrough(name: string, observer: Observer, take: Take, limit = Number.POSITIVE_INFINITY): boolean {
  const file = File.open(name);
  try {
    const { status, isRegular } = file;
    if (isRegular && status.size >= limit) return false;
    // What is printed before must not wait for standard input, which may be a terminal.
    if (file.descriptor === STDIN) observer.onLong();
    let length = file.fill(buffer);
    if (length < READ_SIZE) {
      take(buffer.subarray(0, length), true);
      observer.onBytes(length);
      return true;
    }
    observer.onLong();
    for (; length > 0; length = file.fill(buffer)) {
      take(buffer.subarray(0, length), false);
      observer.onBytes(length);
    }
    file.requireUnchanged();
    return true;
  } finally {
    file.close();
  }
}

/** @throws Error if a file has changed */
export function requireSame(before: Stats, after: Stats): void {
  // The times of files without a size, as in /proc, mean nothing.
  if (before.size === after.size && (after.size === 0 || before.mtimeMs === after.mtimeMs)) return;
  throw new Error("has changed while it was read");
}

/** A file or standard input, open for reading. */
export class File {
  readonly descriptor: number;
  /** Its status when it was opened. */
  readonly status: Stats;

  static open(name: string): File {
    return new File(isStandardInput(name) ? STDIN : openSync(pathOf(name), "r"));
  }

  constructor(descriptor: number) {
    this.descriptor = descriptor;
    this.status = fstatSync(descriptor);
  }

  /** Whether it can be read at any position. Standard input may already be past the start of its file. */
  get isRegular(): boolean {
    return this.descriptor !== STDIN && this.status.isFile();
  }

  /** Reads from where the file is, or from `start`, until `target` is full or the file ends; returns the number of bytes. */
  fill(target: Uint8Array, start?: number): number {
    let filled = 0;
    while (filled < target.length) {
      const length = readOnce(this.descriptor, target.subarray(filled), start === undefined ? null : start + filled);
      if (length === 0) break;
      filled += length;
    }
    return filled;
  }

  /** @throws Error if it is a file that has changed since it was opened */
  requireUnchanged(): void {
    if (this.status.isFile()) requireSame(this.status, fstatSync(this.descriptor));
  }

  /**
   * Yields its bytes from the current position, or from `start`, each chunk in a new array.
   *
   * @throws Error if it is a file that has changed since it was opened
   */
  *chunks(start?: number, end = Number.POSITIVE_INFINITY): Generator<Uint8Array, void, undefined> {
    for (let at = start ?? 0; at < end; ) {
      const bytes = new Uint8Array(Math.min(READ_SIZE, end - at));
      const length = readOnce(this.descriptor, bytes, start === undefined ? null : at);
      if (length === 0) break;
      at += length;
      yield bytes.subarray(0, length);
    }
    this.requireUnchanged();
  }

  /** Reads `length` bytes from `start`, or fewer at the end of the file. */
  part(start: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, this.fill(bytes, start));
  }

  close(): void {
    if (this.descriptor !== STDIN) closeSync(this.descriptor);
  }
}

/** Reads a file or standard input, but stops when it has more than `limit` bytes. */
export function fileBytes(name: string, limit = Number.POSITIVE_INFINITY): Uint8Array {
  const file = File.open(name);
  try {
    const parts: Uint8Array[] = [];
    let length = 0;
    for (const bytes of file.chunks()) {
      parts.push(bytes);
      length += bytes.length;
      if (length > limit) break;
    }
    return Buffer.concat(parts);
  } finally {
    file.close();
  }
}
