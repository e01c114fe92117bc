// Nothing secret stays in memory: in that of kernels, or in an array that a call has made, but for what it returns.
// Each use runs twice, with secrets of the same lengths and other contents, and must leave the same memory behind. The
// proofs show it of the kernels themselves (test/evidence/prove).
import { algorithms, type Hasher, useBackend, type Xof } from "blake-simd";
import { SubtreeCollector, SubtreeGroupHasher, SubtreeHasher } from "blake-simd/hazmat";
import { hmac, nobleHash } from "blake-simd/hmac";
import { Blake3Pool, type Blake3PoolHashOptions } from "blake-simd/parallel";
import { restore, save } from "blake-simd/states";
import { updateFloat32LE, updateFloat64LE, updateUint8, updateUint32BE, updateUint64LE } from "blake-simd/typed";
import { afterEach, describe, expect, it, vi } from "vitest";
import { arraysMadeDuring, isOfKernel } from "../support/arrays.ts";
import { useVariant, VARIANTS, type Variant, variantsOf } from "../support/backends.ts";
import { allCalls, SOME } from "../support/calls/all.ts";
import { subjectOf, titleOf } from "../support/calls/call.ts";
import { type Call, NO_CODE } from "../support/calls/row.mjs";
import { differingAreas, watchInstances } from "../support/memory.ts";
import { AREA, pattern } from "../support/messages.ts";
import { type CommonOptions, eachSubject, type Subject } from "../support/subjects.ts";

/** Of the kernels that merge subtrees. */
const trees: WebAssembly.Memory[] = [];
const instances = watchInstances(trees);
const KIB = 1024;

afterEach(() => {
  vi.restoreAllMocks();
});

interface Traces {
  readonly memories: Uint8Array[];
  readonly arrays: Uint8Array[];
}

const isReturned = (returned: unknown, array: Uint8Array): boolean =>
  [returned].flat().some((each) => each instanceof Uint8Array && Buffer.compare(each, array) === 0);

/** What a use leaves, which returns the arrays that are its caller's. */
function tracesOf(use: (bytes: Uint8Array) => unknown, bytes: Uint8Array): Traces {
  let returned: unknown;
  const made = arraysMadeDuring(() => {
    returned = use(bytes);
  });
  const memories = [...instances.map((each) => each.bytes), ...trees.map(({ buffer }) => new Uint8Array(buffer))];
  return {
    memories: memories.map((memory) => memory.slice()),
    arrays: made.filter((each) => !isOfKernel(each) && each.buffer !== bytes.buffer && !isReturned(returned, each)),
  };
}

/** Bytes of two secrets, from which each use cuts its own. */
const [first, second] = [7, 211].map((byte) => new Uint8Array(300 * KIB).map((_, i) => byte + Math.imul(i, byte)));

/** The places in memory that differ between a use of one secret and of another. */
function tellingPlaces(use: (bytes: Uint8Array) => unknown): string[] {
  // Instances are made at the first use.
  use(first!);
  const [one, other] = [tracesOf(use, first!), tracesOf(use, second!)];
  expect(other.memories).toHaveLength(one.memories.length);
  expect(other.arrays).toHaveLength(one.arrays.length);
  return [
    ...one.memories.flatMap((memory, i) => differingAreas(memory, other.memories[i]!)),
    ...one.arrays.flatMap((array, i) =>
      Buffer.compare(array, other.arrays[i]!) === 0 ? [] : [`array ${i} of ${array.length} bytes`],
    ),
  ];
}

/** New instances are the only ones that are looked at. */
function fresh(variant: Variant, { algorithm }: Subject): void {
  useBackend(variant.backend === "baseline" ? "simd128" : "baseline");
  useVariant(variant);
  for (const list of [instances, trees]) list.length = 0;
  algorithm("", {});
}

/** Arrays of a call that may have any content. */
const FREE = /^(message|content|data|key|salt|personal|context|material|info|left|right|output)$/;
/** Those of arrays that may have any content, all of whose digests are returned; `uses` goes beyond one call. */
const free = allCalls.filter(
  ({ name, of, how, arrays }) =>
    SOME.includes(of) &&
    !/create|Hash\b|tream|Of$|Through|Pool|outboard|Collector|noble|save|reader/.test(name) &&
    !/150000|, text/.test(how) &&
    Object.keys(arrays).length > 0 &&
    Object.keys(arrays).every((each) => FREE.test(each)),
);

