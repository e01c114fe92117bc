// SubtreeGroupHasher and the values of groups, of which a collector makes an outboard.
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { toHex } from "blake-simd";
import { outboard, outboardOfGroups } from "blake-simd/bao";
import { type Blake3Mode, chainingValue, partsOf, SubtreeCollector, SubtreeGroupHasher } from "blake-simd/hazmat";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { chain, KiB, message, shuffled, take } from "../support/parts.ts";
import { counting } from "../vectors/index.js";

describe("group values", () => {
  const length = 150_000;
  const options = { group: 4 * KiB };

  function collectGroups(mode: Blake3Mode = {}): SubtreeCollector {
    const collector = new SubtreeCollector(length, 16 * KiB, { ...options, ...mode });
    for (const part of shuffled(collector.missing)) {
      const hasher = new SubtreeGroupHasher({ offset: part.offset, ...options, ...mode });
      const bytes = take(part);
      for (let at = 0; at < bytes.length; at += 3000) hasher.update(bytes.subarray(at, at + 3000));
      expect(hasher.bytesHashed).toBe(BigInt(part.length));
      expect(toHex(hasher.chainingValue())).toBe(toHex(chain(part, mode)));
      collector.set(part.offset, hasher.chainingValue(), hasher.groupValues());
      hasher.dispose();
      expectError(() => hasher.update("x"), Error, "SubtreeGroupHasher.update");
    }
    return collector;
  }

  it("are those of all groups of the object, in their order", () => {
    const collector = collectGroups();
    expect(toHex(collector.digest())).toBe(toHex(nobleBlake3(message.subarray(0, length))));
    const values = [...partsOf(length, 4 * KiB)].map((part) => toHex(chain(part)));
    expect(toHex(collector.groupValues())).toBe(values.join(""));
    expect(toHex(SubtreeCollector.restore(collector.save()).groupValues())).toBe(values.join(""));
  });

  it.each([1, 32, 64, 128, 1024])("are right for groups of %i KiB, in updates of any length", (kib) => {
    const [group, length] = [kib * KiB, 2_300_001];
    const bytes = counting(length);
    const digest = toHex(nobleBlake3(bytes));
    for (const step of [9_999, 64 * KiB, 100_000, 1_100_000]) {
      const hasher = new SubtreeGroupHasher({ group });
      for (let at = 0; at < length; at += step) {
        hasher.update(bytes.subarray(at, at + step));
        if (at > length / 2)
          expect(hasher.groupValues()).toHaveLength(32 * Math.ceil(Number(hasher.bytesHashed) / group));
      }
      const values = hasher.groupValues();
      const collector = new SubtreeCollector(length, group);
      for (const [i, { offset }] of [...collector.missing].entries()) {
        collector.set(offset, values.subarray(32 * i, 32 * i + 32));
      }
      expect(toHex(collector.digest())).toBe(digest);
      expect(toHex(hasher.chainingValue())).toBe(toHex(collector.chainingValue()));
    }
  });

  it("are checked against the part's value", () => {
    const key = counting(32);
    expect(toHex(collectGroups({ key }).digest())).toBe(toHex(nobleBlake3(message.subarray(0, length), { key })));
    const collector = new SubtreeCollector(length, 16 * KiB, options);
    const hasher = new SubtreeGroupHasher({ ...options }).update(message.subarray(0, 16 * KiB));
    const values = hasher.groupValues();
    values[40] = values[40]! ^ 1;
    expectError(
      () => collector.set(0, hasher.chainingValue(), values),
      RangeError,
      "groupValues must be those of the part's value",
    );
    expectError(() => collector.set(0, hasher.chainingValue()), TypeError, "groupValues must be a Uint8Array");
    expectError(() => collector.set(0, hasher.chainingValue(), values.subarray(32)), RangeError, "must have 128 bytes");
    expect([...collector.missing]).toHaveLength(10);
  });

  // The kernel merges 2048 values at a time, or makes their parents.
  it("of as many groups as the kernel takes at a time, or more, make the part's value and the outboard", () => {
    const group = KiB;
    const content = Buffer.alloc(4097 * KiB, counting(251));
    const hasher = new SubtreeGroupHasher({ group });
    for (const groups of [2047, 2048, 2049, 4096, 4097]) {
      const length = groups * KiB;
      const bytes = content.subarray(0, length);
      hasher.update(bytes.subarray(Number(hasher.bytesHashed)));
      expect(toHex(hasher.chainingValue())).toBe(toHex(chainingValue(bytes)));
      const tree = outboard(bytes, { group });
      const made = outboardOfGroups(hasher.groupValues(), { root: tree.root, length, group });
      // The bytes of these are held against bao-tree's.
      expect(Buffer.compare(made.toBytes(), tree.toBytes())).toBe(0);
      if (groups === 2049) expect(toHex(made.root)).toBe(toHex(nobleBlake3(bytes)));
    }
  });

  it("make the outboard of the object, of every shape", () => {
    for (const [length, partLength, group] of [
      [1025, KiB, KiB],
      [5 * KiB, 2 * KiB, KiB],
      [16 * KiB + 1, 16 * KiB, 4 * KiB],
      [150_000, 16 * KiB, 16 * KiB],
      [150_000, 64 * KiB, 4 * KiB],
      [message.length, 8 * KiB, KiB],
    ] as const) {
      const content = message.subarray(0, length);
      const collector = new SubtreeCollector(length, partLength, { group });
      for (const part of shuffled(collector.missing)) {
        const hasher = new SubtreeGroupHasher({ offset: part.offset, group }).update(take(part));
        collector.set(part.offset, hasher.chainingValue(), hasher.groupValues());
      }
      const root = toHex(nobleBlake3(content));
      const tree = outboardOfGroups(collector.groupValues(), { root, length, group });
      tree.check();
      // The bytes of these are held against bao-tree's.
      expect(toHex(tree.toBytes())).toBe(toHex(outboard(content, { group }).toBytes()));
      expect({ length: tree.length, group: tree.group, root: toHex(tree.root) }).toEqual({ length, group, root });
    }
  });

  it("make no outboard of another root, length or group", () => {
    const values = collectGroups().groupValues();
    const root = nobleBlake3(message.subarray(0, length));
    const options = { root, length, group: 4 * KiB };
    expectError(
      () => outboardOfGroups(values, { ...options, length: 4096 }),
      RangeError,
      "length must be more than one",
    );
    expectError(
      () => outboardOfGroups(values.subarray(32), options),
      RangeError,
      "values must have 1184 bytes, got 1152",
    );
    expectError(
      () => outboardOfGroups(values, { ...options, group: 8 * KiB }),
      RangeError,
      "values must have 608 bytes",
    );
    expectError(() => outboardOfGroups("x" as never, options), TypeError, "values must be");
    expectError(() => outboardOfGroups(values, { ...options, size: 5 } as never), TypeError, '"size"');
    const keyed = collectGroups({ key: counting(32) }).groupValues();
    const error = expect.objectContaining({ name: "IntegrityError", reason: "node", offset: 0 });
    expect(() => outboardOfGroups(keyed, options)).toThrow(error);
    expect(() => outboardOfGroups(values, { ...options, root: counting(32) })).toThrow(error);
    outboardOfGroups(values, options).check();
  });
});
