// Chaining values of an object's parts, collected in any order and merged to the digest that independent code has for
// it; collectors that are saved and go on (docs/states.md).

import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake3, toHex } from "blake-simd";
import { type Blake3Mode, chainingValue, partsOf, SubtreeCollector, SubtreeHasher } from "blake-simd/hazmat";
import { describe, expect, it, vi } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectError } from "../support/errors.ts";
import { chain, collect, KiB, message, shuffled } from "../support/parts.ts";
import { build, parse } from "../support/saved-state.ts";
import { expectedPrefixes, subjects } from "../support/subjects.ts";
import { counting, vectors } from "../vectors/index.js";

const key = counting(32);
const nobleHex = (length: number, options = {}) => toHex(nobleBlake3(message.subarray(0, length), options));
const offsetsOf = (parts: Iterable<{ offset: number }>) => [...parts].map(({ offset }) => offset);

eachBackend(() => {
  it("has noble's digest, whatever the parts' length and number", () => {
    for (const length of [1025, 2048, 2049, 5000, 16 * KiB, 16 * KiB + 1, 65 * KiB - 1, message.length]) {
      const digest = toHex(nobleBlake3(message.subarray(0, length)));
      for (let partLength = KiB; partLength < length; partLength *= 4) {
        expect(toHex(collect(length, partLength).digest()), `${length} bytes by ${partLength}`).toBe(digest);
      }
    }
  });

  it("has noble's digest in every mode and of any length, and its output from any place", () => {
    const context = "blake-simd 2026 test";
    for (const [mode, options] of [
      [{ key }, { key }],
      [{ context }, { context: new TextEncoder().encode(context) }],
    ] as const) {
      const collector = collect(50_000, 4 * KiB, mode);
      const long = nobleBlake3(message.subarray(0, 50_000), { ...options, dkLen: 1000 });
      expect(toHex(collector.digest({ length: 1000 }))).toBe(toHex(long));
      expect(collector.digest({ length: 0 })).toHaveLength(0);
      const xof = collector.xof();
      xof.position = 900n;
      expect(toHex(xof.read(100))).toBe(toHex(long.slice(900)));
    }
  });

  it("chains a subtree as Rust does", () => {
    const { modes, subtrees } = vectors("blake3");
    const whole = subtrees.filter(({ input, offset }) => input > KiB && offset % BigInt(KiB) === 0n);
    expect(whole.length).toBeGreaterThan(3);
    for (const { mode, offset, input, chainingValue: expected } of whole) {
      if (offset > BigInt(Number.MAX_SAFE_INTEGER - input)) continue;
      const options = { offset: Number(offset), ...modes[mode] };
      const collector = new SubtreeCollector(input, input > 4 * KiB ? 2 * KiB : KiB, options);
      const bytes = counting(input);
      for (const part of shuffled(collector.missing)) {
        const from = part.offset - Number(offset);
        const value = chainingValue(bytes.subarray(from, from + part.length), { ...options, offset: part.offset });
        collector.set(part.offset, value);
      }
      expect(toHex(collector.chainingValue()), `${input} bytes at ${offset}`).toBe(expected);
    }
  });

  it("makes two levels: subtrees of parts, then the whole of subtrees", () => {
    const digest = toHex(nobleBlake3(message));
    const whole = new SubtreeCollector(message.length, 32 * KiB);
    for (const { offset, length } of shuffled(partsOf(message.length, 32 * KiB))) {
      const middle = new SubtreeCollector(length, 2 * KiB, { offset });
      for (const part of shuffled(partsOf(length, 2 * KiB, offset))) middle.set(part.offset, chain(part));
      whole.set(offset, middle.chainingValue());
      if (offset === 0) continue;
      expectError(
        () => middle.digest(),
        RangeError,
        "SubtreeCollector.digest: collector must be at offset 0",
        `${offset}`,
      );
    }
    expect(toHex(whole.digest())).toBe(digest);
  });

  it("computes beside hashers and pools' kernels that are in the middle of their messages", () => {
    const hasher = blake3.create({ key }).update("abc");
    const subtree = new SubtreeHasher({ offset: 4 * KiB }).update(message.subarray(4 * KiB, 5 * KiB));
    const other = collect(9000, KiB, { key });
    const collector = collect(9000, KiB);
    expect(toHex(collector.digest())).toBe(toHex(nobleBlake3(message.subarray(0, 9000))));
    subtree.update(message.subarray(5 * KiB, 6 * KiB));
    expect(toHex(subtree.chainingValue())).toBe(toHex(chain({ offset: 4 * KiB, length: 2 * KiB })));
    const keyed = toHex(nobleBlake3(Buffer.from("abcdef"), { key }));
    expect(hasher.update("def").digest("hex")).toBe(keyed);
    expect(toHex(other.digest())).toBe(toHex(nobleBlake3(message.subarray(0, 9000), { key })));
    expect(toHex(collector.digest())).toBe(toHex(nobleBlake3(message.subarray(0, 9000))));
  });
});