/** Makes a call with arrays that are cut from a secret; returns all arrays that are its caller's. */
function use(call: Call, bytes: Uint8Array): unknown[] {
  const cut = Object.entries(call.arrays).map(([name, { length }], i) => [
    name,
    bytes.subarray(1000 * i, 1000 * i + length),
  ]);
  const arrays = Object.fromEntries(cut);
  const object = call.make(arrays, NO_CODE);
  const value = call.act(object, ...call.args(arrays, NO_CODE, object));
  const parts = call.look(value as never, object as never, arrays);
  for (const each of [object, value]) (each as { dispose?(): void } | undefined)?.dispose?.();
  return [value, parts].flat();
}

type Extendable = Hasher & { xof?(): Xof };
type Use = (bytes: Uint8Array, subject: Subject) => unknown;

const LENGTHS = [1, 700, AREA + 5];

/** Each message under each kind of options, in a hasher. */
function eachHasher(
  bytes: Uint8Array,
  subject: Subject,
  use: (hasher: Extendable, message: Uint8Array | string) => unknown,
) {
  const own = subject.secretFrom(bytes.subarray(1, 65));
  const options: CommonOptions[] = [{}, own];
  if (subject.lengths.includes(20)) options.push({ ...own, length: 20 });
  if (subject.longest >= 40_000) options.push({ ...own, length: 40_000 });
  if (subject.name === "blake3") options.push({ context: bytes.subarray(1, 50) });
  const text = (bytes[0] === 7 ? "éa" : "öb").repeat(350);
  return options.flatMap((each, i) => {
    const messages = [text, ...LENGTHS.slice(0, i < 2 ? 3 : 1).map((length) => bytes.subarray(0, length))];
    return messages.flatMap((message) => use(subject.algorithm.create(each).update(message), message));
  });
}

