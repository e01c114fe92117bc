// What an argument holds is never in an error's message where it may be secret: its kind and its length are. Nor are
// megabytes, which an error says in no time.
import * as main from "blake-simd";
import * as hazmat from "blake-simd/hazmat";
import { hkdf, hmac, nobleHash } from "blake-simd/hmac";
import { createHash, createHmac, hashThrough } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { restore } from "blake-simd/states";
import { digestOf, HashStream, VerifyStream } from "blake-simd/streams";
import { afterAll, describe, expect, it } from "vitest";
import { expectQuick, messageOf } from "../support/errors.ts";
import { subjects } from "../support/subjects.ts";

const { blake2b, blake2s, blake3 } = main;
const pool = new Blake3Pool({ threads: 0 });
afterAll(() => pool.close());

// biome-ignore lint/suspicious/noExplicitAny: calls that the types forbid
const loose = (value: unknown) => value as any;
const key = new Uint8Array(32);

/** Calls with a value where a key, a context, a message, or what becomes one, is expected. */
const calls: Record<string, (secret: unknown) => unknown> = {
  ...Object.fromEntries(
    subjects.flatMap(({ algorithm, name, keyLengths }) => [
      [name, (secret: unknown) => loose(algorithm)(secret)],
      [`${name}, second`, (secret: unknown) => loose(algorithm)("m", secret)],
      [`${name}, third`, (secret: unknown) => loose(algorithm)("m", {}, secret)],
      [`${name}.many`, (secret: unknown) => loose(algorithm).many([secret])],
      [`${name}.hex`, (secret: unknown) => loose(algorithm).hex(secret)],
      [`${name}.into`, (secret: unknown) => loose(algorithm).into(secret, key)],
      [`${name}.into, swapped`, (secret: unknown) => loose(algorithm).into(key, secret)],
      [`${name}.update`, (secret: unknown) => loose(algorithm).create().update(secret)],
      [`${name} hasher.digest`, (secret: unknown) => loose(algorithm).create().digest(secret)],
      ...(keyLengths.length > 0
        ? [
            [`${name}, key`, (secret: unknown) => loose(algorithm)("m", { key: secret })],
            [`${name}.create, key`, (secret: unknown) => loose(algorithm).create({ key: secret })],
          ]
        : []),
      [`${name}, salt`, (secret: unknown) => loose(algorithm)("m", { salt: secret, context: secret })],
      [`createHash ${name}, key`, (secret: unknown) => loose(createHash)(name, { key: secret })],
    ]),
  ),
  "blake3, context": (secret) => loose(blake3)("m", { context: secret }),
  updateUint8: (secret) => loose(blake3.create()).updateUint8(secret),
  updateUint32LE: (secret) => loose(blake3.create()).updateUint32LE(secret),
  updateUint64LE: (secret) => loose(blake3.create()).updateUint64LE(secret),
  updateUint64BE: (secret) => loose(blake3.create()).updateUint64BE(secret),
  updateFloat32LE: (secret) => loose(blake3.create()).updateFloat32LE(secret),
  "hmac, key": (secret) => loose(hmac)(blake2s, secret, "m"),
  "hmac, message": (secret) => loose(hmac)(blake2s, key, secret),
  "hmac, algorithm": (secret) => loose(hmac)(secret, "blake2s", "m"),
  "hmac.create": (secret) => loose(hmac).create(blake2s, secret),
  "hmac.update": (secret) => loose(hmac.create(blake2s, key)).update(secret),
  "hmac.digest": (secret) => loose(hmac.create(blake2s, key)).digest(secret),
  hkdf: (secret) => loose(hkdf)(blake2s, secret),
  "hkdf, swapped": (secret) => loose(hkdf)(secret, blake2s),
  "hkdf, options": (secret) => loose(hkdf)(blake2s, key, secret),
  "hkdf, salt": (secret) => loose(hkdf)(blake2s, key, { salt: secret, info: 1 }),
  "hkdf.extract": (secret) => loose(hkdf).extract(blake2s, secret),
  "hkdf.expand": (secret) => loose(hkdf).expand(blake2s, secret),
  "nobleHash, key": (secret) => loose(nobleHash)(blake2b, { key: secret }),
  "nobleHash, message": (secret) => loose(nobleHash(blake2b))(secret, 1),
  "createHash, name": (secret) => loose(createHash)(secret),
  "createHash, encoding": (secret) => loose(createHash)("blake3", { encoding: secret }),
  "createHash, options": (secret) => loose(createHash)("blake3", secret, 1),
  "createHmac, swapped": (secret) => loose(createHmac)(secret, "blake2s"),
  "createHmac, key": (secret) => loose(createHmac)("blake2s", [secret]),
  "createHmac, options": (secret) => loose(createHmac)("blake2s", key, [secret]),
  "createHash, update": (secret) => loose(createHash("blake3")).update([secret]),
  hashThrough: (secret) => loose(hashThrough)(blake3, secret),
  digestOf: (secret) => loose(digestOf)(blake3, [[secret]]),
  "digestOf, algorithm": (secret) => loose(digestOf)(secret, "m"),
  "digestOf, key": (secret) => loose(digestOf)(blake3, key, { key: secret }),
  "HashStream, options": (secret) => new (loose(HashStream))(blake3, { key: secret }),
  "VerifyStream, key": (secret) => new (loose(VerifyStream))(blake3, "00", { key: secret }),
  "pool, source": (secret) => loose(pool).hash([secret]),
  "pool, key": (secret) => loose(pool).hash(key, { key: secret }),
  chainingValue: (secret) => loose(hazmat).chainingValue([secret]),
  "chainingValue, key": (secret) => loose(hazmat).chainingValue("m", { key: secret }),
  mergeSubtrees: (secret) => loose(hazmat).mergeSubtrees(secret, key),
  "collector.set": (secret) => new hazmat.SubtreeCollector(5000, 1024).set(0, loose(secret)),
  restore: (secret) => loose(restore)(blake3, secret),
  toHex: (secret) => loose(main).toHex(secret),
  fromHex: (secret) => loose(main).fromHex(secret),
  equal: (secret) => loose(main).equal(secret, key),
  useBackend: (secret) => loose(main).useBackend(secret),
};

