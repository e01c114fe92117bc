// What BLAKE3 leaves in its kernel's memory: no key, no piece of a message, no chaining value of one.
import { type Backend, blake3, useBackend } from "blake-simd";
import {
  chainingValue,
  mergeSubtrees,
  rootOf,
  rootXof,
  SubtreeCollector,
  SubtreeGroupHasher,
  SubtreeHasher,
} from "blake-simd/hazmat";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const { Instance } = WebAssembly;
/** Of BLAKE3's kernel, and of the one that merges many values. */
const memories = new Map<"blake3" | "merge", WebAssembly.Memory>();

class WatchedInstance extends Instance {
  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    super(module, imports);
    // The decoder of kernels' text is no kernel.
    if (this.exports.init) memories.set("blake3", this.exports.memory as WebAssembly.Memory);
    if (imports?.env?.memory) memories.set("merge", imports.env.memory as WebAssembly.Memory);
  }
}

/** Bytes that occur nowhere else: a Weyl sequence, scrambled. */
function unlikely(length: number, seed: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    { length },
    (_, i) => Math.imul(Math.imul(i + 1, 0x9e3779b9) ^ Math.imul(seed, 0x85ebca6b), 0xc2b2ae35) >>> 24,
  );
}

/** Whether memory holds eight of the bytes in a row, at any multiple of four. */
function holds(secret: Uint8Array): boolean {
  const starts = Array.from({ length: Math.floor(secret.length / 4) - 1 }, (_, i) => 4 * i);
  return Array.from(memories.values(), ({ buffer }) => Buffer.from(buffer)).some((bytes) =>
    starts.some((at) => bytes.includes(Buffer.from(secret.subarray(at, at + 8)))),
  );
}

const other = { simd128: "baseline", baseline: "simd128" } satisfies Record<Exclude<Backend, "javascript">, Backend>;

describe.each(["baseline", "simd128"] as const)("the memory of the %s build", (backend) => {
  beforeAll(() => {
    useBackend(other[backend]);
    Object.assign(WebAssembly, { Instance: WatchedInstance });
    useBackend(backend);
    blake3("");
  });

  afterAll(() => {
    Object.assign(WebAssembly, { Instance });
    useBackend(other[backend]);
    useBackend("simd128");
  });

  it.each([1, 64, 1000, 1024, 1025, 3268, 65_536, 65_537, 100_000])("keeps nothing of %d bytes", (length) => {
    const key = unlikely(32, length);
    const message = unlikely(length, -length);
    const secrets = [key, message.subarray(0, 2048), message.subarray(-2048)];
    if (length >= 1024) secrets.push(chainingValue(message.subarray(0, 1024), { key }));
    const calls: (() => unknown)[] = [
      () => blake3(message, { key }),
      () => blake3(message, { key, length: 100_000 }),
      () => blake3.create({ key }).update(message).dispose(),
      () => chainingValue(message, { key, offset: 2 ** 40 }),
      () => {
        const hasher = blake3.create({ key }).update(message);
        const xof = hasher.xof();
        hasher.dispose();
        xof.read(1000);
      },
      () => {
        const xof = blake3.create({ key }).update(message).xof();
        xof.read(1000);
        blake3.create().digest();
      },
    ];
    for (const call of calls) {
      call();
      for (const secret of secrets) expect(holds(secret), String(call)).toBe(false);
    }
  });

  it("keeps nothing of subtrees", () => {
    const [key, left, right] = [unlikely(32, 1), unlikely(32, 2), unlikely(32, 3)];
    const outputs = [
      mergeSubtrees(left, right, { key }),
      rootOf(left, right, { key }),
      rootXof(left, right, { key }).read(64),
    ];
    for (const secret of [key, left, right, ...outputs]) expect(holds(secret)).toBe(false);
  });

  it("keeps nothing of a subtree that is disposed of, and no value that it returned before", () => {
    const key = unlikely(32, 4);
    const hasher = new SubtreeHasher({ key }).update(unlikely(3000, 5));
    expect(holds(hasher.chainingValue())).toBe(false);
    expect(holds(key)).toBe(false);
    const long = unlikely(100_000, 6);
    hasher.update(long);
    for (const part of [long.subarray(0, 100), long.subarray(-100)]) expect(holds(part)).toBe(false);
    hasher.dispose();
    const groups = new SubtreeGroupHasher({ key, group: 1024 }).update(unlikely(3000, 5));
    expect(holds(groups.chainingValue())).toBe(false);
    expect(holds(key)).toBe(false);
    groups.dispose();
  });

  it.each([2, 3, 8, 1030, 4097])("keeps nothing of %d values that are merged", (count) => {
    const KiB = 1024;
    const key = unlikely(32, 6);
    const values = Array.from({ length: count }, (_, i) => unlikely(32, 100 + i));
    const collected = (): SubtreeCollector => {
      const collector = new SubtreeCollector(count * KiB, KiB, { key });
      for (const [i, value] of values.entries()) collector.set(i * KiB, value);
      return collector;
    };
    const own = values.slice(0, 2).concat(values.slice(-2));
    const calls: ((collector: SubtreeCollector) => Uint8Array)[] = [
      (collector) => collector.digest(),
      (collector) => collector.digest({ length: 100 }),
      (collector) => collector.xof().read(64),
    ];
    for (const call of calls) {
      const output = call(collected());
      for (const secret of [key, ...own, output]) expect(holds(secret), String(call)).toBe(false);
    }
    expect(memories.has("merge")).toBe(true);
  });

  it("keeps nothing of groups, whether their values are the part's or not", () => {
    const [key, message] = [unlikely(32, 7), unlikely(8192, 8)];
    const options = { key, group: 1024 };
    const hasher = new SubtreeGroupHasher(options).update(message.subarray(0, 4096));
    const [value, groups] = [hasher.chainingValue(), hasher.groupValues()];
    hasher.dispose();
    const secrets = [key, value, groups];
    const collector = new SubtreeCollector(8192, 4096, options);
    collector.set(0, value, groups);
    for (const secret of secrets) expect(holds(secret)).toBe(false);
    expect(() => collector.set(4096, value.slice(), unlikely(128, 9))).toThrow("groupValues");
    for (const secret of [...secrets, unlikely(128, 9)]) expect(holds(secret)).toBe(false);
  });

  it("is what is looked at", () => {
    const hasher = blake3.create().update(unlikely(32, 1));
    expect(holds(unlikely(32, 1))).toBe(true);
    hasher.dispose();
    expect(holds(unlikely(32, 1))).toBe(false);
  });
});
