// One JSON object per line, for programs that parse the output.
import { CONTROLS, fromText, toBytes } from "./byte-strings.js";

/** A name as text, with its bytes too if it is not valid UTF-8. */
export function jsonName(name: string): Record<string, string> {
  const bytes = toBytes(name);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { name: text } : { name: text, nameBytes: bytes.toString("hex") };
}

export const jsonLine = (fields: object): string => `${fromText(JSON.stringify(fields).replace(CONTROLS, escapeOf))}\n`;

/** JSON escapes only those below U+0020 by itself. */
const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
