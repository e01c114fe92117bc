// What SubtreeCollector refuses: options, offsets and values that do not belong, after which nothing has changed.
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { toHex } from "blake-simd";
import { partsOf, SubtreeCollector, SubtreeGroupHasher } from "blake-simd/hazmat";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { chain, KiB, message } from "../support/parts.ts";
import { counting } from "../vectors/index.js";

const illegal: [what: string, call: () => unknown, kind: ErrorConstructor | RangeErrorConstructor, text: string][] = [
  [
    "an object of one part",
    () => new SubtreeCollector(1024, 1024),
    RangeError,
    "length must be more than partLength 1024",
  ],
  [
    "a short object",
    () => new SubtreeCollector(5, 2 ** 20),
    RangeError,
    "use blake3 for an object of one part), got 5",
  ],
  [
    "an empty object",
    () => partsOf(0, 1024),
    RangeError,
    "length must be an integer from 1 to 9007199254740991, got 0",
  ],
  ["a length that is none", () => partsOf("5" as never, 1024), TypeError, "length must be a number"],
  ["a bigint", () => new SubtreeCollector(5000n as never, 1024), TypeError, "length must be a number, got a bigint"],
  ["parts of no power of 2", () => partsOf(5000, 3072), RangeError, "partLength must be a power of 2 from 1024"],
  [
    "parts of 2^53 bytes",
    () => partsOf(5000, 2 ** 53),
    RangeError,
    "partLength must be an integer from 1024 to 4503599627370496, got 9007199254740992",
  ],
  ["parts of less than a chunk", () => partsOf(5000, 512), RangeError, "partLength must be an integer from 1024"],
  [
    "too many parts",
    () => new SubtreeCollector(2 ** 40, 1024),
    RangeError,
    "partLength must be at least 65536, for at most 16777216 parts",
  ],
  [
    "an offset of no subtree",
    () => partsOf(5000, 1024, 4096),
    RangeError,
    "length must be at most 4096 in a subtree at",
  ],
  ["an unaligned offset", () => partsOf(500, 1024, 5), RangeError, "offset must be a multiple of 1024, got 5"],
  ["an offset that is none", () => partsOf(5000, 1024, "0" as never), TypeError, "offset must be a number"],
  [
    "an offset before 0",
    () => partsOf(5000, 1024, -1024),
    RangeError,
    "offset must be an integer from 0 to 9007199254735991, got -1024",
  ],
  [
    "an end beyond 2^53 - 1",
    () => partsOf(1024, 1024, 2 ** 53 - 1024),
    RangeError,
    "offset must be an integer from 0 to 9007199254739967, got 9007199254739968",
  ],
  ["an unknown option", () => new SubtreeCollector(5000, 1024, { length: 5 } as never), TypeError, '"length"'],
  [
    "two modes",
    () => new SubtreeCollector(5000, 1024, { key: counting(32), context: "" }),
    TypeError,
    "pass either key or context",
  ],
  [
    "a short key",
    () => new SubtreeCollector(5000, 1024, { key: Buffer.from("short") }),
    RangeError,
    "key must have 32 bytes, got 5",
  ],
  ["a group above a part", () => new SubtreeCollector(5000, 1024, { group: 2048 }), RangeError, "group must be"],
  [
    "a group above 1 MiB",
    () => new SubtreeGroupHasher({ group: 2 ** 21 }),
    RangeError,
    "group must be an integer from 1024 to 1048576, got 2097152",
  ],
  ["no group", () => new SubtreeGroupHasher({} as never), TypeError, "group must be a number, got undefined"],
  [
    "a group that begins elsewhere",
    () => new SubtreeGroupHasher({ offset: 1024, group: 2048 }),
    RangeError,
    "offset must be a multiple of group 2048, got 1024",
  ],
];

it("an offset may be a bigint, and nothing else that is no number", () => {
  const collector = new SubtreeCollector(5000, KiB, { offset: 8192n });
  expect([...collector.missing].map(({ offset }) => offset)).toEqual([8192, 9216, 10_240, 11_264, 12_288]);
  expectError(() => new SubtreeCollector(5000, KiB, { offset: "8192" as never }), TypeError, "offset must be a number");
});

it.each(illegal)("refuses %s", (_, call, kind, text) => {
  expect(call).toThrow(/^(partsOf|SubtreeCollector|SubtreeGroupHasher)(\.\w+)?: /);
  expectError(call, kind, text);
});

describe("a value that does not belong", () => {
  const length = 5000;
  const at = (offset: number) => chain({ offset, length: Math.min(KiB, length - offset) });

  it.each<[string, (collector: SubtreeCollector) => unknown, ErrorConstructor | RangeErrorConstructor, string]>([
    ["is at no part's offset", (c) => c.set(100, at(0)), RangeError, "from 0 to 4096 in steps of 1024, got 100"],
    ["is after the last part", (c) => c.set(5120, at(0)), RangeError, "offset must be that of a part"],
    ["is at a negative offset", (c) => c.set(-1024, at(0)), RangeError, "offset must be an integer from 0"],
    ["is at no number", (c) => c.set("0" as never, at(0)), TypeError, "offset must be a number"],
    ["is no bytes", (c) => c.set(0, "0" as never), TypeError, "value must be a Uint8Array"],
    ["is short", (c) => c.set(0, at(0).subarray(1)), RangeError, "value must have 32 bytes, got 31"],
    [
      "is another one",
      (c) => c.set(3072, counting(32)),
      Error,
      "value must be the one already set for the part at offset 3072",
    ],
    ["has groups", (c) => c.set(0, at(0), at(0)), TypeError, "groupValues must be undefined without the option group"],
  ])("%s: it is refused, and nothing changes", (_, set, kind, text) => {
    const collector = new SubtreeCollector(length, KiB).set(3072, at(3072));
    expectError(() => set(collector), kind, "SubtreeCollector.set: ", text);
    expect([...collector.missing].map(({ offset }) => offset)).toEqual([0, 1024, 2048, 4096]);
    for (const { offset } of collector.missing) collector.set(offset, at(offset));
    expect(toHex(collector.digest())).toBe(toHex(nobleBlake3(message.subarray(0, length))));
  });

  it("is refused after another for the same part, whichever byte is the other", () => {
    const value = at(0);
    const collector = new SubtreeCollector(length, KiB).set(0, value);
    for (let i = 0; i < 32; i++) {
      const other = value.slice();
      other[i] = other[i]! ^ 1;
      expectError(() => collector.set(0, other), Error, "value must be the one already set for the part at offset 0");
    }
  });

  it("changes nothing if the caller's array changes afterwards", () => {
    const collector = new SubtreeCollector(length, KiB);
    for (const { offset } of partsOf(length, KiB)) {
      const value = at(offset);
      collector.set(offset, value);
      value.fill(0);
    }
    expect(toHex(collector.digest())).toBe(toHex(nobleBlake3(message.subarray(0, length))));
  });
});
