// The helper functions, and the properties of an algorithm.

import vm from "node:vm";
import * as all from "blake-simd";
import {
  algorithms,
  blake2b,
  blake2s,
  blake3,
  equal,
  fromBase64,
  fromBase64url,
  fromHex,
  toBase64,
  toBase64url,
  toHex,
} from "blake-simd";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detach, expectError, notBytes } from "../support/errors.ts";
import { eachSubject, subjects } from "../support/subjects.ts";

describe("toHex and fromHex", () => {
  it("are each other's reverse, and agree with Buffer", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(toHex(bytes)).toBe(Buffer.from(bytes).toString("hex"));
        expect(fromHex(toHex(bytes))).toEqual(bytes);
        expect(fromHex(toHex(bytes).toUpperCase())).toEqual(bytes);
      }),
    );
  });

  it("write every byte as two lower-case digits", () => {
    const bytes = new Uint8Array(256).map((_, i) => i);
    expect(toHex(bytes)).toMatch(/^000102.*090a0b.*fdfeff$/);
    expect(toHex(bytes.subarray(250))).toBe("fafbfcfdfeff");
    expect(toHex(Buffer.from("hi"))).toBe("6869");
    expect(toHex(vm.runInNewContext("Uint8Array.of(1, 171)"))).toBe("01ab");
    expect([toHex(new Uint8Array()), fromHex("")]).toEqual(["", new Uint8Array()]);
  });

  it("toHex spells the bytes of a class that spells otherwise itself", () => {
    class Prefixed extends Uint8Array {
      override toHex(): string {
        return `0x${Buffer.from(this).toString("hex")}`;
      }
    }
    expect(toHex(Prefixed.of(1, 171))).toBe("01ab");
  });

  it("toHex and equal refuse a detached array, which would count as empty", () => {
    const got = "must be a Uint8Array, got a detached or shrunk buffer";
    const gone = new Uint8Array(2);
    detach(gone.buffer);
    expectError(() => toHex(gone), TypeError, `toHex: bytes ${got}`);
    expectError(() => equal(gone, gone), TypeError, `equal: a ${got}`);
    expectError(() => equal(new Uint8Array(), gone), TypeError, `equal: b ${got}`);
  });

  it("returns an array of its own", () => {
    expect(fromHex("00ff").buffer.byteLength).toBe(2);
    expect(Object.getPrototypeOf(fromHex("00ff"))).toBe(Uint8Array.prototype);
  });

  it("fromHex reads a megabyte of text", () => {
    const bytes = Buffer.alloc(2 ** 19, "every byte");
    expect(Buffer.compare(fromHex(bytes.toString("hex")), bytes)).toBe(0);
    expectError(() => fromHex(`${bytes.toString("hex")}0g`), RangeError, `at index ${2 ** 20 + 1}`);
  });

  it("fromHex refuses what is not text", () => {
    for (const value of [undefined, null, 12, 12n, ["00"], new String("00"), new Uint8Array(2), Symbol("00")]) {
      expectError(() => fromHex(value as never), TypeError, "fromHex: text must be a string, got ");
    }
  });

  it("fromHex refuses an odd length and other characters", () => {
    expectError(() => fromHex("abc"), RangeError, "fromHex: text must have an even length, got 3");
    for (const text of [
      "0g",
      "g0",
      "00g0",
      "/0",
      ":0",
      "@0",
      "`0",
      "  ",
      "0x",
      "-1",
      "1 ",
      " 1",
      "٣٣",
      "é0",
      "0\n",
      "1.",
      "\0\0",
      "１２",
    ]) {
      const at = text.search(/[^0-9a-fA-F]/);
      expectError(
        () => fromHex(`00ff${text}`),
        RangeError,
        "fromHex: text must have only hex digits (0-9, a-f)",
        String(4 + at),
      );
    }
  });
});

