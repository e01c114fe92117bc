// Subtrees: against the Rust crate's, and put together again against the digest of the whole; and the shape of the
// tree, up to lengths that no message in a test has.
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { type Blake3Options, blake3, toHex } from "blake-simd";
import {
  type Blake3Mode,
  chainingValue,
  leftSubtreeLength,
  maxSubtreeLength,
  mergeSubtrees,
  rootOf,
  rootXof,
  SubtreeGroupHasher,
  SubtreeHasher,
} from "blake-simd/hazmat";
import { describe, expect, it } from "vitest";
import { leftLeaves, leftLength } from "../../js/tree/geometry.ts";
import { eachBackend } from "../support/backends.ts";
import { bytes, counting, vectors } from "../vectors/index.js";

const { subtrees, merges, leftSizes, longestSubtrees, modes } = vectors("blake3");
const KiB = 1024;
const message = counting(4 * KiB * KiB + 1);

/** The whole tree, from chunks up, each node by a call of its own. */
function chainOf(from: number, to: number, mode: Blake3Mode, leaf: number): Uint8Array {
  if (to - from <= leaf) return chainingValue(message.subarray(from, to), { offset: from, ...mode });
  const middle = from + leftSubtreeLength(to - from);
  return mergeSubtrees(chainOf(from, middle, mode, leaf), chainOf(middle, to, mode, leaf), mode);
}

function halves(length: number, mode: Blake3Mode, leaf: number): [left: Uint8Array, right: Uint8Array] {
  const middle = leftSubtreeLength(length);
  return [chainOf(0, middle, mode, leaf), chainOf(middle, length, mode, leaf)];
}
eachBackend(() => {
  it.each(subtrees)("chains $input bytes at $offset in mode $mode as Rust does", (subtree) => {
    const { mode, offset, input } = subtree;
    expect(toHex(chainingValue(counting(input), { offset, ...modes[mode] }))).toBe(subtree.chainingValue);
  });

  it.each(merges)("merges as Rust does in mode $mode", ({ mode, left, right, parent, root }) => {
    const pair = [bytes(left), bytes(right), modes[mode]] as const;
    expect(toHex(mergeSubtrees(...pair))).toBe(parent);
    expect(toHex(rootOf(...pair, { length: root.length / 2 }))).toBe(root);
    expect(toHex(rootOf(...pair))).toBe(root.slice(0, 64));
    const xof = rootXof(...pair);
    xof.position = 50;
    expect(toHex(xof.read(root.length / 2 - 50))).toBe(root.slice(100));
  });

  it("gives the digest of messages around every power of two, by subtrees of several sizes", () => {
    const around = Array.from({ length: 11 }, (_, i) => (2 * KiB) << i).flatMap((n) => [n - 1, n, n + 1]);
    for (const length of [KiB + 1, ...around, 3 * KiB, 5000, 100_000, 1_000_000]) {
      const digest = toHex(blake3(message.subarray(0, length)));
      for (const leaf of [64 * KiB, 1024 * KiB]) {
        expect(toHex(rootOf(...halves(length, {}, leaf))), `${length} bytes by ${leaf}`).toBe(digest);
      }
    }
    for (const length of [KiB + 1, 2 * KiB, 5000, 16 * KiB + 1, 50_000]) {
      expect(toHex(rootOf(...halves(length, {}, KiB)))).toBe(toHex(nobleBlake3(message.subarray(0, length))));
    }
  });

  it("gives the digest in every mode and of any length", () => {
    for (const mode of [{ key: counting(32) }, { context: "blake-simd 2026 test" }] as Blake3Options[]) {
      const pair = halves(30_000, mode, 4 * KiB);
      expect(toHex(rootOf(...pair, mode))).toBe(toHex(blake3(message.subarray(0, 30_000), mode)));
      const long = blake3(message.subarray(0, 30_000), { ...mode, length: 20_000 });
      expect(Buffer.compare(rootOf(...pair, mode, { length: 20_000 }), long)).toBe(0);
      expect(Buffer.compare(rootXof(...pair, mode).read(20_000), long)).toBe(0);
      expect(rootOf(...pair, mode, { length: 0 })).toEqual(new Uint8Array(0));
    }
  });

  it("chains a subtree that comes in pieces, between other work", () => {
    const whole = toHex(chainingValue(message.subarray(0, 300_000), { offset: 2 ** 30 }));
    for (const step of [100, 1000, 1024, 5000, 65_536, 70_000]) {
      const subtree = new SubtreeHasher({ offset: 2n ** 30n });
      for (let at = 0; at < 300_000; at += step) {
        subtree.update(message.subarray(at, Math.min(at + step, 300_000)));
        if (at % 7 === 0) subtree.chainingValue();
        if (at < 10_000) blake3.create().update("another").digest();
      }
      expect(subtree.bytesHashed).toBe(300_000n);
      expect(toHex(subtree.chainingValue())).toBe(whole);
      subtree.dispose();
    }
  });

  it("takes what a hash takes", () => {
    const value = toHex(chainingValue(counting(4), { offset: 1024 }));
    expect(toHex(chainingValue("\u0000\u0001\u0002\u0003", { offset: 1024n }))).toBe(value);
    expect(toHex(chainingValue(counting(4).buffer, { offset: 1024 }))).toBe(value);
    expect(toHex(chainingValue(new DataView(counting(4).buffer), { offset: 1024 }))).toBe(value);
  });

  it("leaves a hasher alone", () => {
    const hasher = blake3.create().update("abc");
    chainOf(0, 5000, { key: counting(32) }, KiB);
    rootOf(...halves(3000, { context: "x" }, KiB), { context: "x" });
    expect(hasher.update("def").digest("hex")).toBe(toHex(nobleBlake3(Buffer.from("abcdef"))));
  });
});

