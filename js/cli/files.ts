import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { pathOf } from "./byte-strings.js";
import { CHANGED, FileError } from "./file-error.js";
import { codeOf, whenReady } from "./system.js";

const STDIN = 0;

/** Bytes read at a time. Of 64 KiB to 1 MiB, this was read fastest. */
const CHUNK = 256 * 1024;

/** Every read of the thread goes here: a chunk is gone when the next one is read, of whichever file. */
const chunk = new Uint8Array(CHUNK);

/** /dev/stdin cannot be opened where standard input is a socket, so both names mean the descriptor that is open. */
export const isStandardInput = (name: string): boolean => name === "-" || name === "/dev/stdin";

/** What a file is; undefined when that cannot be seen, as whoever reads it will say. */
export function statusOf(name: string): Stats | undefined {
  try {
    return isStandardInput(name) ? fstatSync(STDIN) : statSync(pathOf(name));
  } catch {
    return undefined;
  }
}

/** Follows a reading. */
export interface Observer {
  /** The file takes more than one read; what it is, unless it is standard input. */
  onLong(status?: BigIntStats): void;
  onBytes(count: number): void;
}

/** Takes the bytes of a file, which are gone when the call returns. */
export interface Sink {
  /** All bytes, of a file that is short. */
  whole(bytes: Uint8Array): void;
  /** The next bytes of any other. */
  piece(bytes: Uint8Array): void;
}

/** Passes on the bytes of a file or of standard input. */
export function readThrough(name: string, observer: Observer, sink: Sink): void {
  if (isStandardInput(name)) {
    observer.onLong();
    readDescriptor(STDIN, observer, sink);
    return;
  }
  const descriptor = openSync(pathOf(name), O_RDONLY);
  try {
    readDescriptor(descriptor, observer, sink);
  } finally {
    closeSync(descriptor);
  }
}

const { O_RDONLY } = constants;

/** @throws FileError for a regular file that is written to, or shortened, while it is read in several chunks */
function readDescriptor(descriptor: number, observer: Observer, sink: Sink): void {
  let length = fillChunk(descriptor);
  if (length < CHUNK) {
    sink.whole(chunk.subarray(0, length));
    observer.onBytes(length);
    return;
  }
  const before = fstatSync(descriptor, { bigint: true });
  observer.onLong(before);
  for (; length > 0; length = fillChunk(descriptor)) {
    sink.piece(length === CHUNK ? chunk : chunk.subarray(0, length));
    observer.onBytes(length);
  }
  if (before.isFile() && before.size > 0n) requireSame(before, fstatSync(descriptor, { bigint: true }));
}

/** Reads until the chunk is full or the file at its end; returns how many bytes it has. */
function fillChunk(descriptor: number): number {
  let filled = 0;
  while (filled < CHUNK) {
    const length = readChunk(descriptor, filled);
    if (length === 0) break;
    filled += length;
  }
  return filled;
}

export function requireSame(before: BigIntStats, after: BigIntStats): void {
  if (before.size !== after.size || before.mtimeNs !== after.mtimeNs) throw new FileError(CHANGED);
}

function readChunk(descriptor: number, at: number): number {
  try {
    return readSync(descriptor, chunk, at, CHUNK - at, null);
  } catch (error) {
    // Windows reports the end of a pipe or console so.
    if (codeOf(error) === "EOF") return 0;
    if (codeOf(error) !== "EAGAIN") throw error;
    return whenReady(() => readSync(descriptor, chunk, at, CHUNK - at, null));
  }
}

/** The bytes of a file or of standard input, a chunk at a time, for whoever does something else in between. */
export function* chunksOf(name: string): Generator<Buffer, void, undefined> {
  const descriptor = isStandardInput(name) ? STDIN : openSync(pathOf(name), "r");
  const own = Buffer.allocUnsafe(64 * 1024);
  try {
    for (;;) {
      const length = whenReady(() => readOrEnd(descriptor, own));
      if (length === 0) return;
      yield own.subarray(0, length);
    }
  } finally {
    if (descriptor !== STDIN) closeSync(descriptor);
  }
}

function readOrEnd(descriptor: number, target: Uint8Array): number {
  try {
    return readSync(descriptor, target, 0, target.length, null);
  } catch (error) {
    if (codeOf(error) === "EOF") return 0;
    throw error;
  }
}
