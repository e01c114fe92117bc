// Functions and classes of every entry, as it is built, have the names under which they are exported: console.log,
// stack traces and the errors of test runners print them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { blake3 } from "blake-simd";
import { hmac, nobleHash } from "blake-simd/hmac";
import { createHash, createHmac } from "blake-simd/node";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/child.ts";

type Entry = string | Record<string, string>;

const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { exports: Record<string, Entry> };
const files = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [] : Object.values(entry)));
const modules = [...new Set(files)].filter((file) => file.endsWith(".js"));

/** Functions of an object whose name is not their key: key -> name. */
function misnamed(object: object): [string, string][] {
  return Object.getOwnPropertyNames(object).flatMap((key) => {
    const value: unknown = Reflect.get(object, key);
    return typeof value === "function" && value.name !== key && key !== "prototype" ? [[key, value.name]] : [];
  });
}

describe.each(modules)("%s", (file) => {
  it("names what it exports, and the members of that", async () => {
    const module = (await import(join(ROOT, file))) as object;
    expect(Object.keys(module).length).toBeGreaterThan(0);
    expect(misnamed(module)).toEqual([]);
    for (const value of Object.values(module)) {
      if (typeof value === "function") expect(misnamed(value), value.name).toEqual([]);
    }
  });
});

it.each<[string, object]>([
  ["Hash", createHash("blake3")],
  ["Hmac", createHmac("blake3", "")],
  ["Hmac", hmac.create(blake3, new Uint8Array())],
  ["NobleHasher", nobleHash(blake3).create()],
  ["ExtendableHasher", blake3.create()],
  ["Xof", blake3.create().xof()],
])("%s is the class of what is made", (name, object) => {
  expect(object.constructor.name).toBe(name);
});