/** What goes beyond one call. */
const uses: Record<string, Use> = {
  "digests of hashers that are updated, saved, and disposed of": (bytes, subject) =>
    eachHasher(bytes, subject, (hasher, message) => {
      const restored = restore(subject.algorithm, save(hasher));
      const saved = [save(hasher), hasher.digest(), hasher.digestInto(new Uint8Array(hasher.digestLength))];
      const digests = [hasher.update(message).digest(), restored.update(message).digest()];
      for (const each of [hasher, restored]) each.dispose();
      return [...saved, ...digests, ...[hasher.digestLength > 64 ? digests : []].flat()];
    }),
  "a hasher that is restored, and does nothing": (bytes, subject) =>
    eachHasher(bytes, subject, (hasher) => {
      const saved = save(hasher);
      hasher.dispose();
      restore(subject.algorithm, saved).dispose();
      return [saved];
    }),
  "hashers that are moved out for another, which two take in turns": (bytes, subject) =>
    eachHasher(bytes, subject, (hasher, message) => {
      const other = subject.algorithm.create();
      for (let i = 0; i < 3; i++) {
        other.update("a public message");
        hasher.update(message);
      }
      const digest = hasher.digest();
      for (const each of [hasher, other]) each.dispose();
      return [digest];
    }),
  "readers of output": (bytes, subject) =>
    eachHasher(bytes, subject, (hasher) => {
      const readers = hasher.xof ? [hasher.xof(), hasher.xof()] : [];
      hasher.dispose();
      return readers.map((reader, i) => {
        reader.position = i;
        const output = reader.read(hasher.digestLength - 1);
        reader.dispose();
        return output;
      });
    }),
  "numbers in a hasher that is disposed of": ([byte], { algorithm }) => {
    const hasher = algorithm.create();
    for (const update of [updateUint8, updateUint32BE, updateFloat32LE, updateFloat64LE]) update(hasher, byte!);
    updateUint64LE(hasher, BigInt(byte!)).dispose();
  },
  "long outputs": (bytes, subject) => {
    if (subject.longest < 40_000) return [];
    const options = { ...subject.secretFrom(bytes.subarray(1, 65)), length: 40_000 };
    return [
      subject.algorithm(bytes.subarray(0, 100), options),
      ...subject.algorithm.many([bytes.subarray(0, 100)], options),
    ];
  },
  "many, of one length and of several": (bytes, { algorithm, secretFrom }) => {
    const secret = secretFrom(bytes.subarray(1, 65));
    const several = Array.from({ length: 61 }, (_, i) => bytes.subarray(i, 1024 - 6 * i));
    const texts = several.map((each) => (each[0]! > 127 ? "é" : "ö").repeat(each.length));
    const lists = [several, several.slice(0, 3), Array(61).fill(bytes.subarray(0, 1000)), texts, [bytes, bytes, bytes]];
    return lists.flatMap((list) => algorithm.many(list, secret));
  },
  "calls that throw, many midway": (bytes, { algorithm, secretFrom }) => {
    const own = secretFrom(bytes.subarray(1, 65));
    const message = bytes.subarray(0, 700);
    for (const more of [{ length: -1 }, { lastNode: 1 }, { context: 5 }, { unknown: 1 }]) {
      const options = { ...own, ...more } as never;
      for (const act of [algorithm, algorithm.create]) expect(() => act(message as never, options)).toThrow();
      expect(() => algorithm.into(message, new Uint8Array(64), options)).toThrow();
    }
    for (const options of [own, undefined])
      expect(() => algorithm.into(message, new Uint8Array(3), options)).toThrow(RangeError);
    const inputs = Array.from({ length: 9 }, () => bytes.slice(0, AREA / 2));
    const options = {
      ...own,
      get color() {
        structuredClone(undefined, { transfer: [inputs[7]!.buffer] });
        return undefined;
      },
    };
    expect(() => algorithm.many(inputs, options as never)).toThrow();
    return inputs;
  },
  "HMACs at once, of text and of bytes that are not few": (bytes, { algorithm }) => [
    hmac(algorithm, bytes.subarray(1, 40), "message"),
    hmac(algorithm, bytes.subarray(1, 40), bytes.subarray(0, 3000)),
  ],
  "an HMAC that is cloned, reset and disposed of, and a hash for @noble/hashes": (bytes, { algorithm }) => {
    const [key, message] = [bytes.subarray(1, 300), bytes.subarray(0, 200)];
    const mac = hmac.create(algorithm, key).update(message);
    const clone = mac.clone().reset().update(message);
    const codes = [mac.digest(), clone.digest()];
    for (const each of [mac, clone]) each.dispose();
    const { create } = nobleHash(algorithm);
    const hashes = [create().update(message), create().update(message)];
    hashes[0]!._cloneInto(hashes[1]);
    const digest = hashes[1]!.digest();
    for (const each of hashes) each.destroy();
    return [...codes, digest];
  },
};

/** Of a part of two groups. */
const valuesOf = (key: Uint8Array) => {
  const hasher = new SubtreeGroupHasher({ key, group: KIB }).update(pattern(2 * KIB));
  const values = [hasher.chainingValue(), hasher.groupValues()] as const;
  hasher.dispose();
  return values;
};

const subtrees: Record<string, Use> = {
  "hashers of subtrees and of groups, moved out for another": (bytes) =>
    [3000, 290 * KIB].flatMap((length) => {
      const key = bytes.subarray(0, 32);
      return [new SubtreeHasher({ key, offset: 2 ** 20 }), new SubtreeGroupHasher({ key, group: KIB })].flatMap(
        (hasher) => {
          hasher.update(bytes.subarray(0, length));
          algorithms.blake3.create().update("another").digest();
          const values = [
            hasher.chainingValue(),
            ...(hasher instanceof SubtreeGroupHasher ? [hasher.groupValues()] : []),
          ];
          hasher.update(bytes.subarray(0, 100)).dispose();
          return values;
        },
      );
    }),
  "collectors of few and many values, saved, restored and refused": (bytes) =>
    [2, 3, 1030].flatMap((count) => {
      const collector = new SubtreeCollector(count * KIB, KIB, { key: bytes.subarray(0, 32) });
      for (let i = 0; i < count; i++) collector.set(i * KIB, bytes.subarray(i, i + 32));
      const saved = collector.save();
      const wrong = saved.with(-1, saved.at(-1)! ^ 1);
      expect(() => SubtreeCollector.restore(wrong)).toThrow(RangeError);
      const restored = SubtreeCollector.restore(saved);
      const xof = collector.xof();
      const outputs = [
        collector.digest(),
        collector.digest({ length: 100 }),
        collector.chainingValue(),
        restored.digest(),
      ];
      outputs.push(xof.read(64));
      for (const each of [xof, collector, restored]) each.dispose();
      return [saved, wrong, ...outputs];
    }),
  "values of groups, the part's or not": (bytes) => {
    const options = { key: bytes.subarray(0, 32), group: KIB };
    const collector = new SubtreeCollector(300 * 2 * KIB, 2 * KIB, options);
    const [value, groups] = valuesOf(options.key);
    for (const { offset } of collector.missing) collector.set(offset, value, groups);
    expect(() => collector.set(0, value, bytes.subarray(0, 64))).toThrow("groupValues");
    const returned = [value, groups, collector.save(), collector.digest()];
    collector.dispose();
    return returned;
  },
};

