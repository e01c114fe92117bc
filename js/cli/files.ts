import { type BigIntStats, closeSync, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { pathOf } from "./byte-strings.js";
import { codeOf, whenReady } from "./system.js";
import { CHANGED, Trouble } from "./trouble.js";

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

/** Passes on the bytes of a file or of standard input, a chunk at a time. */
export function readThrough(name: string, observer: Observer, use: (bytes: Uint8Array) => void): void {
  if (isStandardInput(name)) {
    observer.onLong();
    readDescriptor(STDIN, observer, use);
    return;
  }
  const descriptor = openSync(pathOf(name), "r");
  try {
    readDescriptor(descriptor, observer, use);
  } finally {
    closeSync(descriptor);
  }
}

/** @throws Trouble for a regular file that is written to, or shortened, while it is read in several chunks */
function readDescriptor(descriptor: number, observer: Observer, use: (bytes: Uint8Array) => void): void {
  let first: BigIntStats | undefined;
  for (let length = readChunk(descriptor); length > 0; length = readChunk(descriptor)) {
    if (length === CHUNK && first === undefined) {
      first = fstatSync(descriptor, { bigint: true });
      observer.onLong(first);
    }
    use(length === CHUNK ? chunk : chunk.subarray(0, length));
    observer.onBytes(length);
  }
  if (first?.isFile() && first.size > 0n) requireSame(first, fstatSync(descriptor, { bigint: true }));
}

export function requireSame(before: BigIntStats, after: BigIntStats): void {
  if (before.size !== after.size || before.mtimeNs !== after.mtimeNs) throw new Trouble(CHANGED);
}

function readChunk(descriptor: number): number {
  try {
    return readSync(descriptor, chunk, 0, CHUNK, null);
  } catch (error) {
    // Windows reports the end of a pipe or console so.
    if (codeOf(error) === "EOF") return 0;
    if (codeOf(error) !== "EAGAIN") throw error;
    return whenReady(() => readSync(descriptor, chunk, 0, CHUNK, null));
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
