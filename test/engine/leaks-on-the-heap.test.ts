// Copies of secrets in JavaScript's own memory are zeroed when they have served: no array that a call makes, but for what it
// returns, holds anything that differs with the secret. Those in memory that is kept for saved states, in an interrupted call and in
// a pool are seen through `set`, `slice` and `fill`.
import { type Algorithm, algorithms, blake2b, blake2s, blake2xb, blake2xs, blake3 } from "blake-simd";
import {
  chainingValue,
  mergeSubtrees,
  rootOf,
  rootXof,
  SubtreeCollector,
  SubtreeGroupHasher,
  SubtreeHasher,
} from "blake-simd/hazmat";
import { hkdf, hmac, nobleHash } from "blake-simd/hmac";
import { createHash } from "blake-simd/node";
import { Blake3Pool, type Blake3PoolHashOptions } from "blake-simd/parallel";
import { restore, save } from "blake-simd/states";
import { afterEach, describe, expect, it, vi } from "vitest";
import { arraysMadeDuring, isOfKernel } from "../support/arrays.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";

const all = Object.entries(algorithms) as unknown as [string, Algorithm<object>][];
const keyless = /^blake\d\d\d$/;
const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

afterEach(() => {
  vi.restoreAllMocks();
});

/** All arrays that `set` writes to during a call. */
function writtenDuring(call: () => void): Uint8Array[] {
  const sets = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array, "set");
  call();
  const written = sets.mock.contexts as unknown as Uint8Array[];
  sets.mockRestore();
  return written;
}

it.each(all)("%s: the copies of a state with which `save` and `restore` work", (name, algorithm) => {
  const secret = keyless.test(name)
    ? { salt: pattern(name === "blake224" || name === "blake256" ? 16 : 32) }
    : { key: pattern(32) };
  const hasher = algorithm.create(secret).update("secret");
  const saved = save(hasher);
  const refused = saved.with(-1, saved.at(-1)! ^ 1);
  const live = [hasher];
  const calls = [
    () => save(hasher),
    () => live.push(restore(algorithm, saved)),
    () => expect(() => restore(algorithm, refused)).toThrow(RangeError),
  ];
  for (const call of calls) {
    const copies = writtenDuring(call).filter(({ buffer }) => buffer.byteLength < 65_536);
    expect(copies.length).toBeGreaterThan(0);
    for (const each of live.splice(0)) {
      if (call !== calls[0]) expectBytes(each.digest(), expectedDigest(name, Buffer.from("secret"), secret));
      each.dispose();
    }
    for (const copy of copies) expect(isZero(copy)).toBe(true);
  }
});

/** Arrays outside of kernels, but for those with what is returned, that hold other bytes after a use with another secret. */
function tellingArrays(use: (secret: Uint8Array) => unknown): number[] {
  use(new Uint8Array(200));
  const [first, second] = [7, 211].map((byte) => {
    const secret = new Uint8Array(200).fill(byte);
    let returned: unknown;
    const made = arraysMadeDuring(() => {
      returned = use(secret);
    });
    return made.filter((array) => !isOfKernel(array) && array.buffer !== secret.buffer && !holds(returned, array));
  });
  expect(first!.length).toBe(second!.length);
  return first!.flatMap((array, i) => (Buffer.compare(array, second![i]!) === 0 ? [] : [i]));
}

const holds = (returned: unknown, array: Uint8Array): boolean =>
  [returned].flat().some((each) => each instanceof Uint8Array && Buffer.compare(each, array) === 0);

