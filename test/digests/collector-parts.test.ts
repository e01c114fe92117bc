// What a collector consists of, each by itself: the set of parts, the values, the saved form; and the stack of subtrees.
import { describe, expect, it } from "vitest";
import { PartValues } from "../../js/subtrees/part-values.ts";
import { divide, hasBit, PartSet, RUN, requireNoneAfter } from "../../js/subtrees/parts.ts";
import { readSaved, toSaved } from "../../js/subtrees/saved-collector.ts";
import { leftLeaves, leftLength, SubtreeStack } from "../../js/tree/geometry.ts";
import { KiB } from "../support/parts.ts";
import { PLAIN, parentValue } from "../support/specification.ts";

const value = (i: number) => new Uint8Array(32).fill(i + 1);

/** The value over leaves, by the definition of the tree. */
function valueOver(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 1) return leaves[0]!;
  const half = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);
  return parentValue(PLAIN, valueOver(leaves.slice(0, half)), valueOver(leaves.slice(half)));
}

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

it("a stack of subtrees merges those of any lengths that make up a message, the root excepted", () => {
  for (const lengths of [[1], [2, 1], [2, 1, 1, 4, 8, 1], [1, 1, 1, 1], [4, 4, 4, 2, 1], [1, 1, 2, 4, 8, 16, 2]]) {
    const leaves = Array.from({ length: lengths.reduce((sum, length) => sum + length, 0) }, (_, i) => value(i));
    const stack = new SubtreeStack((left, right) => parentValue(PLAIN, left, right));
    let at = 0;
    for (const length of lengths) {
      const own = leaves.slice(at, at + length);
      stack.push(length, () => valueOver(own));
      at += length;
    }
    const values = stack.finish();
    expect(values).toHaveLength(Math.min(leaves.length, 2));
    expect(valueOver(values), lengths.join()).toEqual(valueOver(leaves));
  }
});

describe("a set of parts", () => {
  it("has what was added, and knows the last of each run", () => {
    const count = RUN + 3;
    const set = new PartSet(count);
    const order = Array.from({ length: count }, (_, i) => (i * 11) % count);
    for (const [i, index] of order.entries()) {
      const others = order.slice(0, i).filter((other) => Math.floor(other / RUN) === Math.floor(index / RUN));
      expect(set.completesRun(index)).toBe(others.length === (index < RUN ? RUN - 1 : 2));
      expect([set.has(index), set.missing]).toEqual([false, count - i]);
      set.add(index);
      expect([set.has(index), hasBit(set.bits, index)]).toEqual([true, true]);
    }
    expect(set.missing).toBe(0);
  });

  it("has no bits after the last part", () => {
    expect(() => requireNoneAfter("test", Uint8Array.of(0xff, 0x07), 11)).not.toThrow();
    expect(() => requireNoneAfter("test", Uint8Array.of(0xff, 0x08), 11)).toThrow("parts after the last");
    expect(() => requireNoneAfter("test", Uint8Array.of(0xff), 8)).not.toThrow();
  });
});

it("values are merged by runs, and halves are those of the root", () => {
  const mode = new Uint8Array(36);
  new Uint32Array(mode.buffer).set(PLAIN.key);
  for (const count of [2, 3, RUN, RUN + 1, 2 * RUN + 5]) {
    const leaves = Array.from({ length: count }, (_, i) => value(i % 250));
    const values = new PartValues("test", divide("test", count * KiB, KiB, 0), undefined, mode);
    for (const [i, leaf] of leaves.entries()) {
      values.put("test", i, leaf, new Uint8Array(), (i + 1) % RUN === 0 || i + 1 === count);
    }
    expect(values.all()).toEqual(valueOver(leaves));
    expect(values.withHalves(([left, right]) => parentValue(PLAIN, left, right))).toEqual(valueOver(leaves));
    values.wipe();
    expect(values.of(0)).toEqual(new Uint8Array(32));
  }
});

it("the saved form gives back what was saved, and wipes its copy", () => {
  const mode = new Uint8Array(36).fill(9, 0, 32);
  mode[32] = 16;
  const shape = { mode, offset: 8 * KiB, length: 3 * KiB, partLength: KiB, group: undefined };
  const saved = toSaved(shape, [Uint8Array.of(4), value(2)]);
  const seen: Uint8Array[] = [];
  readSaved("test", saved, (own, values) => {
    expect(own).toEqual(shape);
    expect(values).toEqual(Uint8Array.of(4, ...value(2)));
    seen.push(own.mode, values);
  });
  for (const bytes of seen) expect(bytes.every((byte) => byte === 0)).toBe(true);
});
