// The input area of a kernel, and what writes messages to it: bytes or text, whose length `units` is in bytes or UTF-16
// code units.
import type { Message } from "../input/bytes.js";
import { type CallerBytes, copyBytes, viewOf } from "../input/caller-bytes.js";
import { utf8 } from "../input/utf8.js";
import { Area, INPUT, INPUT_SIZE, STATE, slots } from "./memory.js";

const BLOCK = 64;

/** The export that hashes bytes of INPUT. */
type Update = (state: number, input: number, length: number) => void;

/** Counts bytes that are written or hashed, for `tune`: those of an update both times. */
export type Work = (length: number) => void;

export class InputArea extends Area {
  /** The end of what has been written since the last wipe. */
  written = 0;
  readonly #update: Update;
  /** Only in builds that choose among shapes. */
  readonly #work: Work | undefined;
  /** Views of the area from each block on, for the texts of `many`. Making one takes as long as encoding a text. */
  readonly #rests = slots<Uint8Array>(INPUT_SIZE / BLOCK);

  constructor(memory: ArrayBuffer, update: Update, work: Work | undefined) {
    super(memory, INPUT, INPUT_SIZE);
    this.#update = update;
    this.#work = work;
  }

  /** Hashes the first `length` bytes into the state. */
  update(length: number): void {
    this.#work?.(length);
    this.#update(STATE, INPUT, length);
  }

  /**
   * Writes a message that fits. Returns its end, or -1 if it does not. Call `mark` first for bytes that are to stay.
   */
  write(message: Message, units: number, at: number): number {
    const end = at + units;
    if (end > INPUT_SIZE) return -1;
    this.#work?.(units);
    if (typeof message === "string") return this.#writeText(message, at);
    copyBytes(this.bytes, at, message, units);
    return end;
  }

  #writeText(text: string, at: number): number {
    const before = this.written;
    // An interruption may leave text anywhere.
    this.written = INPUT_SIZE;
    const { read, written } = this.#encode(text, at);
    this.written = Math.max(before, at + written);
    return read === text.length ? at + written : -1;
  }

  /**
   * Writes a message of any length after the first `at` bytes, and hashes the area into the state whenever it is full.
   * Returns the number of bytes that remain in it.
   */
  writeAll(message: Message, units: number, at: number): number {
    this.mark(INPUT_SIZE);
    return typeof message === "string" ? this.#writeLongText(message, at) : this.#writeLongBytes(message, units, at);
  }

  #writeLongBytes(bytes: CallerBytes, length: number, filled: number): number {
    let at = filled;
    let taken = 0;
    for (; at + length - taken > INPUT_SIZE; at = 0) {
      const next = taken + INPUT_SIZE - at;
      this.#copy(bytes, taken, next, at);
      this.update(INPUT_SIZE);
      taken = next;
    }
    this.#copy(bytes, taken, length, at);
    return at + length - taken;
  }

  /** Copies the bytes from one offset to another. */
  #copy(bytes: CallerBytes, from: number, to: number, at: number): void {
    this.bytes.set(viewOf(bytes, from, to), at);
  }

  #writeLongText(text: string, filled: number): number {
    for (let at = filled, rest = text; ; at = 0) {
      const { read, written } = this.#encode(rest, at);
      at += written;
      if (read === rest.length) return at;
      this.update(at);
      rest = rest.slice(read);
    }
  }

  /** Writes as much of a text as fits. */
  #encode(text: string, at: number): { read: number; written: number } {
    return utf8().encodeInto(text, this.#from(at));
  }

  #from(at: number): Uint8Array {
    if (at % BLOCK > 0) return this.bytes.subarray(at);
    this.#rests[at / BLOCK] ??= this.bytes.subarray(at);
    return this.#rests[at / BLOCK] as Uint8Array;
  }

  /** Records that the area is written to up to `end`. */
  mark(end: number): void {
    if (end > this.written) this.written = end;
  }

  /** Zeroes everything that was written, if that is more than `length` bytes, which have been zeroed already. */
  wipeWritten(length = 0): void {
    // The mark of a message that does not fit is beyond the area.
    if (this.written > length) this.wipe(Math.min(this.written, INPUT_SIZE));
    this.written = 0;
  }
}
