// One JSON object per line, for programs that parse the output.
import { toBytes } from "./byte-strings.js";

/** A name as text, with its bytes too if it is not valid UTF-8. */
export function jsonName(name: string): Record<string, string> {
  const bytes = toBytes(name);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { name: text } : { name: text, nameBytes: bytes.toString("hex") };
}

export const jsonLine = (fields: object): string => `${Buffer.from(JSON.stringify(fields)).toString("latin1")}\n`;
