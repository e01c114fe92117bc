import { closeSync, openSync, readSync } from "node:fs";
import { fromBytes, toBytes } from "./byte-strings.js";
import { codeOf, whenReady } from "./system.js";

const STDIN = 0;

/** Every read of the process goes here: a chunk is gone when the next one is read, of whichever file. */
const chunk = new Uint8Array(256 * 1024);

/** /dev/stdin cannot be opened where standard input is a socket, so both names mean the descriptor that is open. */
export const isStandardInput = (name: string): boolean => name === "-" || name === "/dev/stdin";

/** The bytes of a file or of standard input, a chunk at a time. */
export function* chunksOf(name: string): Generator<Uint8Array, void, undefined> {
  const descriptor = isStandardInput(name) ? STDIN : openSync(toBytes(name), "r");
  try {
    for (;;) {
      const length = readChunk(descriptor);
      if (length === 0) return;
      yield chunk.subarray(0, length);
    }
  } finally {
    if (descriptor !== STDIN) closeSync(descriptor);
  }
}

function readChunk(descriptor: number): number {
  try {
    return whenReady(() => readSync(descriptor, chunk, 0, chunk.length, null));
  } catch (error) {
    // Windows reports the end of a pipe or console so.
    if (codeOf(error) === "EOF") return 0;
    throw error;
  }
}

/** The lines of a file without their line ends, LF or CR LF. */
export function* linesOf(name: string): Generator<string, void, undefined> {
  let line = "";
  for (const bytes of chunksOf(name)) {
    const [first = "", ...rest] = fromBytes(bytes).split("\n");
    line += first;
    for (const next of rest) {
      yield withoutReturn(line);
      line = next;
    }
  }
  if (line) yield withoutReturn(line);
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