describe("no array that a call has made, but for what it returns, holds anything secret:", () => {
  const uses: [string, (algorithm: Algorithm<{ key?: Uint8Array }>, secret: Uint8Array) => unknown][] = [
    ["one-shots", (algorithm, secret) => algorithm(secret, { key: secret.subarray(0, 32) })],
    ["many", (algorithm, secret) => algorithm.many([secret, secret, secret], { key: secret.subarray(0, 32) })],
    [
      "hashers that are disposed of, of which two took turns",
      (algorithm, secret) => {
        const hashers = [1, 2].map(() => algorithm.create({ key: secret.subarray(0, 32) }));
        for (let i = 0; i < 8; i++) hashers[i % 2]!.update(i < 4 ? secret : Buffer.alloc(3000, secret[0]));
        const digests = hashers.map((hasher) => hasher.digest());
        for (const hasher of hashers) hasher.dispose();
        return digests;
      },
    ],
    [
      "a clone and its original that are disposed of",
      (algorithm, secret) => {
        const hasher = algorithm.create({ key: secret.subarray(0, 32) }).update(secret);
        const clone = hasher.clone().update(secret);
        const digest = hasher.digest();
        hasher.dispose();
        clone.dispose();
        return digest;
      },
    ],
    [
      "a restored hasher that is disposed of",
      (algorithm, secret) => {
        const hasher = algorithm.create({ key: secret.subarray(0, 32) }).update(secret);
        const saved = save(hasher);
        hasher.dispose();
        const restored = restore(algorithm, saved);
        const digest = restored.digest();
        restored.dispose();
        return [saved, digest];
      },
    ],
    ["hmac with a short key", (algorithm, secret) => hmac(algorithm, secret.subarray(0, 20), secret)],
    ["hmac with a key to be hashed", (algorithm, secret) => hmac(algorithm, secret, secret)],
    [
      "an HMAC that is reset and disposed of",
      (algorithm, secret) => {
        const mac = hmac.create(algorithm, secret).update(secret);
        const digests = [mac.digest(), mac.clone().reset().update(secret)].map((each) => {
          if (each instanceof Uint8Array) return each;
          const digest = each.digest();
          each.dispose();
          return digest;
        });
        mac.dispose();
        return digests;
      },
    ],
    ["hkdf", (algorithm, secret) => hkdf(algorithm, secret, { length: 150 })],
    ["hkdf.expand", (algorithm, secret) => hkdf.expand(algorithm, secret, "info", 150)],
    ["hkdf's info", (algorithm, secret) => hkdf(algorithm, new Uint8Array(32), { info: secret, length: 150 })],
    [
      "a hash for @noble/hashes that is copied over another, and destroyed",
      (algorithm, secret) => {
        const create = nobleHash(algorithm).create;
        const [one, other] = [create().update(secret), create().update(secret)];
        one._cloneInto(other);
        const digest = other.digest();
        one.destroy();
        other.destroy();
        return digest;
      },
    ],
    [
      "createHash",
      (_, secret) =>
        createHash("blake2b", { key: secret.subarray(0, 32) })
          .update(secret)
          .digest(),
    ],
  ];

  describe.each(uses)("%s", (_, use) => {
    it.each([blake2b, blake2s, blake3].map((algorithm) => [algorithm.algorithm, algorithm] as const))(
      "%s",
      (_name, algorithm) => {
        expect(tellingArrays((secret) => use(algorithm, secret))).toEqual([]);
      },
    );
  });

  /** Of a part of two groups, by the byte that a secret repeats. */
  const valuesOf = new Map(
    [0, 7, 211].map((byte) => {
      const options = { key: new Uint8Array(32).fill(byte), group: 1024 };
      const part = new SubtreeGroupHasher(options).update(pattern(2048));
      return [byte, [part.chainingValue(), part.groupValues()]];
    }),
  );

  it.each<[string, (secret: Uint8Array) => unknown]>([
    [
      "a collector that is saved, and one that is restored, both disposed of",
      (secret) => {
        const key = secret.subarray(0, 32);
        const value = secret.subarray(32, 64);
        const collector = new SubtreeCollector(5000, 1024, { key });
        for (const { offset } of collector.missing) collector.set(offset, value);
        const saved = collector.save();
        const digests = [collector.chainingValue(), collector.digest(), collector.digest({ length: 50 })];
        collector.dispose();
        const restored = SubtreeCollector.restore(saved);
        const again = restored.digest();
        restored.dispose();
        return [saved, ...digests, again];
      },
    ],
    [
      "a collector whose saved state is refused",
      (secret) => {
        const collector = new SubtreeCollector(5000, 1024, { key: secret.subarray(0, 32) });
        const saved = collector.set(0, secret.subarray(32, 64)).save();
        collector.dispose();
        const wrong = saved.with(-1, saved.at(-1)! ^ 1);
        expect(() => SubtreeCollector.restore(wrong)).toThrow(RangeError);
        return [saved, wrong];
      },
    ],
    [
      "a collector of many parts, with the values of groups",
      (secret) => {
        const collector = new SubtreeCollector(300 * 2048, 2048, { key: secret.subarray(0, 32), group: 1024 });
        for (const { offset } of collector.missing) {
          const [value, groups] = valuesOf.get(secret[0]!)!.map((bytes) => bytes.slice()) as [Uint8Array, Uint8Array];
          collector.set(offset, value, groups);
          expect(() => collector.set(offset, value, new Uint8Array(64))).toThrow("groupValues");
          for (const bytes of [value, groups]) bytes.fill(0);
        }
        const [saved, xof] = [collector.save(), collector.xof()];
        const returned = [saved, collector.chainingValue(), collector.digest(), xof.read(40)];
        xof.dispose();
        collector.dispose();
        return returned;
      },
    ],
    [
      "a subtree of more groups than are merged at once",
      (secret) => {
        const hasher = new SubtreeGroupHasher({ key: secret.subarray(0, 32), group: 1024 });
        const value = hasher.update(pattern(2 ** 21 + 1)).chainingValue();
        hasher.dispose();
        return value;
      },
    ],
    [
      "the values of groups of a subtree",
      (secret) => {
        const hasher = new SubtreeGroupHasher({ key: secret.subarray(0, 32), group: 1024 }).update(pattern(3 * 1024));
        blake3.create().update("another, in whose place its state is moved").digest();
        const values = hasher.groupValues();
        hasher.dispose();
        const digest = blake3(values);
        values.fill(0);
        return digest;
      },
    ],
    [
      "a subtree, at once and in pieces",
      (secret) => {
        const mode = { key: secret.subarray(0, 32), offset: 4096 };
        const hasher = new SubtreeHasher(mode).update(secret);
        blake3.create().update("another, in whose place its state is moved").digest();
        const value = hasher.update(secret).chainingValue();
        hasher.dispose();
        return [chainingValue(secret, mode), value];
      },
    ],
    [
      "derived keys",
      (secret) =>
        [blake3(secret, { context: "a context" }), blake3.many([secret, secret], { context: "a context" })].flat(),
    ],
    [
      "readers that are disposed of",
      (secret) => {
        const [key, left, right] = [0, 32, 64].map((at) => secret.subarray(at, at + 32)) as [
          Uint8Array,
          Uint8Array,
          Uint8Array,
        ];
        const hashers = [blake2xb, blake2xs, blake3].map((algorithm) => algorithm.create({ key }).update(secret));
        const readers = [rootXof(left, right, { key }), ...hashers.map((hasher) => hasher.xof())];
        for (const hasher of hashers) hasher.dispose();
        const outputs = readers.flatMap((xof) => [xof.read(100), xof.read(10)]);
        for (const xof of readers) xof.dispose();
        return outputs;
      },
    ],
    [
      "merged subtrees",
      (secret) => {
        const [key, left, right] = [0, 32, 64].map((at) => secret.subarray(at, at + 32)) as [
          Uint8Array,
          Uint8Array,
          Uint8Array,
        ];
        return [
          mergeSubtrees(left, right, { key }),
          rootOf(left, right, { key }),
          rootOf(left, right, { key }, { length: 200 }),
        ];
      },
    ],
  ])("%s", (_, use) => {
    expect(tellingArrays(use)).toEqual([]);
  });

  it("else it is found", () => {
    const live: unknown[] = [];
    const use = (secret: Uint8Array) => live.push(blake2b.create({ key: secret.subarray(0, 32) }).update(secret));
    expect(tellingArrays(use)).not.toEqual([]);
  });
});

/** Copies of bytes that are zeroed by `fill` while an action runs. */
async function wipedDuring(bytes: Uint8Array, act: () => Promise<unknown>): Promise<Uint8Array[]> {
  const { fill } = Uint8Array.prototype;
  const wiped: Uint8Array[] = [];
  vi.spyOn(Uint8Array.prototype, "fill").mockImplementation(function (this: Uint8Array, ...args) {
    if (this.length === bytes.length && Buffer.compare(this, bytes) === 0) wiped.push(this);
    return fill.apply(this, args);
  });
  await act();
  vi.restoreAllMocks();
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
    const hash = () => pool.hash(pattern(length), { ...options, key }).catch(() => {});
    const copies = await wipedDuring(key, hash);
    expect(copies).toHaveLength(1);
    expect(copies[0]).not.toBe(key);
    expect(isZero(copies[0]!)).toBe(true);
    expect(isZero(key)).toBe(false);
    await pool.close();
  });
});
