// Quotes names in messages as GNU programs do, so that a shell can read them back.
import { CONTROLS, fromText, toBytes } from "./byte-strings.js";

const SPECIAL = /[ !"$&'()*;<=>?[\\^`|]|^[#~]|^[{}]$/;
const ESCAPES: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
};

/** Whether non-ASCII characters are printed as they are, as in a UTF-8 locale, rather than as bytes. */
export const localeIsUtf8 = (): boolean => {
  const { LC_ALL, LC_CTYPE, LANG } = process.env;
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "");
};

export function shellQuote(name: string): string {
  if (name === "") return "''";
  const pieces = piecesOf(name);
  const unprintable = pieces.some(({ shown }) => shown === undefined);
  if (!unprintable && !SPECIAL.test(name)) return name;
  if (!unprintable && name.includes("'") && !/["$`\\!]/.test(name)) return `"${name}"`;
  return quotePieces(pieces);
}

interface Piece {
  bytes: string;
  /** Undefined if it is printed as an escape. */
  shown: string | undefined;
}

function piecesOf(name: string): Piece[] {
  return splitCharacters(name).map((bytes) => {
    const isText = bytes.length === 1 ? bytes < "\x80" : localeIsUtf8();
    return { bytes, shown: isText && toBytes(bytes).toString().search(CONTROLS) < 0 ? bytes : undefined };
  });
}

/** The characters of UTF-8 text, and each byte of anything else. */
function splitCharacters(name: string): string[] {
  return [...toBytes(name).toString()].includes("\ufffd") || !localeIsUtf8()
    ? [...name]
    : [...toBytes(name).toString()].map(fromText);
}

function quotePieces(pieces: readonly Piece[]): string {
  let text = "'";
  let escaping = false;
  for (const { bytes, shown } of pieces) {
    if (shown === undefined) {
      text += `${escaping ? "" : "'$'"}${octal(bytes)}`;
      escaping = true;
      continue;
    }
    if (escaping) text += "''";
    escaping = false;
    text += shown === "'" ? "'\\''" : shown;
  }
  return `${text}'`;
}

const octal = (bytes: string): string =>
  [...bytes].map((byte) => ESCAPES[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`).join("");

/** Quotes a word in a message as GNU programs do. */
export const quote = (word: string): string =>
  localeIsUtf8() ? fromText(`\u2018${toBytes(word).toString()}\u2019`) : `'${word}'`;