it("merges whatever the number of parts is, in whatever order they are set, before or after it was saved", () => {
  const counts = [2, 3, 7, 8, 9, 72, 129, 255, 256, 257, 300, 511, 512, 513, 769, 1025, 1100];
  const object = counting(1100 * KiB);
  const blake3Subject = subjects.find(({ name }) => name === "blake3")!;
  const lengths = counts.map((count) => count * KiB);
  const outputs = expectedPrefixes(blake3Subject, object, lengths, { length: 100 });
  const values = Array.from(partsOf(object.length, KiB), ({ offset, length }) =>
    chainingValue(object.subarray(offset, offset + length), { offset }),
  );
  for (const length of lengths) {
    const collector = new SubtreeCollector(length, KiB);
    const half = shuffled(partsOf(length, KiB));
    const rest = half.splice(half.length >> 1);
    for (const { offset } of half) collector.set(offset, values[offset / KiB]!);
    const restored = SubtreeCollector.restore(collector.save());
    for (const each of [collector, restored]) {
      expect(offsetsOf(each.missing)).toEqual(offsetsOf(rest).sort((a, b) => a - b));
      for (const { offset } of rest) each.set(offset, values[offset / KiB]!);
      const output = toHex(outputs.get(length)!);
      expect([toHex(each.digest()), toHex(each.digest({ length: 100 }))]).toEqual([output.slice(0, 64), output]);
    }
    expect(toHex(SubtreeCollector.restore(restored.save()).digest())).toBe(toHex(collector.digest()));
  }
});

describe("the parts of an object", () => {
  it("cover it, each once", () => {
    expect([...partsOf(5000, 2048)]).toEqual([
      { offset: 0, length: 2048 },
      { offset: 2048, length: 2048 },
      { offset: 4096, length: 904 },
    ]);
    expect([...partsOf(4096, 2048)]).toHaveLength(2);
    expect([...partsOf(1, 2048)]).toEqual([{ offset: 0, length: 1 }]);
    expect([...partsOf(3000, 1024, 4096)].map(({ offset }) => offset)).toEqual([4096, 5120, 6144]);
  });

  it("are made one at a time, as often as one likes", () => {
    const parts = partsOf(2 ** 53 - 1, 1024);
    for (let round = 0; round < 2; round++) {
      const [first] = parts;
      expect(first).toEqual({ offset: 0, length: 1024 });
    }
  });
});

describe("what is missing", () => {
  it("is what has not been set, from the first to the last", () => {
    const collector = new SubtreeCollector(9 * KiB + 1, KiB);
    const { missing } = collector;
    expect([...missing]).toEqual([...partsOf(9 * KiB + 1, KiB)]);
    for (const offset of [0, 9 * KiB, 4 * KiB]) {
      const length = Math.min(KiB, 9 * KiB + 1 - offset);
      collector.set(offset, chain({ offset, length })).set(offset, chain({ offset, length }));
    }
    expect([...missing].map(({ offset }) => offset / KiB)).toEqual([1, 2, 3, 5, 6, 7, 8]);
    for (const method of ["digest", "xof", "chainingValue", "groupValues"] as const) {
      const text = `SubtreeCollector.${method}: all 10 parts must be set, got 7 missing, the first at offset 1024`;
      expectError(() => collector[method](), Error, text);
    }
    for (const part of missing) collector.set(part.offset, chain(part));
    expect([...collector.missing]).toEqual([]);
    const text = "SubtreeCollector.groupValues: collector must have the option group, got none";
    expectError(() => collector.groupValues(), Error, text);
    expect(toHex(collector.digest())).toBe(nobleHex(9 * KiB + 1));
  });
});

it("is of no use after dispose, whatever is given", () => {
  const [collector, other, late] = [collect(5000, KiB), collect(5000, KiB), new SubtreeCollector(5000, KiB)];
  const { missing } = late;
  for (const each of [collector, late]) each.dispose();
  const calls = {
    digest: () => collector.digest(),
    save: () => collector.save(),
    set: () => collector.set("0" as never, 5 as never),
    missing: () => [...missing],
  };
  for (const [call, act] of Object.entries(calls)) {
    expectError(act, Error, `SubtreeCollector.${call}: the collector was disposed`);
  }
  expectError(() => collector.missing, Error, "SubtreeCollector.missing: the collector was disposed");
  expect(toHex(other.digest())).toBe(nobleHex(5000));
});

it("an offset may be a number or a bigint, and nothing else", () => {
  const collector = new SubtreeCollector(5000, KiB, { offset: 8192n });
  expect(offsetsOf(collector.missing)).toEqual([8192, 9216, 10_240, 11_264, 12_288]);
  expectError(() => new SubtreeCollector(5000, KiB, { offset: "8192" as never }), TypeError, "offset must be a number");
});

describe("a saved collector", () => {
  const length = 20_000;
  const half = (mode: Blake3Mode = {}) => {
    const collector = new SubtreeCollector(length, KiB, mode);
    for (const part of shuffled(collector.missing).slice(8)) collector.set(part.offset, chain(part, mode));
    return collector;
  };

  it.each([{ key }, { context: "x" }] as Blake3Mode[])("goes on in mode %o", (mode) => {
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
    const collector = new SubtreeCollector(5000, 1024, { key, offset: 8192 });
    const value = chain({ offset: 9216, length: 1024 }, { key });
    collector.set(9216, value);
    const { name, version, digestLength, parameters, state } = parse(collector.save());
    expect({ name, version, digestLength }).toEqual({ name: "subtrees", version: 1, digestLength: 32n });
    expect(parameters).toHaveLength(72);
    const numbers = new DataView(parameters.buffer, parameters.byteOffset + 40, 32);
    expect([0, 8, 16, 24].map((at) => Number(numbers.getBigUint64(at, true)))).toEqual([8192, 5000, 1024, 0]);
    expect(toHex(parameters.subarray(0, 40))).toBe(`${toHex(key)}1000000000000000`);
    expect(toHex(state)).toBe(`02${toHex(value)}`);
  });

  it("leaves no key in memory if it is refused", () => {
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
});