eachSubject((subject) => {
  const { algorithm, name } = subject;

  describe.each(variantsOf(name))("$backend, $latency", (variant) => {
    it("a secret that is in memory is seen there", () => {
      fresh(variant, subject);
      const live: Hasher[] = [];
      const places = tellingPlaces((bytes) => {
        live.push(algorithm.create(subject.secretFrom(bytes.subarray(1, 65))).update(bytes.subarray(0, 700)));
        live.at(-1)!.update(bytes.subarray(0, 20_000));
      });
      expect(places).toEqual(expect.arrayContaining(["INPUT", expect.stringMatching(/^array/)]));
      for (const hasher of live) hasher.dispose();
    });

    const own = { ...uses, ...(name === "blake3" && subtrees) };
    it.each(Object.entries(own))("nothing is left of %s", (_, use) => {
      fresh(variant, subject);
      expect(tellingPlaces((bytes) => use(bytes, subject))).toEqual([]);
    });

    it("a change of backend leaves nothing in the old one", () => {
      const old = [first!, second!].map((bytes) => {
        fresh(variant, subject);
        const hasher = algorithm.create(subject.secretFrom(bytes.subarray(1, 65))).update(bytes.subarray(0, 5000));
        const [used] = instances;
        useBackend(variant.backend === "baseline" ? "simd128" : "baseline");
        hasher.dispose();
        return used!.bytes;
      });
      expect(differingAreas(old[0]!, old[1]!)).toEqual([]);
    });
  });
});

describe.each(VARIANTS)("$backend, $latency", (variant) => {
  const differing = free.filter(({ of }) => variantsOf(of).includes(variant));

  it.each(differing.map((call) => [titleOf(call), call] as const))("nothing is left of %s", (_, call) => {
    fresh(variant, subjectOf(call));
    expect(tellingPlaces((bytes) => use(call, bytes))).toEqual([]);
  });
});

const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

/** Copies of bytes that are zeroed by `fill` while an action runs. */
async function wipedDuring(bytes: Uint8Array, act: () => Promise<unknown>): Promise<Uint8Array[]> {
  const { fill } = Uint8Array.prototype;
  const wiped: Uint8Array[] = [];
  vi.spyOn(Uint8Array.prototype, "fill").mockImplementation(function (this: Uint8Array, ...args) {
    if (this.length === bytes.length && Buffer.compare(this, bytes) === 0) wiped.push(this);
    return fill.apply(this, args);
  });
  await act();
  return wiped;
}

const fails = (): never => {
  throw new Error("enough");
};

describe.each<[string, Blake3PoolHashOptions, number]>([
  ["a short message", { onProgress: () => {} }, 1000],
  ["a long message", {}, 2 ** 20],
  ["a short message that fails", { onProgress: fails }, 1000],
  ["a long message that fails", { onProgress: fails }, 2 ** 20],
])("Blake3Pool: the copy of the key of %s", (_, options, length) => {
  it.each([0, 1])("with %i threads", async (threads) => {
    const key = crypto.getRandomValues(new Uint8Array(32));
    const pool = new Blake3Pool({ threads });
    const copies = await wipedDuring(key, () =>
      pool.hash(pattern(length), { ...(options as object), key }).catch(() => {}),
    );
    expect(copies).toHaveLength(1);
    expect(copies[0]).not.toBe(key);
    expect([isZero(copies[0]!), isZero(key)]).toEqual([true, false]);
    await pool.close();
  });
});
