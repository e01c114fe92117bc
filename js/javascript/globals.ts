// Base64 for engines that may not have it, such as Hermes: scripts/bundle.mjs gives it to every use of the global name in
// dist/javascript/.

const engine = globalThis as Partial<Pick<typeof globalThis, "btoa">>;

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
