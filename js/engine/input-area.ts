// The input area of a kernel, and what writes messages to it: bytes or text, whose length `units` is in bytes or UTF-16 code
// units.
import type { Message } from "../input/bytes.js";
import { utf8 } from "../input/utf8.js";
import { type CallerBytes, copyBytes, copyPiece } from "../input/views.js";
import { Area, INPUT, INPUT_SIZE } from "./memory.js";

/** The export that hashes bytes of INPUT. */
type Update = (state: number, input: number, length: number) => void;

export class InputArea extends Area {
  /** The end of what has been written since the last wipe. */
  written = 0;
  readonly #update: Update;

  constructor(memory: ArrayBuffer, update: Update) {
    super(memory, INPUT, INPUT_SIZE);
    this.#update = update;
  }

  /** Hashes the first `length` bytes into a state. */
  update(state: number, length: number): void {
    this.#update(state, INPUT, length);
  }

  /** Writes a message that fits. Returns its end, or -1 if it does not. Call `mark` first for bytes that are to stay. */
  write(message: Message, units: number, at: number): number {
    const end = at + units;
    if (end > INPUT_SIZE) return -1;
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
   * Writes a message of any length after the first `at` bytes, and hashes the area into a state whenever it is full.
   * Returns the number of bytes that remain in it.
   */
  writeAll(message: Message, units: number, at: number, state: number): number {
    return typeof message === "string"
      ? this.#writeLongText(message, at, state)
      : this.#writeLongBytes(message, units, at, state);
  }

  #writeLongBytes(bytes: CallerBytes, length: number, filled: number, state: number): number {
    let at = filled;
    let taken = 0;
    while (at + length - taken > INPUT_SIZE) {
      const next = taken + INPUT_SIZE - at;
      this.mark(INPUT_SIZE);
      copyPiece(this.bytes, at, bytes, taken, next);
      this.update(state, INPUT_SIZE);
      taken = next;
      at = 0;
    }
    const end = at + length - taken;
    this.mark(end);
    copyPiece(this.bytes, at, bytes, taken, length);
    return end;
  }

  #writeLongText(text: string, filled: number, state: number): number {
    this.mark(INPUT_SIZE);
    for (let at = filled, rest = text; ; at = 0) {
      const { read, written } = this.#encode(rest, at);
      at += written;
      if (read === rest.length) return at;
      this.update(state, at);
      rest = rest.slice(read);
    }
  }

  /** Writes as much of a text as fits. */
  #encode(text: string, at: number): { read: number; written: number } {
    return utf8().encodeInto(text, at === 0 ? this.bytes : this.bytes.subarray(at));
  }

  /** Records that the area is written to up to `end`. */
  mark(end: number): void {
    if (end > this.written) this.written = end;
  }

  /** Zeroes everything that was written. The mark of a message that does not fit is beyond the area. */
  wipeWritten(): void {
    this.wipe(Math.min(this.written, INPUT_SIZE));
    this.written = 0;
  }
}
