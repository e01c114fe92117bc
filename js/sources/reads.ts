// Reads of files, each of which is checked: a read that says N bytes has written N bytes where it was told to.
import { integer } from "../input/options.js";

const { random } = Math;

/** Returns bytes that are not there by chance, and not all alike even if a test has replaced `Math.random`. */
export const newMark = (length: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(length).map((_, i) => (random() * 256) ^ (37 * i + 91));

/** Bytes of a mark at the start. */
const MARK = 8;
let mark: Uint8Array | undefined;

/** How often a read is made at most, if its result must be confirmed by another one. */
const MOST_ATTEMPTS = 4;

/**
 * One read, made again in case of doubt. Hosts have ignored where in a buffer they were to write, and the digest was
 * that of what was there before. So marks lie where the first bytes and the last one are expected.
 */
class Attempts {
  readonly #call: string;
  readonly #target: Uint8Array;
  /** Whether the read can be made again. */
  readonly #isPositioned: boolean;
  #expected = 0;
  #count = 0;
  #isFirstWritten = false;
  #isLastWritten = false;

  constructor(call: string, target: Uint8Array, position: number | null, rest: number) {
    this.#call = call;
    this.#target = target;
    this.#isPositioned = position !== null;
    this.#begin(rest > 0 ? Math.min(rest, target.length) : target.length);
  }

  #begin(expected: number): void {
    this.#count++;
    this.#isLastWritten &&= expected === this.#expected;
    this.#expected = expected;
    for (let i = 0; i < Math.min(MARK, expected); i++) this.#target[i] = this.#markAt(i);
    if (this.#isPositioned) this.#target[expected - 1] = this.#markAt(expected - 1);
  }

  /** Marks of an attempt and the next differ in every byte, so no byte of a file is that of both. */
  #markAt(i: number): number {
    mark ??= newMark(MARK);
    return (mark[i % MARK] as number) ^ (this.#count % 2 ? 0xff : 0);
  }

  /** Whether a byte is not the mark that was in its place. */
  #isWritten(i: number): boolean {
    return this.#target[i] !== this.#markAt(i);
  }

  /** Whether the first byte and the last one have been written, each in one attempt or another. */
  #areWritten(length: number): boolean {
    if (!this.#isPositioned) return length < MARK || this.#isSomeWritten();
    this.#isFirstWritten ||= this.#isWritten(0);
    this.#isLastWritten ||= this.#isWritten(length - 1);
    return this.#isFirstWritten && this.#isLastWritten;
  }

  /** Whether some byte is not its mark: bytes that cannot be read again may equal it by chance, but never all. */
  #isSomeWritten(): boolean {
    for (let i = 0; i < MARK; i++) if (this.#isWritten(i)) return true;
    return false;
  }

  /**
   * Checks the number of bytes that a read reports. Returns it, 0 at the end of the file, or undefined if the read must
   * be repeated: it reported another number than expected, or a mark is still in place.
   *
   * @throws TypeError or RangeError for what is no number of bytes that there was room for; Error if they were not
   *   written
   */
  take(said: unknown): number | undefined {
    const count = integer(this.#call, "bytesRead", said as number, 0, this.#target.length);
    if (count === 0) return 0;
    const length = Math.min(count, this.#expected);
    const areWritten = this.#areWritten(length);
    if (areWritten && (count === this.#expected || !this.#isPositioned)) return count;
    if (this.#isPositioned && this.#count < MOST_ATTEMPTS) {
      this.#begin(count);
      return undefined;
    }
    if (areWritten) return length;
    throw new Error(`${this.#call}: read() must write the ${count} bytes that it says, but did not`);
  }
}

/** What is read of a FileHandle, or of an object like one. */
export interface Readable {
  /** Reads up to `length` bytes into `target` from the index `at` on, from a position in the file. */
  read(target: Uint8Array, at: number, length: number, position: number | null): Promise<{ bytesRead: number }>;
}

/**
 * Reads once into `target`.
 *
 * @param position null for the file's own
 * @param rest the bytes that there are from there on, if the file is as long as it says
 * @returns the number of bytes; 0 at the end of the file
 * @throws as {@link Attempts.take}
 */
export async function readOnce(
  call: string,
  file: Readable,
  target: Uint8Array,
  position: number | null,
  rest = target.length,
): Promise<number> {
  const attempts = new Attempts(call, target, position, rest);
  for (;;) {
    const result = (await file.read(target, 0, target.length, position)) as { bytesRead: number } | undefined;
    const length = attempts.take(result?.bytesRead);
    if (length !== undefined) return length;
  }
}

/** Reads until `target` is full or the file ends; resolves to the number of bytes read. */
export async function readFully(call: string, file: Readable, target: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const length = await readOnce(call, file, target.subarray(filled), position + filled);
    if (length === 0) break;
    filled += length;
  }
  return filled;
}

type ReadSync = typeof import("node:fs").readSync;

/** The same as {@link readOnce}, for a descriptor. */
export function readOnceSync(
  call: string,
  readSync: ReadSync,
  descriptor: number,
  target: Uint8Array,
  position: number | null,
  rest = target.length,
): number {
  const attempts = new Attempts(call, target, position, rest);
  for (;;) {
    try {
      const length = attempts.take(readSync(descriptor, target, 0, target.length, position));
      if (length !== undefined) return length;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Windows reports the end of a pipe or console as an error.
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      pause();
    }
  }
}

/**
 * The same as {@link readFully}, for a descriptor.
 *
 * @param size of the file, if it is known
 */
export function readFullySync(
  call: string,
  readSync: ReadSync,
  descriptor: number,
  target: Uint8Array,
  position: number | null,
  size = 0,
): number {
  let filled = 0;
  while (filled < target.length) {
    const at = position === null ? null : position + filled;
    const length = readOnceSync(call, readSync, descriptor, target.subarray(filled), at, size - (at ?? 0));
    if (length === 0) break;
    filled += length;
  }
  return filled;
}

/** Waits before another attempt at a descriptor that another process has made non-blocking. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}
