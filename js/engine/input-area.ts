// The input area of a kernel, and what writes messages to it: bytes or text, whose length `units` is in bytes or UTF-16
// code units.
import type { Message } from "../input/bytes.js";
import { copyBytes, viewOf } from "../input/caller-bytes.js";
import { utf8 } from "../input/utf8.js";
import { Area, INPUT, INPUT_SIZE, STATE } from "./memory.js";

/** The export that hashes bytes of INPUT. */
type Update = (state: number, input: number, length: number) => void;

export class InputArea extends Area {
  /** The end of what calls have left here. */
  written = 0;
  readonly #update: Update;

  constructor(memory: ArrayBuffer, update: Update) {
    super(memory, INPUT, INPUT_SIZE);
    this.#update = update;
  }

  /** Hashes the first `length` bytes into the state. */
  update(length: number): void {
    this.#update(STATE, INPUT, length);
  }

  /** Writes a message that fits, to be hashed and zeroed at once. Returns its end, or -1 if it does not fit. */
  write(message: Message, units: number, at: number): number {
    const end = at + units;
    if (end > INPUT_SIZE) return -1;
    if (typeof message === "string") return this.#writeText(message, at);
    copyBytes(this.bytes, at, message, units);
    return end;
  }

  #writeText(text: string, at: number): number {
    const { read, written } = this.#encode(text, at);
    if (read === text.length) return at + written;
    this.willWrite(INPUT_SIZE);
    return -1;
  }

  /**
   * Writes a message of any length after the first `at` bytes, and hashes the area into the state whenever it is full.
   * Returns the number of bytes that remain in it. Call `mark` first.
   */
  writeAll(message: Message, units: number, at: number): number {
    return typeof message === "string" ? this.#writeLongText(message, at) : this.#writeLongBytes(message, units, at);
  }

  #writeLongBytes(bytes: Uint8Array, length: number, filled: number): number {
    let at = filled;
    let taken = 0;
    for (; at + length - taken > INPUT_SIZE; at = 0) {
      const next = taken + INPUT_SIZE - at;
      this.bytes.set(viewOf(bytes, taken, next), at);
      this.update(INPUT_SIZE);
      taken = next;
    }
    if (taken === 0) copyBytes(this.bytes, at, bytes, length);
    else this.bytes.set(viewOf(bytes, taken, length), at);
    return at + length - taken;
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
    return utf8().encodeInto(text, at === 0 ? this.bytes : this.bytes.subarray(at));
  }

  /** Call it before writing: notes the furthest byte that `wipeWritten` must zero. */
  willWrite(end: number): void {
    if (end > this.written) this.written = Math.min(end, INPUT_SIZE);
  }

  /** Zeroes what calls have left. */
  wipeWritten(): void {
    this.wipe(this.written);
    this.written = 0;
  }
}
