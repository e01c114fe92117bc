// UTF-8 and Base64 for engines that may not have them, such as Hermes: scripts/bundle.mjs gives these to every use of the
// global names in dist/javascript/.

const engine = globalThis as Partial<Pick<typeof globalThis, "atob" | "btoa" | "TextEncoder">>;

/** Encodes text as UTF-8; a surrogate without its pair becomes U+FFFD, as the engines' own has it. */
class Utf8Encoder {
  encode(text: string): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(3 * text.length);
    return bytes.slice(0, this.encodeInto(text, bytes).written);
  }

  // Whole characters only, as many as fit.
  encodeInto(text: string, target: Uint8Array): { read: number; written: number } {
    const room = target.length;
    let read = 0;
    let written = 0;
    while (read < text.length) {
      const point = codePointAt(text, read);
      const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (written + size > room) break;
      if (size === 1) target[written] = point;
      else writeCharacter(target, written, point, size);
      written += size;
      read += size === 4 ? 2 : 1;
    }
    return { read, written };
  }
}

export const TextEncoder = /* @__PURE__ */ (() => engine.TextEncoder ?? Utf8Encoder)();

function codePointAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdfff) return unit;
  const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
  if (unit > 0xdbff || next < 0xdc00 || next > 0xdfff) return 0xfffd;
  return 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00);
}

function writeCharacter(target: Uint8Array, at: number, point: number, size: number): void {
  target[at] = ((0xf00 >> size) & 0xff) | (point >> (6 * (size - 1)));
  for (let i = 1; i < size; i++) target[at + i] = 0x80 | ((point >> (6 * (size - 1 - i))) & 0x3f);
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Returns the Base64 of text whose characters stand for bytes. */
export function btoa(text: string): string {
  if (engine.btoa) return engine.btoa(text);
  let base64 = "";
  for (let at = 0; at < text.length; at += 3) {
    const left = text.length - at;
    const code = (i: number) => (i < left ? text.charCodeAt(at + i) : 0);
    const group = (code(0) << 16) | (code(1) << 8) | code(2);
    for (let i = 0; i < 4; i++) base64 += i > left ? "=" : DIGITS[(group >> (18 - 6 * i)) & 63];
  }
  return base64;
}

/** Returns the text whose Base64 it is; the padding may be missing. */
export function atob(base64: string): string {
  if (engine.atob) return engine.atob(base64);
  const digits = base64.replace(/={1,2}$/, "");
  let text = "";
  let bits = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = DIGITS.indexOf(digits[i] as string);
    if (digit < 0) throw new Error("atob: text must be Base64");
    bits = ((bits << 6) | digit) & 0xffffff;
    if (i % 4 > 0) text += String.fromCharCode((bits >> (6 - 2 * (i % 4))) & 0xff);
  }
  return text;
}
