// One JSON object a line, for programs that read what is printed.
import { toBytes } from "./byte-strings.js";

/** A name as text; when it is no UTF-8, its bytes too. */
export function jsonName(name: string): Record<string, string> {
  const bytes = toBytes(name);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { name: text } : { name: text, nameBytes: bytes.toString("hex") };
}

export const jsonLine = (fields: object): string => `${Buffer.from(JSON.stringify(fields)).toString("latin1")}\n`;
