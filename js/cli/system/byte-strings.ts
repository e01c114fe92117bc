// A file name on Unix is bytes, not text. All text in the command is therefore a byte string: one character, 0 to 255,
// per byte. Names, checksum lists and arguments are thus printed unchanged, even if they are not valid UTF-8.

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

/** Linux keeps the bytes that process.argv has replaced with U+FFFD; on other systems they are lost. */
function argumentsFromKernel(args: readonly string[]): string[] | undefined {
  try {
    const originals = readFileSync("/proc/self/cmdline", "latin1").split("\0").slice(0, -1).slice(-args.length);
    const same = originals.every((original, i) => toBytes(original).toString() === args[i]);
    return same ? originals : undefined;
  } catch {
    return undefined;
  }
}

/** A name for the functions of node:fs, which are faster with strings than with bytes. */
export const pathOf = (name: string): string | Buffer => (isAscii(name) ? name : toBytes(name));

/** Replaces invalid UTF-8 with U+FFFD. */
export const asUtf8 = (byteString: string): string => fromText(toBytes(byteString).toString());

/** Bytes that may be one character of UTF-8, or else are none of any. */
const SEQUENCES = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g;

/** Text whose characters are those of a byte string in UTF-8; any other byte becomes a lone surrogate. */
export const charactersOf = (byteString: string): string =>
  isAscii(byteString)
    ? byteString
    : byteString.replace(SEQUENCES, (bytes) => {
        const text = toBytes(bytes).toString();
        if (fromText(text) === bytes) return text;
        return bytes.replace(/./gs, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));
      });

/** Characters of text that terminals do not show but obey, and ends of lines. */
export const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Decodes digits that are known to be hexadecimal, ten times as fast as `fromHex`, which checks them again. */
export const bytesOfHex = (digits: string): Uint8Array => Buffer.from(digits, "hex");
