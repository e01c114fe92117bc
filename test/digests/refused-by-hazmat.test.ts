// What hazmat's calls refuse, after which nothing has changed: options, offsets, lengths and values that do not belong,
// and states that are no collector's.

import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { toHex } from "blake-simd";
import {
  chainingValue,
  leftSubtreeLength,
  maxSubtreeLength,
  mergeSubtrees,
  partsOf,
  rootOf,
  rootXof,
  SubtreeCollector,
  SubtreeGroupHasher,
  SubtreeHasher,
} from "blake-simd/hazmat";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { chain, KiB, message } from "../support/parts.ts";
import { build, parse, seal } from "../support/saved-state.ts";
import { counting } from "../vectors/index.js";

type Kind = new (message: string) => Error;

const key = counting(32);

const illegal: [text: string, call: () => unknown, kind: Kind][] = [
  ["offset must be a multiple of 1024, got 5", () => chainingValue("a", { offset: 5 }), RangeError],
  ["got -1024", () => chainingValue("a", { offset: -1024 }), RangeError],
  ["got 18446744073709551616", () => chainingValue("a", { offset: 2n ** 64n }), RangeError],
  ["got a string of length 1", () => chainingValue("a", { offset: "0" as never }), TypeError],
  [
    "offset must be a bigint above 2^53 - 1, got number 9007199254740992",
    () => chainingValue("a", { offset: 2 ** 53 }),
    RangeError,
  ],
  [
    "input must have at most 1024 bytes in a subtree at offset 3072, got 1025",
    () => chainingValue(counting(1025), { offset: 3072 }),
    RangeError,
  ],
  ["got 1026", () => chainingValue("ä".repeat(513), { offset: 1024 }), RangeError],
  ["input must have at least 1 byte in a subtree, got 0", () => chainingValue(""), RangeError],
  ["input must be a string", () => chainingValue(undefined as never), TypeError],
  ['unknown option "length"', () => chainingValue("a", { length: 5 } as never), TypeError],
  ["pass either key or context, not both", () => chainingValue("a", { key: key, context: "" } as never), TypeError],
  ["key must have 32 bytes, got 5", () => chainingValue("a", { key: Buffer.from("short") }), RangeError],
  ["options must be a plain object", () => new SubtreeHasher(5 as never), TypeError],
  ["left must have 32 bytes, got 31", () => mergeSubtrees(counting(31), key), RangeError],
  ["right must have 32 bytes, got 64", () => rootOf(key, counting(64)), RangeError],
  ["left must be a Uint8Array", () => rootXof("left" as never, key), TypeError],
  ["right must be a Uint8Array", () => mergeSubtrees(key, undefined as never), TypeError],
  ['unknown option "offset"', () => mergeSubtrees(key, key, { offset: 0 } as never), TypeError],
  ['"key"', () => rootOf(key, key, {}, { key: 5 } as never), TypeError],
  ["got -1", () => rootOf(key, key, {}, { length: -1 }), RangeError],
  ["length must be more than 1024, one chunk, got 1024", () => leftSubtreeLength(1024), RangeError],
  ["got 18446744073709551616", () => leftSubtreeLength(2n ** 64n), RangeError],
  ["got undefined", () => leftSubtreeLength(undefined as never), TypeError],
  ["got undefined", () => maxSubtreeLength(undefined as never), TypeError],
  ["offset must be a multiple of 1024, got 1000", () => maxSubtreeLength(1000), RangeError],
  ["length must be more than partLength 1024", () => new SubtreeCollector(1024, 1024), RangeError],
  ["use blake3 for an object of one part), got 5", () => new SubtreeCollector(5, 2 ** 20), RangeError],
  ["length must be an integer from 1 to 9007199254740991, got 0", () => partsOf(0, 1024), RangeError],
  ["length must be a number", () => partsOf("5" as never, 1024), TypeError],
  ["length must be a number, got a bigint", () => new SubtreeCollector(5000n as never, 1024), TypeError],
  ["partLength must be a power of 2 from 1024", () => partsOf(5000, 3072), RangeError],
  ["4503599627370496, got 5242880: use 1048576, which divides it", () => partsOf(2 ** 30, 5 * 2 ** 20), RangeError],
  [
    "partLength must be an integer from 1024 to 4503599627370496, got 9007199254740992",
    () => partsOf(5000, 2 ** 53),
    RangeError,
  ],
  ["partLength must be an integer from 1024", () => partsOf(5000, 512), RangeError],
  [
    "partLength must be at least 65536, for at most 16777216 parts",
    () => new SubtreeCollector(2 ** 40, 1024),
    RangeError,
  ],
  ["length must be at most 4096 in a subtree at", () => partsOf(5000, 1024, 4096), RangeError],
  ["offset must be a multiple of 1024, got 5", () => partsOf(500, 1024, 5), RangeError],
  ["offset must be a number", () => partsOf(5000, 1024, "0" as never), TypeError],
  ["offset must be an integer from 0 to 9007199254735991, got -1024", () => partsOf(5000, 1024, -1024), RangeError],
  [
    "offset must be an integer from 0 to 9007199254739967, got 9007199254739968",
    () => partsOf(1024, 1024, 2 ** 53 - 1024),
    RangeError,
  ],
  ['"length"', () => new SubtreeCollector(5000, 1024, { length: 5 } as never), TypeError],
  ["pass either key or context", () => new SubtreeCollector(5000, 1024, { key, context: "" } as never), TypeError],
  ["key must have 32 bytes, got 5", () => new SubtreeCollector(5000, 1024, { key: Buffer.from("short") }), RangeError],
  ["group must be", () => new SubtreeCollector(5000, 1024, { group: 2048 }), RangeError],
  [
    "group must be an integer from 1024 to 1048576, got 2097152",
    () => new SubtreeGroupHasher({ group: 2 ** 21 }),
    RangeError,
  ],
  [
    "group must be a power of 2 from 1024 to 16384, got 3072: use 1024, which divides it",
    () => new SubtreeCollector(30_000, 16_384, { group: 3072 }),
    RangeError,
  ],
  [
    "group must be an integer from 1024 to 16384, got 512",
    () => new SubtreeCollector(30_000, 16_384, { group: 512 }),
    RangeError,
  ],
  ["group must be a number, got undefined", () => new SubtreeGroupHasher({} as never), TypeError],
  [
    "offset must be a multiple of group 2048, got 1024",
    () => new SubtreeGroupHasher({ offset: 1024, group: 2048 }),
    RangeError,
  ],
];

