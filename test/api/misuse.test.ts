// Calls that other packages' users make, and that must not pass in silence; and hexadecimal digests in one call.
import { toHex } from "blake-simd";
import { createHash } from "blake-simd/node";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { eachSubject, subjects } from "../support/subjects.ts";

type Loose = (...args: unknown[]) => unknown;

describe("hex", () =>
  eachSubject(({ algorithm, modes, name, oracle }) => {
    it("is the digest that an independent implementation gives, in every mode", () => {
      for (const options of modes) {
        expect(algorithm.hex("hello", options)).toBe(toHex(oracle(options).update(Buffer.from("hello")).digest()));
      }
      expect(algorithm.hex("")).toBe(toHex(oracle({}).digest()));
    });

    it("throws what the call throws", () => {
      expectError(() => (algorithm.hex as Loose)(5), TypeError, `${name}: input must be`, "got number 5");
      expectError(() => (algorithm.hex as Loose)("", { colour: 1 }), TypeError, `${name}: options may be`, "colour");
    });
  }));

describe("a call with too many arguments", () =>
  eachSubject(({ algorithm, name }) => {
    const hasher = algorithm.create().update("a");
    const calls: [call: string, act: Loose, args: unknown[], words: string][] = [
      ["the call", algorithm as unknown as Loose, ["a", {}, 32], "arguments must be at most 2, got number 3"],
      ["hex", algorithm.hex as Loose, ["a", {}, 32], "arguments must be at most 2, got number 3"],
      [
        "update",
        hasher.update.bind(hasher) as Loose,
        ["616263", "hex"],
        "arguments of update must be at most 1, got number 2",
      ],
      [
        "digest",
        hasher.digest.bind(hasher) as unknown as Loose,
        ["hex", { length: 32 }],
        "arguments of digest must be at most 1, got number 2",
      ],
    ];

    it.each(calls)("%s throws, and the hasher stays as it was", (_, act, args, words) => {
      expectError(() => act(...args), TypeError, `${name}: ${words}`);
      expect(hasher.digest()).toEqual(algorithm("a"));
    });
  }));

const keyed = subjects.filter(({ keyLengths }) => keyLengths.length > 0);

describe.each(keyed)("$name", ({ algorithm, name }) => {
  it.each([
    ["null", null, TypeError, "got null"],
    ["an empty text", "", RangeError, "got 0"],
    ["no bytes", new Uint8Array(), RangeError, "got 0"],
  ])("says of %s as a key that it is left out", (_, key, kind, got) => {
    const message = expectError(() => (algorithm as unknown as Loose)("", { key }), kind, `${name}: key must`, got);
    expect(message).toMatch(/le(ft|ave it) out/);
  });
});

describe("createHash", () => {
  it.each(["outputLength", "length"])("says how to get a length other than the name's, by %s", (option) => {
    const make = () => (createHash as unknown as Loose)("blake2b512", { [option]: 32 });
    expectError(
      make,
      RangeError,
      `blake2b512: ${option} must be 64, got number 32`,
      `createHash("blake2b", { ${option}: 32 })`,
    );
  });
});
