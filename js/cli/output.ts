// Standard output and standard error of the command.
import { writeSync } from "node:fs";
import { toHex } from "../index.js";
import { toBytes } from "./byte-strings.js";
import { codeOf, whenReady } from "./system.js";

const STDOUT = 1;
const STDERR = 2;

/** Standard output cannot be written; the cause says why. */
export class OutputError extends Error {}

export const isBrokenPipe = (error: unknown): boolean =>
  error instanceof OutputError && codeOf(error.cause) === "EPIPE";

/** So many lines go out one by one: whoever reads them may wait for each. Thousands go out together. */
const SINGLE_LINES = 32;
const MAX_DELAY_MS = 50;

/** What has been printed and has not gone out. Written here, a line takes half the time that it takes as a string. */
const pending = Buffer.allocUnsafeSlow(64 * 1024);
let filled = 0;
let lines = 0;
let flushed = 0;
let beforeWrite: () => void = () => {};

/** Calls back before anything is written: what a terminal shows for a while is erased then. */
export function onWrite(callback: () => void): void {
  beforeWrite = callback;
}

/** Prints whole lines, sooner or later; `flush` sends what has not gone out yet. */
export function print(text: string): void {
  append(text);
  endLine();
}

/** Prints a line that has the hex digits of a digest in it. */
export function printHex(before: string, digest: Uint8Array, after: string): void {
  append(before);
  if (digest.length * 2 > pending.length - filled) append(toHex(digest));
  else for (let i = 0; i < digest.length; i++) appendByte(digest[i] as number);
  append(after);
  endLine();
}

/** Prints bytes as they are, at once. */
export function printBytes(bytes: Uint8Array): void {
  flush();
  send(bytes);
}

const DIGITS = toBytes("0123456789abcdef");

function appendByte(byte: number): void {
  pending[filled++] = DIGITS[byte >> 4] as number;
  pending[filled++] = DIGITS[byte & 15] as number;
}

function append(text: string): void {
  if (text.length > pending.length - filled) flush();
  if (text.length > pending.length) send(toBytes(text));
  else filled += pending.write(text, filled, "latin1");
}

function endLine(): void {
  const now = Date.now();
  if (++lines <= SINGLE_LINES || now - flushed > MAX_DELAY_MS) flush(now);
}

export function flush(now: number = Date.now()): void {
  flushed = now;
  if (filled === 0) return;
  const length = filled;
  filled = 0;
  send(pending.subarray(0, length));
}

function send(bytes: Uint8Array): void {
  beforeWrite();
  try {
    writeAll(STDOUT, bytes);
  } catch (error) {
    throw new OutputError("standard output", { cause: error });
  }
}

/** Writes one line to standard error; names in it can neither break the line nor steer a terminal. */
export function writeErrorLine(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  const line = text.replace(/[\0-\x1f\x7f]/g, (character) => `\\x${toHex(toBytes(character))}`);
  writeError(`${line}\n`);
}

/** Writes to standard error, after all that was printed before. */
export function writeError(text: string): void {
  flush();
  beforeWrite();
  writeTerminal(text);
}

export function writeTerminal(text: string): void {
  try {
    writeAll(STDERR, toBytes(text));
  } catch {
    // Nobody listens; the exit status still tells.
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0; ) {
    const written = whenReady(() => writeSync(descriptor, rest));
    rest = rest.subarray(written);
  }
}