describe("the shape of the tree", () => {
  it("splits as Rust does", () => {
    for (const { size, leftSize } of leftSizes) {
      expect(leftSubtreeLength(size)).toBe(leftSize);
      if (size <= Number.MAX_SAFE_INTEGER) expect(leftSubtreeLength(Number(size))).toBe(Number(leftSize));
    }
  });

  it("has the limits of Rust's", () => {
    for (const { offset, longest } of longestSubtrees) {
      expect(maxSubtreeLength(offset)).toBe(longest || undefined);
      if (offset <= Number.MAX_SAFE_INTEGER)
        expect(maxSubtreeLength(Number(offset))).toBe(Number(longest) || undefined);
    }
  });
});

it.each([
  ["SubtreeHasher", () => new SubtreeHasher()],
  ["SubtreeGroupHasher", () => new SubtreeGroupHasher({ group: KiB })],
])("a %s says first that it has been disposed of, whatever it is given", (name, make) => {
  const [hasher, other] = [make().update("a"), make().update("a")];
  hasher.dispose();
  for (const [member, use] of [
    ["update", () => hasher.update(5 as never)],
    ["chainingValue", () => hasher.chainingValue()],
    ["groupValues", () => (hasher as SubtreeGroupHasher).groupValues()],
    ["bytesHashed", () => hasher.bytesHashed],
  ] as const) {
    if (member in other) expect(use).toThrow(new Error(`${name}.${member}: the hasher was disposed`));
  }
  expect(other.chainingValue()).toEqual(chainingValue("a"));
});

it("uses the same kernel after any call", () => {
  const { Instance } = WebAssembly;
  const subtree = new SubtreeHasher({ key: counting(32) }).update("a");
  const value = chainingValue(counting(KiB), { key: counting(32) });
  let made = 0;
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      made++;
    }
  };
  try {
    for (const use of [
      () => subtree.chainingValue(),
      () => mergeSubtrees(value, value.slice()),
      () => rootOf(value, value.slice()),
      () => rootXof(value, value.slice()),
      () => expect(() => chainingValue("")).toThrow(RangeError),
    ]) {
      use();
      subtree.update("b");
      chainingValue("c");
    }
  } finally {
    WebAssembly.Instance = Instance;
  }
  expect(made).toBe(0);
  expect(subtree.bytesHashed).toBe(6n);
});

it.each([
  ["SubtreeHasher", () => new SubtreeHasher({ offset: 3 * KiB })],
  ["SubtreeGroupHasher", () => new SubtreeGroupHasher({ offset: 3 * KiB, group: KiB })],
])("a %s is unchanged after it refuses input", (name, make) => {
  expect(() => make().chainingValue()).toThrow(`${name}.chainingValue: input must have at least 1 byte`);
  const hasher = make().update(counting(1000));
  expect(() => hasher.update(counting(25))).toThrow(new RegExp(`^${name}.update: input must have at most 1024 bytes`));
  expect(hasher.update(counting(24)).bytesHashed).toBe(1024n);
  const bytes = Buffer.concat([counting(1000), counting(24)]);
  expect(toHex(hasher.chainingValue())).toBe(toHex(chainingValue(bytes, { offset: 3072 })));
});

it("keeps nothing of a value that it returned: bytes are merged wherever they are from", () => {
  const at = (offset: number, length = KiB) => chainingValue(counting(length), { offset });
  const [first, second] = [mergeSubtrees(at(0), at(KiB)), mergeSubtrees(at(2 * KiB), at(3 * KiB))];
  const digest = toHex(nobleBlake3(Buffer.concat(Array(4).fill(counting(KiB)))));
  expect(toHex(rootOf(first, second))).toBe(digest);
  expect(toHex(rootOf(first.slice(), second.slice()))).toBe(digest);
  for (const [left, right] of [
    [second, first],
    [first, at(4 * KiB)],
    [at(0, 1000), at(KiB)],
  ] as const) {
    expect(toHex(rootOf(left, right))).toBe(toHex(rootOf(left.slice(), right.slice())));
    expect(toHex(rootOf(left, right))).not.toBe(digest);
    expect(toHex(mergeSubtrees(left, right))).toBe(toHex(mergeSubtrees(left.slice(), right.slice())));
  }
});

it("the left subtree has the largest power of 2 that leaves some for the right one", () => {
  for (let leaves = 2; leaves < 300; leaves++) {
    const half = leftLeaves(leaves);
    expect([Number.isInteger(Math.log2(half)), half < leaves, 2 * half >= leaves]).toEqual([true, true, true]);
  }
  for (const bits of [31, 32, 43, 52]) {
    expect([leftLeaves(2 ** bits), leftLeaves(2 ** bits + 1)]).toEqual([2 ** (bits - 1), 2 ** bits]);
  }
  expect([leftLength(2n ** 64n), leftLength(2n ** 64n - 1n), leftLength(1025n)]).toEqual([2n ** 63n, 2n ** 63n, 1024n]);
});
