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
const MAX_PENDING = 64 * 1024;
const MAX_DELAY_MS = 50;

let pending = "";
let lines = 0;
let flushed = 0;
let beforeWrite: () => void = () => {};

/** Calls back before anything is written: what a terminal shows for a while is erased then. */
export function onWrite(callback: () => void): void {
  beforeWrite = callback;
}

/** Prints whole lines, sooner or later; `flush` sends what has not gone out yet. */
export function print(text: string): void {
  pending += text;
  const now = performance.now();
  const isDue = ++lines <= SINGLE_LINES || pending.length > MAX_PENDING || now - flushed > MAX_DELAY_MS;
  if (isDue) flush(now);
}

export function printBytes(bytes: Uint8Array): void {
  flush();
  send(bytes);
}

export function flush(now: number = performance.now()): void {
  flushed = now;
  if (pending === "") return;
  const bytes = toBytes(pending);
  pending = "";
  send(bytes);
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
