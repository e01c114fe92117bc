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

/** No checksum line is longer, in bytes: a name has a few thousand, and 8 MiB of digest fit in. */
const LINE_LIMIT = 16 * 1024 * 1024;

/** Stands for a line that is longer than any checksum line, which is therefore not kept. */
export const LONG_LINE = Symbol("a line longer than a checksum line can be");

/** The lines of a file without their line ends, LF or CR LF. */
export function* linesOf(name: string): Generator<string | typeof LONG_LINE, void, undefined> {
  const line = new Line();
  for (const bytes of chunksOf(name)) {
    const [first = "", ...rest] = fromBytes(bytes).split("\n");
    line.append(first);
    for (const next of rest) {
      yield line.take();
      line.append(next);
    }
  }
  if (!line.empty) yield line.take();
}

/** One line, put together from the chunks that it lies in. */
class Line {
  #text = "";
  #length = 0;

  get empty(): boolean {
    return this.#length === 0;
  }

  append(part: string): void {
    this.#length += part.length;
    this.#text = this.#length > LINE_LIMIT ? "" : this.#text + part;
  }

  take(): string | typeof LONG_LINE {
    const line = this.#length > LINE_LIMIT ? LONG_LINE : withoutReturn(this.#text);
    this.#text = "";
    this.#length = 0;
    return line;
  }
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
