// Chaining values of an object's parts, collected in any order, merged to the digest that independent code has for it.
import { execFileSync } from "node:child_process";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake3, toHex, useBackend } from "blake-simd";
import { outboard, outboardOfGroups } from "blake-simd/bao";
import {
  type Blake3Mode,
  chainingValue,
  type Part,
  partsOf,
  SubtreeCollector,
  SubtreeGroupHasher,
  SubtreeHasher,
} from "blake-simd/hazmat";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { build, parse, seal } from "../support/saved-state.ts";
import { atTheEndOfTheStack } from "../support/stack.ts";
import { counting, vectors } from "../vectors/index.js";

const KiB = 1024;
const message = counting(200 * KiB + 7);
const { subtrees } = vectors("blake3");

const take = ({ offset, length }: Part) => message.subarray(offset, offset + length);
const chain = (part: Part, mode: Blake3Mode = {}) => chainingValue(take(part), { offset: part.offset, ...mode });

/** The same order in each run, and never the parts' own. */
function shuffled<T>(items: Iterable<T>): T[] {
  const list = [...items];
  for (let i = list.length - 1, seed = 1; i > 0; i--) {
    seed = (seed * 48271) % 0x7fffffff;
    const j = seed % (i + 1);
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}

function collect(length: number, partLength: number, mode: Blake3Mode = {}): SubtreeCollector {
  const collector = new SubtreeCollector(length, partLength, mode);
  for (const part of shuffled(partsOf(length, partLength))) collector.set(part.offset, chain(part, mode));
  return collector;
}

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

it("merges 16 384 parts in under 10 ms, the first time in a process too", () => {
  useBackend("simd128");
  const collector = new SubtreeCollector(16_384 * KiB, KiB);
  const value = counting(32);
  for (const { offset } of partsOf(16_384 * KiB, KiB)) collector.set(offset, value);
  const times = Array.from({ length: 20 }, () => {
    const began = performance.now();
    collector.digest();
    return performance.now() - began;
  });
  expect(Math.min(...times)).toBeLessThan(10);
  const program = `
    import { partsOf, SubtreeCollector } from ${JSON.stringify(new URL("../../dist/hazmat.js", import.meta.url).href)};
    const collector = new SubtreeCollector(${16_384 * KiB}, ${KiB});
    for (const { offset } of partsOf(${16_384 * KiB}, ${KiB})) collector.set(offset, new Uint8Array(32));
    const began = performance.now();
    collector.digest();
    console.log(performance.now() - began);`;
  const first = () =>
    Number(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }));
  expect(Math.min(first(), first(), first())).toBeLessThan(10);
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
    // Three runs, of 256, 256 and 88 parts; the first two; the root.
    expect(merges).toHaveLength(5);
    expect(merges.every((memory) => memory.includes(Buffer.from(one)))).toBe(true);
    const left = Buffer.from(bytes);
    merged(600, other);
    expect(watched).toHaveLength(1);
    expect(left.equals(bytes)).toBe(true);
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
  [
    "a bigint",
    () => new SubtreeCollector(5000n as never, 1024),
    TypeError,
    "length must be a number, got bigint 5000n",
  ],
  ["parts of no power of 2", () => partsOf(5000, 3072), RangeError, "partLength must be a power of 2 from 1024"],
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
  ["two modes", () => new SubtreeCollector(5000, 1024, { key: counting(32), context: "" }), TypeError, "exclude"],
  [
    "a short key",
    () => new SubtreeCollector(5000, 1024, { key: "short" }),
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
      "is another part's",
      (c) => c.set(1024, at(2048)),
      RangeError,
      "value must be of 1024 bytes at offset 1024, got that of 1024 at offset 2048",
    ],
    ["is of fewer bytes", (c) => c.set(0, chainingValue("x")), RangeError, "got that of 1 at offset 0"],
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
    ["a changed byte", () => half().save().fill(7, 80, 81), "checksum"],
    ["a hasher's", () => seal(Uint8Array.from(half().save()).fill(0, 8, 16)), "the name subtrees"],
    ["a short one", () => half().save().subarray(0, 60), "bytes"],
    ["a missing value", () => change((f) => (f.state = f.state.slice(0, -32))), "bytes"],
    ["parts after the last", () => change((f) => (f.state[2] = 0xff)), "parts after the last"],
    ["a mode that is none", () => change((f) => (f.parameters[32] = 5)), "a mode of 0, 16, 64"],
    ["a plain mode with a key", () => change((f) => (f.parameters[0] = 5)), "the IV as key"],
    ["parts of 1000 bytes", () => change((f) => f.parameters.set([0xe8, 3], 56)), "partLength"],
  ])("is refused: %s", (_, saved, text) => {
    expectError(() => SubtreeCollector.restore(saved()), RangeError, text);
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

  it("need groups that divide a part", () => {
    for (const group of [512, 1025, 3 * KiB, 32 * KiB]) {
      expectError(
        () => new SubtreeCollector(length, 16 * KiB, { group }),
        RangeError,
        "SubtreeCollector: group",
        `${group}`,
      );
    }
    const collector = collect(length, 16 * KiB);
    expectError(
      () => collector.groupValues(),
      Error,
      "SubtreeCollector.groupValues",
      "must have the option group, got none",
    );
    expect(toHex(collector.digest())).toBe(toHex(nobleBlake3(message.subarray(0, length))));
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

  it("are lost, never wrong, after an update that an exhausted stack interrupted", () => {
    const bytes = message.subarray(0, 64 * KiB);
    const expected = toHex(chainingValue(bytes));
    const other = new SubtreeGroupHasher({ group: KiB }).update(bytes.subarray(0, 5000));
    for (let shift = 0; shift < 4; shift++) {
      const hashers: SubtreeGroupHasher[] = [];
      const update = () => {
        const hasher = new SubtreeGroupHasher({ group: KiB });
        hashers.push(hasher);
        hasher.update(bytes);
      };
      atTheEndOfTheStack(update, 12, shift);
      for (const hasher of hashers) {
        try {
          if (hasher.bytesHashed === 0n) hasher.update(bytes);
          expect(toHex(hasher.chainingValue())).toBe(expected);
        } catch (error) {
          expect((error as Error).message).toContain("interrupted update");
        }
      }
    }
    expect(toHex(other.update(bytes.subarray(5000)).chainingValue())).toBe(expected);
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

  it("are refused of more bytes than a subtree has there, and of none", () => {
    const hasher = new SubtreeGroupHasher({ offset: 8 * KiB, group: KiB }).update(message.subarray(0, 5000));
    expectError(() => hasher.update(message.subarray(0, 8 * KiB)), RangeError, "input must have at most 8192 bytes");
    expect(hasher.update(message.subarray(5000, 8 * KiB)).bytesHashed).toBe(BigInt(8 * KiB));
    expect(toHex(hasher.chainingValue())).toBe(toHex(chainingValue(message.subarray(0, 8 * KiB), { offset: 8 * KiB })));
    expectError(() => new SubtreeGroupHasher({ group: KiB }).groupValues(), RangeError, "at least 1 byte");
  });
});

it("is of no use after dispose", () => {
  const collector = collect(5000, KiB);
  const other = collect(5000, KiB);
  collector.dispose();
  for (const call of [() => collector.digest(), () => collector.save(), () => collector.missing]) {
    expectError(call, Error, "SubtreeCollector.", "the collector has been disposed of");
  }
  expectError(() => collector.set(0, counting(32)), Error, "SubtreeCollector.set");
  const { missing } = other;
  const third = new SubtreeCollector(5000, KiB);
  const late = third.missing;
  class Disposing extends Uint8Array {
    override get length() {
      third.dispose();
      return 32;
    }
  }
  expectError(() => third.set(0, new Disposing(32)), Error, "SubtreeCollector.set");
  expectError(() => [...late], Error, "SubtreeCollector.missing");
  expect([...missing]).toEqual([]);
  expect(toHex(other.digest())).toBe(toHex(nobleBlake3(message.subarray(0, 5000))));
});
