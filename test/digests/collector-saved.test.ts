// Saved collectors (docs/states.md): they go on where they were, and are refused if anything in them is wrong.
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { toHex } from "blake-simd";
import { type Blake3Mode, SubtreeCollector } from "blake-simd/hazmat";
import { describe, expect, it, vi } from "vitest";
import { expectError } from "../support/errors.ts";
import { chain, KiB, message, shuffled } from "../support/parts.ts";
import { build, parse, seal } from "../support/saved-state.ts";
import { counting } from "../vectors/index.js";

describe("a saved collector", () => {
  const length = 20_000;
  const half = (mode: Blake3Mode = {}) => {
    const collector = new SubtreeCollector(length, KiB, mode);
    for (const part of shuffled(collector.missing).slice(8)) collector.set(part.offset, chain(part, mode));
    return collector;
  };

  it.each([{}, { key: counting(32) }, { context: "x" }] as Blake3Mode[])("goes on in mode %o", (mode) => {
    const before = half(mode);
    const restored = SubtreeCollector.restore(before.save());
    expect([...restored.missing]).toEqual([...before.missing]);
    for (const part of restored.missing) restored.set(part.offset, chain(part, mode));
    const context = "context" in mode && new TextEncoder().encode("x");
    const expected = nobleBlake3(message.subarray(0, length), { ...mode, ...(context && { context }) } as never);
    expect(toHex(restored.digest())).toBe(toHex(expected));
    expect([...before.missing]).toHaveLength(8);
    expect(Buffer.compare(SubtreeCollector.restore(restored.save()).save(), restored.save())).toBe(0);
  });

  it("has the bytes that docs/states.md describes", () => {
    const collector = new SubtreeCollector(5000, 1024, { key: counting(32), offset: 8192 });
    const value = chain({ offset: 9216, length: 1024 }, { key: counting(32) });
    collector.set(9216, value);
    const { name, version, digestLength, parameters, state } = parse(collector.save());
    expect({ name, version, digestLength }).toEqual({ name: "subtrees", version: 1, digestLength: 32n });
    expect(parameters).toHaveLength(72);
    const numbers = new DataView(parameters.buffer, parameters.byteOffset + 40, 32);
    expect([0, 8, 16, 24].map((at) => Number(numbers.getBigUint64(at, true)))).toEqual([8192, 5000, 1024, 0]);
    expect(toHex(parameters.subarray(0, 40))).toBe(`${toHex(counting(32))}1000000000000000`);
    expect(toHex(state)).toBe(`02${toHex(value)}`);
  });

  const change = (edit: (fields: ReturnType<typeof parse>) => void) => {
    const fields = parse(half().save());
    edit(fields);
    return build(fields);
  };
  it.each<[string, () => Uint8Array, string]>([
    ["a changed byte", () => half().save().fill(7, 80, 81), "got damaged bytes"],
    ["a hasher's", () => seal(Uint8Array.from(half().save()).fill(0, 8, 16)), "the name subtrees"],
    ["a short one", () => half().save().subarray(0, 60), "bytes"],
    ["a missing value", () => change((f) => (f.state = f.state.slice(0, -32))), "bytes"],
    ["digests of 31 bytes", () => change((f) => (f.digestLength = 31n)), "digest length"],
    ["digests of 64 bytes", () => change((f) => (f.digestLength = 64n)), "digest length"],
    ["parts after the last", () => change((f) => (f.state[2] = 0xff)), "parts after the last"],
    ["a mode that is none", () => change((f) => (f.parameters[32] = 5)), "a mode of 0, 16, 64"],
    ["a plain mode with a key", () => change((f) => (f.parameters[0] = 5)), "the IV as key"],
    ["parts of 1000 bytes", () => change((f) => f.parameters.set([0xe8, 3], 56)), "partLength"],
  ])("is refused: %s", (_, saved, text) => {
    expectError(() => SubtreeCollector.restore(saved()), RangeError, text);
  });

  // The bits of the parts end in the middle of a byte, or with it.
  it.each([7, 8, 9, 15, 16, 17, 72])("of %i parts, all or some of which are set, goes on", (count) => {
    const value = new Uint8Array(32).fill(255);
    for (const set of [1, count >> 1, count - 1, count]) {
      const collector = new SubtreeCollector(count * KiB, KiB);
      for (let i = 0; i < set; i++) collector.set(i * KiB, value);
      const restored = SubtreeCollector.restore(collector.save());
      expect([...restored.missing]).toEqual([...collector.missing]);
      expect([...restored.missing]).toHaveLength(count - set);
      for (let i = set; i < count; i++) restored.set(i * KiB, value);
      for (let i = set; i < count; i++) collector.set(i * KiB, value);
      expect(toHex(restored.digest())).toBe(toHex(collector.digest()));
    }
  });

  it("leaves no key in memory if it is refused", () => {
    const key = counting(32);
    const saved = parse(half({ key }).save());
    saved.state[2] = 0xff;
    const wrong = build(saved);
    const written: Uint8Array[] = [];
    const { set } = Uint8Array.prototype;
    const sets = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array, "set");
    sets.mockImplementation(function (this: Uint8Array, source, at) {
      if (Buffer.from(source as Uint8Array).includes(Buffer.from(key))) written.push(this);
      set.call(this, source, at);
    });
    expectError(() => SubtreeCollector.restore(wrong), RangeError, "parts after the last");
    sets.mockRestore();
    expect(written.length).toBeGreaterThan(0);
    for (const bytes of written) expect(bytes.every((byte) => byte === 0)).toBe(true);
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
});
