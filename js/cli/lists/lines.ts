// The lines of a list, in UTF-8 or, with a byte order mark, in UTF-16 as written by PowerShell.

import { chunksOf, statusOf } from "../files/read.js";
import { fromBytes, fromText } from "../system/byte-strings.js";

/** Longer than any checksum line, in bytes: room for 8 MiB of digest and any name. */
const LINE_LIMIT = 16 * 1024 * 1024;

/** Stands for a line that is longer than any checksum line, whose text is not kept. */
export const LONG_LINE = Symbol("a line longer than a checksum line can be");

/** Means that the next line may take long to arrive, as from a pipe. */
export const PAUSE = Symbol("what follows may take long");

/** Means that the list ends in the middle of the next line, as far as one can tell: no line feed follows it. */
export const CUT = Symbol("the next line may be cut off");

export type Line = string | typeof LONG_LINE | typeof PAUSE | typeof CUT;

/** The lines of a list in UTF-8 or marked UTF-16, each without its LF. */
export function* linesOf(name: string): Generator<Line, void, undefined> {
  const line = new LineBuffer();
  const isFile = statusOf(name)?.isFile();
  for (const text of textOf(name)) {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      line.append(text.slice(from, end));
      yield line.take();
      from = end + 1;
    }
    line.append(text.slice(from));
    if (!isFile) yield PAUSE;
  }
  if (line.empty) return;
  yield CUT;
  yield line.take();
}

/** The contents of a file as byte strings of UTF-8, without a byte order mark. */
export function* textOf(name: string): Generator<string, void, undefined> {
  let head: Uint8Array = Buffer.alloc(0);
  let decode: Decode | undefined;
  for (const bytes of chunksOf(name)) {
    if (!decode) {
      // A pipe may give a mark a byte at a time.
      head = Buffer.concat([head, bytes]);
      if (MARKS.some((mark) => head.length < mark.length && mark.startsWith(fromBytes(head)))) continue;
      decode = decoderFor(head);
      yield decode(head).replace(/^\xef\xbb\xbf/, "");
    } else yield decode(bytes);
  }
  yield decode ? decode() : fromBytes(head);
}

/** Reads names from a list: terminated by NUL if it contains any NUL, otherwise one per line. */
export function namesFrom(list: string): string[] {
  const text = [...textOf(list)].join("");
  const names = text.includes("\0") ? text.split("\0") : text.split("\n").map((line) => line.replace(/\r$/, ""));
  return names.filter((name) => name !== "");
}

const [UTF_8, UTF_16LE, UTF_16BE] = ["\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"] as const;
const MARKS = [UTF_8, UTF_16LE, UTF_16BE];

/** Decodes the next bytes or, without any, ends the text, which may be in the middle of a character. */
type Decode = (bytes?: Uint8Array) => string;

function decoderFor(head: Uint8Array): Decode {
  const mark = fromBytes(head.subarray(0, 2));
  if (mark !== UTF_16LE && mark !== UTF_16BE) return (bytes) => (bytes ? fromBytes(bytes) : "");
  const decoder = new TextDecoder(mark === UTF_16LE ? "utf-16le" : "utf-16be", { fatal: true });
  return (bytes) => {
    try {
      return fromText(decoder.decode(bytes, { stream: bytes !== undefined }));
    } catch {
      // Another character in the place of half of one could make the name of another file.
      throw new Error("the list is in UTF-16, but has half of a character");
    }
  };
}

/** One line, assembled from chunks. */
class LineBuffer {
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
    const line = this.#length > LINE_LIMIT ? LONG_LINE : this.#text;
    this.#text = "";
    this.#length = 0;
    return line;
  }
}
