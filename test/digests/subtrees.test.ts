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
import { describe, expect, it, vi } from "vitest";
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

it.each([
  ["SubtreeHasher", () => new SubtreeHasher()],
  ["SubtreeGroupHasher", () => new SubtreeGroupHasher({ group: KiB })],
])("a %s that is interrupted anywhere in an update is as before, or refuses to go on", (name, make) => {
  const [first, second] = [counting(1000), counting(70_000)];
  const values = [first, Buffer.concat([first, second])].map((bytes) => toHex(chainingValue(bytes)));
  const trouble = new Error("interrupted");
  const { set } = Uint8Array.prototype;
  const outcomes = new Set<string>();
  for (let calls = 0; !outcomes.has("complete"); calls++) {
    const [hasher, beside] = [make().update(first), make().update(first)];
    let left = calls;
    const sets = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array, "set");
    sets.mockImplementation(function (this: Uint8Array, source, at) {
      if (left-- === 0) throw trouble;
      set.call(this, source, at);
    });
    let error: unknown;
    try {
      hasher.update(second);
    } catch (reason) {
      error = reason;
    }
    sets.mockRestore();
    expect(toHex(beside.update(second).chainingValue())).toBe(values[1]);
    if (error === undefined) {
      outcomes.add("complete");
      expect(toHex(hasher.chainingValue())).toBe(values[1]);
      continue;
    }
    expect(error).toBe(trouble);
    let value: Uint8Array | undefined;
    try {
      value = hasher.chainingValue();
    } catch {}
    outcomes.add(value ? "as before" : "refused");
    if (value) expect(toHex(value)).toBe(values[0]);
    else {
      for (const [method, act] of [
        ["update", () => hasher.update("a")],
        ["bytesHashed", () => hasher.bytesHashed],
        ["chainingValue", () => hasher.chainingValue()],
      ] as const) {
        expect(act).toThrow(new Error(`${name}.${method}: an update of the hasher was interrupted`));
      }
    }
    hasher.dispose();
  }
  expect([...outcomes].sort()).toEqual(["as before", "complete", "refused"]);
});
