// Chaining values of an object's parts, collected in any order, merged to the digest that independent code has for it.
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake3, toHex, useBackend } from "blake-simd";
import { chainingValue, partsOf, SubtreeCollector, SubtreeHasher } from "blake-simd/hazmat";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { chain, collect, KiB, message, shuffled } from "../support/parts.ts";
import { counting, vectors } from "../vectors/index.js";

const { subtrees } = vectors("blake3");

afterAll(() => useBackend("simd128"));

describe.each(["baseline", "simd128"] as const)("a collector in the %s build", (backend) => {
  beforeAll(() => useBackend(backend));

  it("has noble's digest, whatever the parts' length and number", () => {
    for (const length of [1025, 2048, 2049, 5000, 16 * KiB, 16 * KiB + 1, 65 * KiB - 1, message.length]) {
      const digest = toHex(nobleBlake3(message.subarray(0, length)));
      for (let partLength = KiB; partLength < length; partLength *= 4) {
        expect(toHex(collect(length, partLength).digest()), `${length} bytes by ${partLength}`).toBe(digest);
      }
    }
  });

  it("has noble's digest in every mode and of any length, and its output from any place", () => {
    const key = counting(32);
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
    const { modes } = vectors("blake3");
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

  it("merges more values than the kernel takes at a time", () => {
    const parts = 5000;
    const object = counting(parts * KiB - 100);
    const collector = new SubtreeCollector(object.length, KiB);
    for (const { offset, length } of partsOf(object.length, KiB)) {
      collector.set(offset, chainingValue(object.subarray(offset, offset + length), { offset }));
    }
    expect(toHex(collector.digest())).toBe(toHex(nobleBlake3(object)));
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
    const hasher = blake3.create({ key: counting(32) }).update("abc");
    const subtree = new SubtreeHasher({ offset: 4 * KiB }).update(message.subarray(4 * KiB, 5 * KiB));
    const other = collect(9000, KiB, { key: counting(32) });
    const collector = collect(9000, KiB);
    expect(toHex(collector.digest())).toBe(toHex(nobleBlake3(message.subarray(0, 9000))));
    subtree.update(message.subarray(5 * KiB, 6 * KiB));
    expect(toHex(subtree.chainingValue())).toBe(toHex(chain({ offset: 4 * KiB, length: 2 * KiB })));
    const keyed = toHex(nobleBlake3(Buffer.from("abcdef"), { key: counting(32) }));
    expect(hasher.update("def").digest("hex")).toBe(keyed);
    expect(toHex(other.digest())).toBe(toHex(nobleBlake3(message.subarray(0, 9000), { key: counting(32) })));
    expect(toHex(collector.digest())).toBe(toHex(nobleBlake3(message.subarray(0, 9000))));
  });
});

it("merges whatever the number of parts is, in whatever order they are set", () => {
  const object = counting(1100 * KiB);
  const values = Array.from(partsOf(object.length, KiB), ({ offset, length }) =>
    chainingValue(object.subarray(offset, offset + length), { offset }),
  );
  for (const count of [2, 3, 128, 129, 255, 256, 257, 300, 511, 512, 513, 768, 769, 1023, 1025, 1100]) {
    const collector = new SubtreeCollector(count * KiB, KiB);
    const half = shuffled(partsOf(count * KiB, KiB));
    const rest = half.splice(count >> 1);
    for (const { offset } of half) collector.set(offset, values[offset / KiB] as Uint8Array);
    const restored = SubtreeCollector.restore(collector.save());
    for (const each of [collector, restored]) {
      for (const { offset } of rest) each.set(offset, values[offset / KiB] as Uint8Array);
      expect(toHex(each.digest()), `${count} parts`).toBe(toHex(nobleBlake3(object.subarray(0, count * KiB))));
      expect(toHex(each.digest({ length: 100 }))).toBe(
        toHex(nobleBlake3(object.subarray(0, count * KiB), { dkLen: 100 })),
      );
    }
  }
});

describe("the kernel that merges", () => {
  const { Instance } = WebAssembly;
  afterEach(() => {
    WebAssembly.Instance = Instance;
  });

  /** From now on, the instances with their memory as it is, and as it was after each merge. */
  function watchMerges() {
    const watched: { bytes: Uint8Array; merges: Buffer[] }[] = [];
    WebAssembly.Instance = class {
      exports: WebAssembly.Exports;

      constructor(module: WebAssembly.Module, imports: { env: { memory: WebAssembly.Memory } }) {
        const { exports } = new Instance(module, imports);
        const bytes = new Uint8Array(imports.env.memory.buffer);
        const merges: Buffer[] = [];
        watched.push({ bytes, merges });
        const merge = (...args: number[]) => {
          (exports.merge as (...args: number[]) => void)(...args);
          merges.push(Buffer.from(bytes));
        };
        this.exports = { ...exports, merge };
      }
    } as unknown as typeof WebAssembly.Instance;
    return watched;
  }

  /** Merges values that are all alike, in an instance that is new if the build is another one. */
  function merged(parts: number, key: Uint8Array): Uint8Array {
    const collector = new SubtreeCollector(parts * KiB, KiB, { key });
    for (const { offset } of partsOf(parts * KiB, KiB)) collector.set(offset, key);
    return collector.digest();
  }

  it("is made with the collector, so that the first merge does not have to", () => {
    // Both builds are compiled, and the blake3 kernel, which makes the mode, is there.
    for (const backend of ["simd128", "baseline"] as const) {
      useBackend(backend);
      collect(5000, KiB).digest();
    }
    useBackend("simd128");
    blake3("");
    const watched = watchMerges();
    const collector = new SubtreeCollector(5000, KiB);
    expect(watched).toHaveLength(1);
    for (const part of partsOf(5000, KiB)) collector.set(part.offset, counting(32));
    collector.digest();
    expect(watched).toHaveLength(1);
  });

  it.each(["baseline", "simd128"] as const)("%s: is one, merges each run once, and keeps nothing", (backend) => {
    const [one, other] = [counting(32), counting(64).subarray(32)];
    useBackend(backend === "baseline" ? "simd128" : "baseline");
    const expected = merged(600, one);
    // The blake3 kernel reads a key.
    useBackend(backend);
    blake3("", { key: one });
    const watched = watchMerges();
    expect(toHex(merged(600, one))).toBe(toHex(expected));
    expect(watched).toHaveLength(1);
    const { bytes, merges } = watched[0]!;
    // Three runs, of 256, 256 and 88 parts, and the first two. The root is made by the hasher's kernel.
    expect(merges).toHaveLength(4);
    expect(merges.every((memory) => memory.includes(Buffer.from(one)))).toBe(true);
    const left = Buffer.from(bytes);
    merged(600, other);
    expect(watched).toHaveLength(1);
    expect(left.equals(bytes)).toBe(true);
    // Nor does the stack keep anything, wherever it is.
    expect(left.findIndex((byte) => byte !== 0)).toBe(-1);
  });
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
    for (const method of ["digest", "xof", "chainingValue"] as const) {
      const text = `SubtreeCollector.${method}: all 10 parts must be set, got 7 missing, the first at offset 1024`;
      expectError(() => collector[method](), Error, text);
    }
    for (const part of missing) collector.set(part.offset, chain(part));
    expect([...collector.missing]).toEqual([]);
    expect(toHex(collector.digest())).toBe(toHex(nobleBlake3(message.subarray(0, 9 * KiB + 1))));
  });
});

it("is of no use after dispose", () => {
  const collector = collect(5000, KiB);
  const other = collect(5000, KiB);
  collector.dispose();
  for (const call of [() => collector.digest(), () => collector.save(), () => collector.missing]) {
    expectError(call, Error, "SubtreeCollector.", "the collector was disposed");
  }
  expectError(() => collector.set(0, counting(32)), Error, "SubtreeCollector.set");
  // Whatever is given.
  expectError(() => collector.set("0" as never, 5 as never), Error, "SubtreeCollector.set: the collector was disposed");
  const { missing } = other;
  const third = new SubtreeCollector(5000, KiB);
  const late = third.missing;
  third.dispose();
  expectError(() => [...late], Error, "SubtreeCollector.missing");
  expect([...missing]).toEqual([]);
  expect(toHex(other.digest())).toBe(toHex(nobleBlake3(message.subarray(0, 5000))));
});
