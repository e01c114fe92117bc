// Importing does nothing and needs nothing but the language: in environments that lack every other global, or guard it,
// each entry can be imported, and what is missing is an error of the call that needs it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { blake3 as noble } from "@noble/hashes/blake3.js";
import { describe, expect, it } from "vitest";
import { ROOT, runNode } from "../support/child.ts";

const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  exports: Record<string, { default?: string }>;
};
const entries = Object.entries(exports).flatMap(([name, entry]) =>
  entry.default ? [name.replace(".", "blake-simd")] : [],
);
const inBrowsers = entries.filter((name) => name !== "blake-simd/node");

const TEXT = "h\u00e9llo \ud800 \ud83d\ude00 \udc00";
const WANTED = Buffer.from(noble(new TextEncoder().encode(TEXT))).toString("hex");

/** What the language itself has, without what only some engines or pages have of it. */
const LANGUAGE = `
  const LANGUAGE = new Set(("globalThis Infinity NaN undefined eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent " +
    "encodeURI encodeURIComponent escape unescape AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean " +
    "DataView Date Error EvalError FinalizationRegistry Float32Array Float64Array Function Int8Array Int16Array Int32Array Map " +
    "Number Object Promise Proxy RangeError ReferenceError RegExp Set String Symbol SyntaxError TypeError Uint8Array " +
    "Uint8ClampedArray Uint16Array Uint32Array URIError WeakMap WeakRef WeakSet JSON Math Reflect").split(" "));`;

/** How an environment is without a global. */
const WAYS = {
  "are missing": "delete globalThis[name];",
  "are undefined": "Object.defineProperty(globalThis, name, { value: undefined, configurable: true, writable: true });",
  "have getters that throw":
    'Object.defineProperty(globalThis, name, { get() { throw new Error("trap: " + name); }, configurable: true });',
};

/** Runs code as where the globals that are not in \`kept\` are missing; \`say\` prints a line of JSON. */
function runWithout(way: string, kept: readonly string[], code: string): unknown {
  return runNode(`
    import { writeSync } from "node:fs";
    const say = (value) => writeSync(1, JSON.stringify(value));
    ${LANGUAGE}
    const kept = new Set(${JSON.stringify(kept)});
    for (const name of Object.getOwnPropertyNames(globalThis)) if (!LANGUAGE.has(name) && !kept.has(name)) { ${way} }
    ${code}`);
}

const errorOf = `const errorOf = (call) => { try { call(); } catch (error) { return error.name + ": " + error.message; } };`;

