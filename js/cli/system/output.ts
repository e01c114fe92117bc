// Standard output and standard error of the command.
import { toHex } from "../../index.js";
import { asUtf8, CONTROLS, fromText, toBytes } from "./byte-strings.js";
import { codeOf, isClosed, isTerminal, writeAll } from "./descriptors.js";
import { CLOSED, FileError, FileFailure, OutputError, reasonOf } from "./errors.js";

const STDOUT = 1;
const STDERR = 2;

export const isBrokenPipe = (error: unknown): boolean =>
  error instanceof OutputError && codeOf(error.cause) === "EPIPE";

/** The number of lines that are written one by one, as a reader may wait for each. Later ones are written together. */
const SINGLE_LINES = 32;
const MAX_DELAY_MS = 50;

/** Printed bytes that have not been written yet: twice as fast as collecting strings. */
const pending = Buffer.allocUnsafeSlow(64 * 1024);
let filled = 0;
let lines = 0;
let flushed = 0;
let beforeWrite: () => void = () => {};

/** For commands that have no result but what they print. */
export function requireOutput(): void {
  if (isClosed(STDOUT)) throw new OutputError("standard output", { cause: new FileError(CLOSED) });
}

/** Registers a callback that is called before each write, to erase temporary output from the terminal. */
export function onWrite(callback: () => void): void {
  beforeWrite = callback;
}

/** Prints whole lines, possibly with a delay; `flush` writes them at once. */
export function print(text: string): void {
  if (text.length > pending.length - filled) flush();
  if (text.length > pending.length) send(toBytes(text));
  else filled += pending.write(text, filled, "latin1");
  const now = Date.now();
  if (++lines <= SINGLE_LINES || now - flushed > MAX_DELAY_MS) flush(now);
}

/** Prints raw bytes, without a delay. */
export function printBytes(bytes: Uint8Array): void {
  flush();
  send(bytes);
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

export const printError = (message: string): void => writeErrorLine(`blakesum: ${message}`);

/** Reports that a file cannot be read, and what can be done about it. */
export function printFileError(name: string, error: unknown, advice = ""): void {
  if (error instanceof FileFailure) printFileError(error.file, error.cause);
  else printError(`${name === "-" ? "standard input" : name || "''"}: ${reasonOf(error)}${advice}`);
}

/** Writes one line to standard error, after what was printed. Control characters, which names may have, are escaped. */
export function writeErrorLine(text: string): void {
  flush();
  beforeWrite();
  writeTerminal(`${escapeControls(text)}\n`);
}

let toTerminal: boolean | undefined;

/** Returns text with a name as it is to be printed: for a terminal, with control characters escaped. */
export function shown(text: string): string {
  if (!/[^ -~]/.test(text)) return text;
  toTerminal ??= isTerminal(STDOUT);
  return toTerminal ? escapeControls(text) : text;
}

function escapeControls(text: string): string {
  if (asUtf8(text) !== text) return text.replace(/[^ -~]/g, (byte) => escapeBytes(toBytes(byte)));
  return fromText(
    toBytes(text)
      .toString()
      .replace(CONTROLS, (character) => escapeBytes(Buffer.from(character))),
  );
}

const escapeBytes = (bytes: Uint8Array): string => toHex(bytes).replace(/../g, "\\x$&");

export function writeTerminal(text: string): void {
  try {
    writeAll(STDERR, toBytes(text));
  } catch {
    // Standard error is closed; the exit status still reports the failure.
  }
}