/** What an error names. */
const CALLS =
  /^(chainingValue|leftSubtreeLength|maxSubtreeLength|mergeSubtrees|partsOf|rootOf|rootXof|Subtree(Collector|GroupHasher|Hasher)): /;

it.each(illegal)("refused: %s", (text, call, kind) => {
  expect(call).toThrow(kind);
  expect(call).toThrow(CALLS);
  expect(call).toThrow(text);
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
    ["is another one", (c) => c.set(3072, key), Error, "value must be the one already set for the part at offset 3072"],
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

describe("a saved collector", () => {
  /** Of 20 parts, twelve of which are set. */
  function saved(): Uint8Array {
    const collector = new SubtreeCollector(20_000, KiB);
    for (const part of [...collector.missing].slice(8)) collector.set(part.offset, chain(part));
    return collector.save();
  }

  const change = (edit: (fields: ReturnType<typeof parse>) => void) => {
    const fields = parse(saved());
    edit(fields);
    return build(fields);
  };
  it.each<[string, () => Uint8Array, string]>([
    ["a changed byte", () => saved().fill(7, 80, 81), "got damaged bytes"],
    ["a hasher's", () => seal(Uint8Array.from(saved()).fill(0, 8, 16)), "the name subtrees"],
    ["a short one", () => saved().subarray(0, 60), "bytes"],
    ["a missing value", () => change((f) => (f.state = f.state.slice(0, -32))), "bytes"],
    ["digests of 31 bytes", () => change((f) => (f.digestLength = 31n)), "digest length"],
    ["digests of 64 bytes", () => change((f) => (f.digestLength = 64n)), "digest length"],
    ["parts after the last", () => change((f) => (f.state[2] = 0xff)), "parts after the last"],
    ["a mode that is none", () => change((f) => (f.parameters[32] = 5)), "flags of 0, 16, 64"],
    ["parts of 1000 bytes", () => change((f) => f.parameters.set([0xe8, 3], 56)), "partLength"],
  ])("is refused: %s", (_, changed, text) => {
    expectError(() => SubtreeCollector.restore(changed()), RangeError, text);
  });

  it("is refused if it is cut off anywhere", () => {
    const saved = new SubtreeCollector(5000, 1024).save();
    for (let length = 0; length < saved.length; length++) {
      const restoring = () => SubtreeCollector.restore(saved.subarray(0, length));
      expectError(
        restoring,
        RangeError,
        "SubtreeCollector.restore: ",
        `state must have bytes from ${saved.length} to 9007199254740991, got ${length}`,
      );
    }
  });

  it("is refused if it is no bytes", () => {
    expectError(() => SubtreeCollector.restore("x" as never), TypeError, "state must be a Uint8Array");
  });

  it.each(["no part", "the last part"])("takes memory for what was saved, not for 2^24 parts, with %s set", (set) => {
    const collector = new SubtreeCollector(2 ** 34, KiB);
    if (set !== "no part") collector.set(2 ** 34 - KiB, key);
    const saved = collector.save();
    const before = process.memoryUsage().arrayBuffers;
    const restored = SubtreeCollector.restore(saved);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * saved.length);
    const [first] = restored.missing;
    expect(first).toEqual({ offset: 0, length: KiB });
  });
});
