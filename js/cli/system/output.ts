// Standard output and standard error of the command.

import { isatty } from "node:tty";
import { toHex } from "../../index.js";
import { CONTROLS, fromText, toBytes, toText } from "./byte-strings.js";
import { writeAll } from "./descriptors.js";
import { codeOf, FileFailure, OutputError, reasonOf } from "./errors.js";

const STDOUT = 1;
const STDERR = 2;

/** Whether the reader of standard output has ended, as `head` does. */
export const isBrokenPipe = (error: unknown): boolean =>
  error instanceof OutputError && codeOf(error.cause) === "EPIPE";

/** Printed text waits for more until it is so long, or so old when more is printed. */
const MOST_PENDING = 64 * 1024;
const MAX_DELAY_MS = 50;

let pending = "";
let flushed = 0;
let beforeWrite: () => void = () => {};

/** Registers a callback that is called before each write, to erase temporary output from the terminal. */
export function onWrite(callback: () => void): void {
  beforeWrite = callback;
}

/** Prints text, maybe with a delay; `flush` writes it at once. */
export function print(text: string): void {
  pending += text;
  if (pending.length > MOST_PENDING || Date.now() - flushed > MAX_DELAY_MS) flush();
}

/** Prints raw bytes, without a delay. */
export function printBytes(bytes: Uint8Array): void {
  flush();
  send(bytes);
}

export function flush(): void {
  flushed = Date.now();
  if (pending === "") return;
  const text = pending;
  pending = "";
  send(toBytes(text));
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
  writeStderr(`${escapeControls(text)}\n`);
}

let toTerminal: boolean | undefined;

/** Returns text with a name as it is to be printed: for a terminal, with control characters escaped. */
export function forTerminal(text: string): string {
  if (!/[^ -~]/.test(text)) return text;
  toTerminal ??= isatty(STDOUT);
  return toTerminal ? escapeControls(text) : text;
}

function escapeControls(text: string): string {
  const characters = toText(text);
  // Of what is not UTF-8, every byte is escaped.
  if (fromText(characters) !== text) return text.replace(/[^ -~]/g, (byte) => escapeBytes(toBytes(byte)));
  return fromText(characters.replace(CONTROLS, (character) => escapeBytes(Buffer.from(character))));
}

const escapeBytes = (bytes: Uint8Array): string => toHex(bytes).replace(/../g, "\\x$&");

export function writeStderr(text: string): void {
  try {
    writeAll(STDERR, toBytes(text));
  } catch {
    // Standard error is closed; the exit status still reports the failure.
  }
}