/** Values that hold a secret, by every kind that an argument can have. */
const secrets: Record<string, unknown> = {
  "an object that calls itself so": { [Symbol.toStringTag]: "correct horse battery 7418" },
  "a number": 74183,
  "a negative number": -74183.5,
  "a bigint": 0x7418_3741_8374_1837_4183_7418_3741n,
  "a negative bigint": -0x7418_3741n,
  "a text": "74183 battery staple 74183",
  "an array": ["74183"],
  "a boxed text": new String("74183"),
  "a boxed number": new Number(74183),
  "an object": { toString: () => "74183", toJSON: () => "74183" },
  "a symbol": Symbol("74183"),
  "a function": () => "74183",
  "a Date": new Date(74183),
};

describe.each(Object.entries(calls))("%s", (_, call) => {
  it("does not say what it was given", async () => {
    for (const [kind, secret] of Object.entries(secrets)) {
      const text = await messageOf(() => call(secret));
      expect(text, kind).not.toMatch(/7.?4.?1.?8.?3|battery|1950482|4831/);
      expect(text, kind).not.toContain(String(0x7418_3741));
      expect(text.length, text).toBeLessThan(400);
    }
  });
});

describe("megabytes", () => {
  const long = "aBcdefghij".repeat(10 ** 6);
  const huge = 1n << 8_000_000n;
  // Milliseconds on an idle machine.
  const SOON = 500;

  const wrong: Record<string, () => unknown> = {
    ...Object.fromEntries(
      subjects.flatMap(({ algorithm, name }) => [
        [`${name}: a name`, () => algorithm("m", { [long]: 1 } as never)],
        [`${name}: a bigint as input`, () => loose(algorithm)(huge)],
        [`${name}: a bigint as an option`, () => algorithm.create({ length: huge, salt: huge } as never)],
      ]),
    ),
    "a name for createHash": () => createHash(long),
    "an option of createHash": () => createHash("blake3", { [long]: 1 } as never),
    "an option of createHmac": () => loose(createHmac)("blake3", "", { [long]: 1 }),
    "an option of hkdf": () => loose(hkdf)(blake2s, key, { [long]: 1 }),
    "an option of digestOf": () => digestOf(blake3, key, { [long]: 1 } as never),
    "an option of a pool": () => pool.hash(key, { [long]: 1 } as never),
    "an encoding": () => loose(blake3.create()).digest(long),
    "an encoding of createHash": () => createHash("blake3", { encoding: long as "hex" }),
    "digits that are none": () => main.fromHex(`${long}!!`),
    "a node offset": () => blake2b("m", { nodeOffset: huge }),
    "a negative node offset": () => blake2s("m", { nodeOffset: -huge }),
    "a position": () => {
      blake3.create().xof().position = huge;
    },
    "an offset": () => hazmat.chainingValue("m", { offset: huge }),
    "an offset of a collector": () => new hazmat.SubtreeCollector(5000, 1024, { offset: huge }),
    "a length of a subtree": () => hazmat.leftSubtreeLength(huge),
    "an integer": () => blake3.create().updateUint64LE(huge),
  };

  it.each(Object.entries(wrong))("%s: refused at once, in few words", async (_, act) => {
    const text = await messageOf(act);
    await expectQuick(SOON, () => messageOf(act));
    expect(text).not.toBe("no error");
    expect(text.length, text.slice(0, 100)).toBeLessThan(400);
  });
});
