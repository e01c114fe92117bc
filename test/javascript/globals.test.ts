// Base64 for engines without btoa, against Node's own.
import { afterEach, beforeAll, expect, it } from "vitest";
import { pattern } from "../support/messages.ts";

const own = { btoa: globalThis.btoa };
const hide = () => Object.assign(globalThis, { btoa: undefined });
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

it("writes Base64 of every length", () => {
  for (let length = 0; length < 300; length++) {
    const text = String.fromCharCode(...pattern(length));
    const base64 = own.btoa(text);
    expect(alone(() => here.btoa(text))).toBe(base64);
  }
});

it("leaves it to an engine that has its own", () => {
  expect(here.btoa("\x00\xff")).toBe(own.btoa("\x00\xff"));
  Object.assign(globalThis, {
    btoa: (text: string) => `${text}'s Base64`,
  });
  expect(here.btoa("a")).toBe("a's Base64");
});
