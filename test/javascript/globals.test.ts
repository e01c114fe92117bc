// UTF-8 and Base64 for engines that have neither, against Node's own.
import { afterEach, beforeAll, expect, it } from "vitest";
import { pattern } from "../support/messages.ts";

const own = { TextEncoder: globalThis.TextEncoder, btoa: globalThis.btoa, atob: globalThis.atob };
const hide = () => Object.assign(globalThis, { TextEncoder: undefined, btoa: undefined, atob: undefined });
const show = () => Object.assign(globalThis, own);

let here: typeof import("../../js/javascript/globals.ts");

beforeAll(async () => {
  hide();
  here = await import("../../js/javascript/globals.ts");
  show();
});
afterEach(show);

/** Calls without the engine's own. */
function alone<T>(call: () => T): T {
  hide();
  try {
    return call();
  } finally {
    show();
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const boundaries = [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff];
const units = [...boundaries, 0x41, 0x3f, 0x1234, 0xd83d, 0xde42].map((unit) => String.fromCharCode(unit));
const texts = ["", ...units, ...units.flatMap((a) => units.flatMap((b) => [a + b, `${a}${b}x`]))];

it("encodes text as UTF-8, with U+FFFD for half of a pair", () => {
  const [encoder, nodes] = [new here.TextEncoder(), new own.TextEncoder()];
  for (const text of texts) expect(hex(encoder.encode(text))).toBe(hex(nodes.encode(text)));
});

it("encodes as many whole characters as there is room for", () => {
  const [encoder, nodes] = [new here.TextEncoder(), new own.TextEncoder()];
  for (const text of texts) {
    for (let room = 0; room < 8; room++) {
      const [target, wanted] = [new Uint8Array(room).fill(9), new Uint8Array(room).fill(9)];
      const counts = JSON.stringify(nodes.encodeInto(text, wanted));
      expect(JSON.stringify(encoder.encodeInto(text, target)) + hex(target)).toBe(counts + hex(wanted));
    }
  }
});

it("writes and reads Base64 of every length, with padding or without", () => {
  for (let length = 0; length < 300; length++) {
    const text = String.fromCharCode(...pattern(length));
    const base64 = own.btoa(text);
    expect(alone(() => here.btoa(text))).toBe(base64);
    expect(alone(() => here.atob(base64))).toBe(text);
    expect(alone(() => here.atob(base64.replace(/=+$/, "")))).toBe(text);
  }
});

it("refuses what is not Base64", () => {
  for (const text of ["*", "A*==", "A=A", "A A", "é"]) {
    expect(() => alone(() => here.atob(text))).toThrow("atob: text must be Base64");
  }
});

it("leaves it to an engine that has its own", () => {
  expect(here.btoa("\x00\xff")).toBe(own.btoa("\x00\xff"));
  expect(here.atob("AP8")).toBe(own.atob("AP8"));
  Object.assign(globalThis, {
    btoa: (text: string) => `${text}'s Base64`,
    atob: (base64: string) => `${base64}'s text`,
  });
  expect(here.btoa("a")).toBe("a's Base64");
  expect(here.atob("YQ")).toBe("YQ's text");
});
