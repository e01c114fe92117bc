// The lines of a list, in UTF-8 or, with a byte order mark, in UTF-16, as Windows PowerShell writes what it redirects
// (BLAKE3-team/BLAKE3#222).
import { fileBytes } from "../files/read.js";
import { fromBytes, fromText } from "../system/byte-strings.js";

/** Returns the lines of a list, without their line feeds. */
export function linesOf(name: string): string[] {
  const lines = textOf(name).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Reads names from a list: terminated by NUL if it contains any NUL, otherwise one per line. */
export function namesFrom(list: string): string[] {
  const text = textOf(list);
  const names = text.includes("\0") ? text.split("\0") : text.split("\n").map((line) => line.replace(/\r$/, ""));
  return names.filter((name) => name !== "");
}

const UTF_16: Readonly<Record<string, string>> = { "\xff\xfe": "utf-16le", "\xfe\xff": "utf-16be" };

/** The contents of a file as a byte string of UTF-8, without a byte order mark. */
function textOf(name: string): string {
  const bytes = fileBytes(name);
  const encoding = UTF_16[fromBytes(bytes.subarray(0, 2))];
  if (encoding === undefined) return fromBytes(bytes).replace(/^\xef\xbb\xbf/, "");
  try {
    return fromText(new TextDecoder(encoding, { fatal: true }).decode(bytes));
  } catch {
    // Another character in the place of half of one could make the name of another file.
    throw new Error("the list is in UTF-16, but has half of a character");
  }
}
