// The lines of a list, in UTF-8 or, with a byte order mark, in UTF-16 as written by PowerShell.
import { fileChunks, statusOf } from "../files/read.js";
import { fromBytes, fromText } from "../system/byte-strings.js";

/** Longer than any checksum line, in bytes: room for 8 MiB of digest and any name. */
const LINE_LIMIT = 16 * 1024 * 1024;

export interface Line {
  /** Without its LF; undefined if it is longer than a checksum line can be. */
  readonly text: string | undefined;
  /** Whether the list ends in the middle of the line, as far as one can tell: no LF follows. */
  readonly isCut: boolean;
  /** Whether the next line may take long to arrive, as from a pipe. */
  readonly last: boolean;
}

/** The lines of a list in UTF-8 or marked UTF-16. */
export function* linesOf(name: string): Generator<Line, void, undefined> {
  const isFile = statusOf(name)?.isFile();
  const lineOf = (text: string, isCut: boolean, last: boolean): Line => {
    return { text: text.length > LINE_LIMIT ? undefined : text, isCut, last };
  };
  let rest = "";
  for (const text of textOf(name)) {
    const lines = text.split("\n");
    // Of a line that is too long, no more is kept.
    lines[0] = rest.length > LINE_LIMIT ? rest : rest + lines[0];
    rest = lines.pop() as string;
    for (const [i, line] of lines.entries()) yield lineOf(line, false, !isFile && i === lines.length - 1);
  }
  if (rest !== "") yield lineOf(rest, true, false);
}

/** The contents of a file as byte strings of UTF-8, without a byte order mark. */
function* textOf(name: string): Generator<string, void, undefined> {
  let head: Uint8Array = Buffer.alloc(0);
  let decode: Decode | undefined;
  for (const bytes of fileChunks(name)) {
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
