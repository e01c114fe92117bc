// A file name on Unix is bytes, not text. All text in the command is therefore a byte string: one character, 0 to 255,
// per byte. What names, checksum lists and arguments hold comes out again as it went in, valid UTF-8 or not.

import { readFileSync } from "node:fs";

export const toBytes = (byteString: string): Buffer => Buffer.from(byteString, "latin1");
export const fromBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
export const fromText = (text: string): string => (isAscii(text) ? text : Buffer.from(text).toString("latin1"));

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** The arguments after the script's name. */
export function byteArguments(): string[] {
  const args = process.argv.slice(2);
  const damaged = args.some((arg) => arg.includes("\ufffd"));
  return (damaged ? argumentsFromKernel(args) : undefined) ?? args.map(fromText);
}

/** Linux keeps the bytes that the decoding of process.argv has replaced by U+FFFD; elsewhere they are lost. */
function argumentsFromKernel(args: readonly string[]): string[] | undefined {
  try {
    const originals = readFileSync("/proc/self/cmdline", "latin1").split("\0").slice(0, -1).slice(-args.length);
    const same = originals.every((original, i) => toBytes(original).toString() === args[i]);
    return same ? originals : undefined;
  } catch {
    return undefined;
  }
}

/** A name as the functions of node:fs take it: text is understood sooner than bytes. */
export const pathOf = (name: string): string | Buffer => (isAscii(name) ? name : toBytes(name));

/** The text that the bytes are, with U+FFFD for what is no UTF-8, as bytes again. */
export const asUtf8 = (byteString: string): string => fromText(toBytes(byteString).toString());

/** The bytes of digits that are known to be hexadecimal, in a tenth of the time that looking at each again takes. */
export const bytesOfHex = (digits: string): Uint8Array => Buffer.from(digits, "hex");