describe("fromBase64 and fromBase64url", () => {
  it("are the reverse of Buffer's encodings, with or without padding", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const [base64, url] = [Buffer.from(bytes).toString("base64"), Buffer.from(bytes).toString("base64url")];
        const bare = base64.replace(/=+$/, "");
        const padded = url.padEnd(base64.length, "=");
        for (const text of [base64, bare]) expect(fromBase64(text)).toEqual(bytes);
        for (const text of [url, padded]) expect(fromBase64url(text)).toEqual(bytes);
      }),
    );
  });

  it("decode every digit", () => {
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    expect(fromBase64(`${digits}+/`)).toEqual(Uint8Array.from(Buffer.from(`${digits}+/`, "base64")));
    expect(fromBase64url(`${digits}-_`)).toEqual(Uint8Array.from(Buffer.from(`${digits}+/`, "base64")));
  });

  const both = [
    "A",
    "AAAAA",
    "AB",
    "AAB",
    "A A=",
    "AA=",
    "AA===",
    "AAA==",
    "AAAA=",
    "=",
    "AA\n",
    "\u0141A",
    "AA==AA==",
  ];
  it.each([
    ...both.flatMap((text) => [[fromBase64, "base64", text] as const, [fromBase64url, "base64url", text] as const]),
    [fromBase64, "base64", "-_8="] as const,
    [fromBase64url, "base64url", "+/8"] as const,
  ])("%o refuse what no encoder of %s writes: %j", (decode, encoding, text) => {
    const must = `${decode.name}: text must be ${encoding} as an encoder writes it, got a string of length ${text.length}`;
    expectError(() => decode(text), RangeError, must);
  });

  it.each([fromBase64, fromBase64url])("%o refuse what is not a string", (decode) => {
    for (const value of [undefined, null, 5, ["AA"], new Uint8Array(2)]) {
      expectError(() => decode(value as unknown as string), TypeError, `${decode.name}: text must be a string`);
    }
  });
});

describe("toHex, toBase64 and toBase64url", () => {
  const kinds = { toHex: "hex", toBase64: "base64", toBase64url: "base64url" } as const;
  const helpers = { toHex, toBase64, toBase64url };
  const names = Object.keys(kinds) as (keyof typeof kinds)[];

  /** What engines with such functions have, by Buffer's means. */
  const builtIn = {
    toHex(this: Uint8Array) {
      return `${Buffer.from(this).toString("hex")}`;
    },
    toBase64(this: Uint8Array) {
      return Buffer.from(this).toString("base64");
    },
  };
  const engines = [
    ["has them", builtIn, Buffer],
    ["has Node's Buffer", {}, Buffer],
    ["has a Buffer of a different kind", {}, class extends Uint8Array {}],
    ["has neither", {}, undefined],
  ] as const;

  describe.each(engines)("in an engine that %s", (_, members, OwnBuffer) => {
    const own = ["toHex", "toBase64"].map((name) => [
      name,
      Object.getOwnPropertyDescriptor(Uint8Array.prototype, name),
    ]);

    /** The helper's text in that engine, and what Node's Buffer makes of the same bytes. */
    function spelled(name: (typeof names)[number], bytes: Uint8Array): [string, string] {
      const wanted = Buffer.from(bytes).toString(kinds[name]);
      const { Buffer: Before } = globalThis;
      for (const [member] of own) Reflect.deleteProperty(Uint8Array.prototype, member as string);
      for (const [member, value] of Object.entries(members))
        Object.defineProperty(Uint8Array.prototype, member, {
          configurable: true,
          value(this: Uint8Array) {
            globalThis.Buffer = Before;
            return value.call(this);
          },
        });
      globalThis.Buffer = OwnBuffer as typeof Buffer;
      try {
        return [helpers[name](bytes), wanted];
      } finally {
        globalThis.Buffer = Before;
        for (const [member, descriptor] of own) {
          Reflect.deleteProperty(Uint8Array.prototype, member as string);
          if (descriptor)
            Object.defineProperty(Uint8Array.prototype, member as string, descriptor as PropertyDescriptor);
        }
      }
    }

    it.each(names)("%s agrees with Buffer", (name) => {
      const every = new Uint8Array(256).map((_, i) => 255 - i);
      const lengths = [0, 1, 2, 3, 4, 5, 20, 28, 32, 48, 64, 6143, 6144, 6145, 6146, 20_000];
      const messages = [every, every.subarray(1, 2), ...lengths.map((length) => new Uint8Array(length).fill(0xfb))];
      for (const bytes of [...messages, new Uint8Array(new SharedArrayBuffer(7)).fill(0xff)]) {
        const [text, wanted] = spelled(name, bytes);
        expect(text).toBe(wanted);
      }
    });
  });

  it("are the encodings of digest", () => {
    for (const name of names) expect(helpers[name](blake3("a"))).toBe(blake3.create().update("a").digest(kinds[name]));
  });

  it("refuse what is not a Uint8Array, and name themselves", () => {
    for (const name of names)
      for (const [value, got] of [
        ...notBytes,
        ["00", "a string of length 2"],
        [new Int8Array(1), "an object (Int8Array)"],
      ] as const)
        expectError(() => helpers[name](value as never), TypeError, `${name}: bytes must be a Uint8Array, got ${got}`);
  });
});

