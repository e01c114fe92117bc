// The output lines of b2sum, b3sum and blake2, and JSON.
import { type Algorithm, blake3, tagOf } from "./algorithms.js";
import { CONTROLS, fromText, toBytes } from "./byte-strings.js";

/** Returns the text before and after the hex digits of a digest of `length` bytes. */
export type LineFormat = (name: string, length: number) => readonly [before: string, after: string];

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r" };

export const escapeName = (name: string): string =>
  name.replace(/[\\\n\r]/g, (character) => ESCAPES[character] as string);

/** HEX, a space, " " or "*", NAME: "*" means that the file was read in binary mode. */
export const named =
  (marker: " " | "*"): LineFormat =>
  (name) => ["", ` ${marker}${name}`];

/** TAG (NAME) = HEX. A BLAKE2 tag contains the length in bits if it is not the algorithm's default. */
export const tagged =
  (algorithm: Algorithm): LineFormat =>
  (name, length) => [`${tagFor(algorithm, length)} (${name}) = `, ""];

/** Ends with a newline. A name with escapes has a backslash before the line. */
export const line =
  (format: LineFormat): LineFormat =>
  (name, length) => {
    const shown = escapeName(name);
    const [before, after] = format(shown, length);
    return [shown === name ? before : `\\${before}`, `${after}\n`];
  };

/** Ends with NUL, which no name can contain, so names need no escapes. */
export const zeroLine =
  (format: LineFormat): LineFormat =>
  (name, length) => {
    const [before, after] = format(name, length);
    return [before, `${after}\0`];
  };

/** Writes names with "/" on Windows, as b3sum does, so that lists can be checked on other systems. */
export const portable = (format: LineFormat): LineFormat =>
  process.platform === "win32" ? (name, length) => format(name.replaceAll("\\", "/"), length) : format;

function tagFor(algorithm: Algorithm, length: number): string {
  const tag = tagOf(algorithm);
  return algorithm === blake3 || length === algorithm.digestLength ? tag : `${tag}-${length * 8}`;
}

/** A JSON object on one line. A name that is not valid UTF-8 comes with its bytes. */
export function jsonLine(name: string, fields: Readonly<Record<string, string>>): string {
  const bytes = toBytes(name);
  const text = bytes.toString();
  const nameBytes = Buffer.from(text).equals(bytes) ? undefined : bytes.toString("hex");
  return `${fromText(JSON.stringify({ name: text, nameBytes, ...fields }).replace(CONTROLS, escapeOf))}\n`;
}

/** JSON escapes only those below U+0020 by itself. */
const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
