// Text as UTF-8.
import { readGlobal } from "./globals.js";

interface Utf8Encoder {
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}

/** For environments without a TextEncoder. A surrogate without its pair becomes U+FFFD, as TextEncoder does it. */
const OWN: Utf8Encoder = {
  // Whole characters only, as many as fit.
  encodeInto(text, target) {
    let read = 0;
    let written = 0;
    while (read < text.length) {
      let point = text.codePointAt(read) as number;
      if (point >> 11 === 0xd800 >> 11) point = 0xfffd;
      let more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
      if (written + more >= target.length) break;
      read += point < 0x10000 ? 1 : 2;
      // The first byte begins with as many ones as there are bytes.
      target[written++] = more ? (0xff80 >> more) | (point >> (6 * more)) : point;
      while (more--) target[written++] = 0x80 | ((point >> (6 * more)) & 0x3f);
    }
    return { read, written };
  },
};

let encoder: Utf8Encoder | undefined;

/** Returns the engine's encoder, or the package's own where there is none. */
export function utf8(): Utf8Encoder {
  // Some that scripts define have `encode` alone.
  encoder ??= readGlobal(() => "encodeInto" in TextEncoder.prototype && new TextEncoder()) || OWN;
  return encoder;
}

/**
 * The engine's encoder takes longer for text of up to this length: with a personalization as text, BLAKE2b of 64 bytes
 * would take 1.4 times as long.
 */
const SHORT = 32;

/** Returns text as bytes. */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  const encoder = text.length > SHORT ? utf8() : OWN;
  const bytes = new Uint8Array(3 * text.length);
  return bytes.slice(0, encoder.encodeInto(text, bytes).written);
}
