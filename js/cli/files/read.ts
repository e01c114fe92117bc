// Files as the command reads them. Names are byte strings.
import { closeSync, fstatSync, openSync, type Stats, statSync } from "node:fs";
import { fill, READ_SIZE, readOnce, readToEnd, requireUnchanged, type Take } from "../../node/read-sync.js";
import { pathOf } from "../system/byte-strings.js";

const STDIN = 0;

/** /dev/stdin cannot be opened if standard input is a socket, so all its names mean the open descriptor. */
export const isStandardInput = (name: string): boolean => name === "-" || name === "/dev/stdin" || name === "/dev/fd/0";

/** The status of the file that a name leads to. */
export const statusOf = (name: string): Stats => (isStandardInput(name) ? fstatSync(STDIN) : statSync(pathOf(name)));

/** Returns undefined on an error, which reading the file will report. */
export function statusIfAny(name: string): Stats | undefined {
  try {
    return statusOf(name);
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
    // Flush what was printed: standard input may be a terminal that waits.
    if (file.descriptor === STDIN) observer.onLong();
    readToEnd(file.descriptor, status, (bytes, isAll) => {
      if (!isAll) observer.onLong();
      take(bytes, isAll);
      observer.onBytes(bytes.length);
    });
    return true;
  } finally {
    file.close();
  }
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

  /** @throws Error if it is a file that has changed since it was opened */
  requireUnchanged(): void {
    requireUnchanged(this.descriptor, this.status);
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
    return bytes.subarray(0, fill(this.descriptor, bytes, start));
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
