// The helper functions, and the properties of an algorithm.

import vm from "node:vm";
import * as all from "blake-simd";
import { algorithms, blake2b, blake2s, blake3, equal, fromHex, toHex } from "blake-simd";
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
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
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
    const got = "must be a Uint8Array, got a detached buffer";
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

  it("toHex refuses what is not a Uint8Array", () => {
    for (const [value, got] of [
      ...notBytes,
      ["00", "a string of length 2"],
      [new ArrayBuffer(1), "an object (ArrayBuffer)"],
      [new Int8Array(1), "an object (Int8Array)"],
    ] as const) {
      expectError(() => toHex(value as never), TypeError, `toHex: bytes must be a Uint8Array, got ${got}`);
    }
  });

  it("fromHex refuses what is not text", () => {
    for (const value of [undefined, null, 12, 12n, ["00"], new String("00"), new Uint8Array(2), Symbol("00")]) {
      expectError(() => fromHex(value as never), TypeError, "fromHex: text must be a string, got ");
    }
  });

  it.each([
    ["g0", 0],
    ["0g", 1],
    ["00g0", 2],
    ["/0", 0],
    [":0", 0],
    ["@0", 0],
    ["`0", 0],
  ])("fromHex says where in %j the first other character is", (text, at) => {
    expectError(() => fromHex(text), RangeError, `got another character at index ${at}`);
  });

  it("fromHex refuses an odd length and other characters", () => {
    expectError(() => fromHex("abc"), RangeError, "fromHex: text must have an even length, got 3");
    for (const text of ["0g", "g0", "  ", "0x", "-1", "1 ", " 1", "٣٣", "é0", "0\n", "1.", "\0\0", "１２"]) {
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
