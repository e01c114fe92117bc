// UTF-8 for environments without a TextEncoder, against Node's own.
import { beforeAll, expect, it } from "vitest";

const { TextEncoder } = globalThis;

let encodeText: typeof import("../../js/input/utf8.ts").encodeText;
let utf8: typeof import("../../js/input/utf8.ts").utf8;

// It keeps the encoder that it finds first.
beforeAll(async () => {
  ({ encodeText, utf8 } = await import("../../js/input/utf8.ts"));
  Object.assign(globalThis, { TextEncoder: undefined });
  utf8();
  Object.assign(globalThis, { TextEncoder });
});

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const boundaries = [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff];
const units = [...boundaries, 0x41, 0x3f, 0x1234, 0xd83d, 0xde42].map((unit) => String.fromCharCode(unit));
const texts = ["", ...units, ...units.flatMap((a) => units.flatMap((b) => [a + b, `${a}${b}x`]))];
const nodes = new TextEncoder();

it("is not Node's", () => {
  expect(utf8()).not.toBeInstanceOf(TextEncoder);
});

it("encodes text as UTF-8, with U+FFFD for half of a pair", () => {
  for (const text of texts) expect(hex(encodeText(text))).toBe(hex(nodes.encode(text)));
});

it("encodes as many whole characters as there is room for", () => {
  for (const text of texts) {
    for (let room = 0; room < 8; room++) {
      const [target, wanted] = [new Uint8Array(room).fill(9), new Uint8Array(room).fill(9)];
      const counts = JSON.stringify(nodes.encodeInto(text, wanted));
      expect(JSON.stringify(utf8().encodeInto(text, target)) + hex(target)).toBe(counts + hex(wanted));
    }
  }
});