describe.each(Object.entries(WAYS).slice(0, 1))("where all globals but the language's %s", (_, way) => {
  it("every entry is imported, blake-simd/javascript hashes, and a kernel says that it needs WebAssembly", () => {
    const code = `
      ${errorOf}
      for (const entry of ${JSON.stringify(inBrowsers)}) await import(entry);
      const { blake3 } = await import("blake-simd/javascript");
      const main = await import("blake-simd");
      const { IntegrityError } = await import("blake-simd/streams");
      say([blake3.hex(${JSON.stringify(TEXT)}), main.backend(), errorOf(() => main.blake3("")), new IntegrityError("x").name]);`;
    expect(runWithout(way, [], code)).toEqual([
      WANTED,
      "baseline",
      "Error: blake-simd: WebAssembly is missing; blake-simd/javascript needs none",
      "IntegrityError",
    ]);
  });

  it("with WebAssembly, all that needs nothing else works, and what is missing is an error of its call", () => {
    const code = `
      ${errorOf}
      const { blake2b, blake3, fromHex } = await import("blake-simd");
      const { digestOf, DigestStream, HashStream, VerifyStream } = await import("blake-simd/streams");
      const { BaoDecodeStream, outboard, OutboardStream } = await import("blake-simd/bao");
      const { Blake3Pool } = await import("blake-simd/parallel");
      const { hmac } = await import("blake-simd/hmac");
      const { restore, save } = await import("blake-simd/states");
      const text = ${JSON.stringify(TEXT)};
      const pool = new Blake3Pool();
      const long = new Uint8Array(3_000_000);
      const wanted = blake3.hex(long);
      say({
        text: blake3.hex(text),
        many: blake3.many([text, text])[1].join() === blake3(text).join(),
        longText: blake3.hex("\\ud800a\\u{10ffff}é".repeat(30_000)),
        personal: blake2b.hex("", { personal: "ké" }) === blake2b.hex("", { personal: fromHex("6bc3a9") }),
        hmac: hmac(blake2b, fromHex("6b6579"), text).length,
        restored: restore(blake3, save(blake3.create().update(text))).digest("hex"),
        digest: (await digestOf(blake3, [text])).join() === blake3(text).join(),
        bao: outboard(text).root.join() === blake3(text).join(),
        threads: pool.threads,
        pool: (await pool.hash(long)).join() === fromHex(wanted).join(),
        streams: [HashStream, DigestStream, VerifyStream].map((Stream) => typeof errorOf(() => new Stream(blake3, "00".repeat(32)))),
        verified: errorOf(() => new VerifyStream(blake3, text)),
        others: [() => new OutboardStream(), () => new BaoDecodeStream(blake3(""))].map((make) => typeof errorOf(make)),
      });`;
    const long = "\ud800a\u{10ffff}é".repeat(30_000);
    expect(runWithout(way, ["WebAssembly", "setTimeout"], code)).toEqual({
      text: WANTED,
      many: true,
      longText: Buffer.from(noble(new TextEncoder().encode(long))).toString("hex"),
      personal: true,
      hmac: 64,
      restored: WANTED,
      digest: true,
      bao: true,
      threads: 0,
      pool: true,
      streams: ["string", "string", "string"],
      verified: expect.stringMatching(/^RangeError: VerifyStream: expected must be 64 hexadecimal digits/),
      others: ["string", "string"],
    });
  });
});

describe("a Blob that only a FileReader reads, as jsdom's before 27", () => {
  const results = runNode(`
    const contents = new WeakMap();
    globalThis.Blob = class { constructor([bytes]) { contents.set(this, bytes); } get size() { return contents.get(this).length; } get type() { return ""; } slice() {} };
    globalThis.FileReader = class {
      readAsArrayBuffer(blob) {
        const bytes = contents.get(blob);
        queueMicrotask(() => {
          if (bytes.length === 4) { this.error = new Error("unreadable"); this.onerror(); return; }
          this.result = bytes.slice(0, 3).buffer;
          this.onload();
        });
      }
    };
    const { blake3 } = await import("blake-simd");
    const { digestOf } = await import("blake-simd/streams");
    const { Blake3Pool } = await import("blake-simd/parallel");
    const pool = new Blake3Pool({ threads: 1 });
    const blobs = [3, 4, 5].map((length) => new Blob([Uint8Array.from({ length }, (_, i) => i + 1)]));
    const ways = [(blob) => digestOf(blake3, blob), (blob) => pool.hash(blob)];
    const results = await Promise.all(blobs.flatMap((blob) => ways.map((hash) => hash(blob).then(
      (digest) => Buffer.from(digest).toString("hex"), (error) => error.message))));
    await pool.close();
    console.log(JSON.stringify(results));`);

  it("is hashed by digestOf and by a pool, and its error is passed on", () => {
    const wanted = Buffer.from(noble(Uint8Array.of(1, 2, 3))).toString("hex");
    expect(results).toEqual([wanted, wanted, "unreadable", "unreadable", wanted, wanted]);
  });
});

describe("a TextEncoder that a script defined", () => {
  it("is not used if it cannot encode into an array", () => {
    const code = `
      globalThis.TextEncoder = class { encode() { throw new Error("no"); } };
      const { blake3 } = await import("blake-simd");
      console.log(JSON.stringify(blake3.hex(${JSON.stringify(TEXT)})));`;
    expect(runNode(code)).toBe(WANTED);
  });
});
