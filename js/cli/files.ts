import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { pathOf } from "./byte-strings.js";
import { CHANGED, CLOSED, FileError } from "./file-error.js";
import { codeOf, isClosed, whenReady } from "./system.js";

const STDIN = 0;

/** Bytes read at a time: the fastest size between 64 KiB and 1 MiB. */
const CHUNK = 256 * 1024;

/** The thread's only read buffer: each chunk overwrites the one before, whichever file it is from. */
const chunk = new Uint8Array(CHUNK);

/** /dev/stdin cannot be opened if standard input is a socket, so both names mean the open descriptor. */
export const isStandardInput = (name: string): boolean => name === "-" || name === "/dev/stdin";

/** The descriptor of standard input. */
export function standardInput(): number {
  if (isClosed(STDIN)) throw new FileError(CLOSED);
  return STDIN;
}

/** Returns a file's status, or undefined on an error, which reading the file will report. */
export function statusOf(name: string): Stats | undefined {
  try {
    return isStandardInput(name) ? fstatSync(STDIN) : statSync(pathOf(name));
  } catch {
    return undefined;
  }
}

/** Callbacks for the progress of a read. */
export interface Observer {
  /** The file takes more than one read. Called with its status, unless it is standard input. */
  onLong(status?: BigIntStats): void;
  onBytes(count: number): void;
}

/** Receives the bytes of a file, which are valid only during the call. */
export interface Sink {
  /** All bytes of a short file. */
  whole(bytes: Uint8Array): void;
  /** The next bytes of any other file. */
  piece(bytes: Uint8Array): void;
}

/** Reads a file or standard input into a sink. */
export function readThrough(name: string, observer: Observer, sink: Sink): void {
  if (isStandardInput(name)) {
    observer.onLong();
    readDescriptor(standardInput(), { onLong() {}, onBytes: (count) => observer.onBytes(count) }, sink);
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

/** @throws FileError for a regular file that changes while it is read in several chunks */
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

/** Reads until the chunk is full or the file ends; returns the number of bytes read. */
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
    // Windows reports the end of a pipe or console as an error.
    if (codeOf(error) === "EOF") return 0;
    if (codeOf(error) !== "EAGAIN") throw error;
    return whenReady(() => readSync(descriptor, chunk, at, CHUNK - at, null));
  }
}

/** Yields a file or standard input in chunks of its own buffer, so that other files can be read in between. */
export function* chunksOf(name: string): Generator<Buffer, void, undefined> {
  const descriptor = isStandardInput(name) ? standardInput() : openSync(pathOf(name), "r");
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
