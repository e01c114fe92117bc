// A file name on Unix is bytes, not text. All text in the command is therefore a byte string: one character, 0 to 255,
// per byte. Names and checksum lists are thus printed unchanged, even if they are not valid UTF-8.

export const toBytes = (byteString: string): Buffer => Buffer.from(byteString, "latin1");
export const fromBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");

/** Returns the text in UTF-8, as a byte string. */
export const fromText = (text: string): string => (isAscii(text) ? text : Buffer.from(text).toString("latin1"));

/** Returns the text of a byte string in UTF-8; U+FFFD stands for what is none. */
export const toText = (byteString: string): string =>
  isAscii(byteString) ? byteString : toBytes(byteString).toString();

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** A name for the functions of node:fs, which are faster with strings than with bytes. */
export const pathOf = (name: string): string | Buffer => (isAscii(name) ? name : toBytes(name));

/** Characters of text that terminals do not show but obey, and ends of lines. */
export const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Decodes digits that are known to be hexadecimal, ten times as fast as `fromHex`, which checks them again. */
export const bytesOfHex = (digits: string): Uint8Array => Buffer.from(digits, "hex");