describe("equal", () => {
  it("compares lengths and bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, at, change) => {
        const other = bytes.slice();
        expect(equal(bytes, other)).toBe(true);
        expect(equal(bytes, bytes)).toBe(true);
        other[at % other.length]! ^= change;
        expect(equal(bytes, other)).toBe(false);
        expect(equal(bytes, bytes.subarray(1))).toBe(false);
        expect(equal(bytes.subarray(1), bytes)).toBe(false);
      }),
    );
    expect(equal(new Uint8Array(), new Uint8Array())).toBe(true);
    const decode = "must be a Uint8Array, got a string of length 64: decode it first, for example with fromHex";
    expectError(() => equal(blake3(""), blake3.hex("") as never), TypeError, `equal: b ${decode}`);
    expectError(() => equal(blake3.hex("") as never, blake3("")), TypeError, `equal: a ${decode}`);
    expect(equal(Buffer.from("tag"), new Uint8Array([116, 97, 103]))).toBe(true);
  });

  it("refuses what is not a Uint8Array, on either side", () => {
    const bytes = new Uint8Array(2);
    for (const [value, got] of [
      ...notBytes,
      ["ab", "a string of length 2"],
      [new Int8Array(2), "an object (Int8Array)"],
    ] as const) {
      expectError(() => equal(value as never, bytes), TypeError, `equal: a must be a Uint8Array, got ${got}`);
      expectError(() => equal(bytes, value as never), TypeError, `equal: b must be a Uint8Array, got ${got}`);
    }
  });
});

describe("algorithms", () => {
  it("has every algorithm under its name, and cannot be changed", () => {
    expect(Object.keys(algorithms)).toEqual(subjects.map(({ name }) => name));
    for (const { name, algorithm } of subjects) {
      expect(algorithms[name as keyof typeof algorithms]).toBe(algorithm);
      expect(new Map(Object.entries(all)).get(name)).toBe(algorithm);
    }
    expect(Object.isFrozen(algorithms)).toBe(true);
  });

  it("are the same values from the package and from their own entry points", async () => {
    expect((await import("blake-simd/blake2b")).blake2b).toBe(blake2b);
    expect((await import("blake-simd/blake2s")).blake2s).toBe(blake2s);
    expect((await import("blake-simd/blake3")).blake3).toBe(blake3);
  });

  eachSubject(({ name, algorithm, digestLength, blockLength }) => {
    it("has its name and lengths, which cannot be changed", () => {
      expect({ ...algorithm }).toEqual({});
      const told = [algorithm.algorithm, algorithm.name, algorithm.digestLength, algorithm.blockLength];
      expect(told).toEqual([name, name, digestLength, blockLength]);
      expect(algorithm("")).toHaveLength(digestLength);
      for (const member of ["algorithm", "digestLength", "blockLength", "into", "create"]) {
        expect(() => Object.assign(algorithm, { [member]: 0 }), member).toThrow(TypeError);
      }
    });

    it("works without its object", () => {
      const { create, into } = algorithm;
      expect(create().update("abc").digest()).toEqual(algorithm("abc"));
      expect(into("abc", new Uint8Array(digestLength))).toEqual(algorithm("abc"));
    });
  });
});
