// HMAC and HKDF against OpenSSL, @noble/hashes and a reference over each algorithm's oracle; and this package's
// algorithms in @noble/hashes' own constructions and in @noble/curves.
import { createHmac, hkdfSync } from "node:crypto";
import { eddsa } from "@noble/curves/abstract/edwards.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import * as nobleBlake1 from "@noble/hashes/blake1.js";
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { expand as nobleExpand, extract as nobleExtract, hkdf as nobleHkdf } from "@noble/hashes/hkdf.js";
import { hmac as nobleHmac } from "@noble/hashes/hmac.js";
import { pbkdf2 as noblePbkdf2 } from "@noble/hashes/pbkdf2.js";
import { blake2b, blake2s, blake3, blake256, blake512, toHex } from "blake-simd";
import { hkdf, hmac, nobleHash } from "blake-simd/hmac";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { pattern } from "../support/messages.ts";
import { expectedDigest, oracleHash } from "../support/oracle.ts";
import { eachSubject, keyOf, type Subject } from "../support/subjects.ts";

const LENGTHS = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 3000];
const message = pattern(3000);

/** RFC 2104, section 2, over the algorithm's oracle. */
function reference({ name, blockLength }: Subject, key: Uint8Array, text: Uint8Array): Uint8Array {
  const block = new Uint8Array(blockLength);
  block.set(key.length > blockLength ? expectedDigest(name, key) : key);
  const pad = (byte: number) => block.map((each) => each ^ byte);
  const inner = oracleHash(name).update(pad(0x36)).update(text).digest();
  return oracleHash(name).update(pad(0x5c)).update(inner).digest();
}

eachSubject((subject) => {
  const { algorithm, digestLength, blockLength } = subject;

  it("has the HMAC of RFC 2104, for keys and messages of every kind of length", () => {
    for (const length of LENGTHS) {
      const text = message.subarray(0, length);
      expect(hmac(algorithm, keyOf(length), text)).toEqual(new Uint8Array(reference(subject, keyOf(length), text)));
    }
  });

  it("gives the same in pieces, again after reset, and to a clone", () => {
    const key = keyOf(20);
    const mac = hmac.create(algorithm, key);
    const wanted = hmac(algorithm, key, message);
    mac.update(message.subarray(0, 700));
    const clone = mac.clone();
    mac.update(message.subarray(700));
    expect(mac.digest()).toEqual(wanted);
    expect(mac.digest("hex")).toBe(toHex(wanted));
    mac.reset().update("other").digest();
    mac.dispose();
    expect(clone.update(message.subarray(700)).digest()).toEqual(wanted);
    expect([clone.digestLength, clone.blockLength]).toEqual([digestLength, blockLength]);
    expectError(() => mac.update(""), Error, `hmac-${subject.name}.update: `, "disposed");
  });

  it("says to @noble/hashes that it has no long output", () => {
    const adapted = nobleHash(algorithm);
    expect([adapted.canXOF, adapted.create().canXOF]).toEqual([false, false]);
  });

  it("copies a hash for @noble/hashes into another, or a new one", () => {
    const { create } = nobleHash(algorithm);
    const [from, to] = [create().update(Buffer.from("ab")), create().update(Buffer.from("x"))];
    const made = from._cloneInto();
    expect(from._cloneInto(to)).toBe(to);
    for (const each of [to, made, from]) expect(each.update(Buffer.from("c")).digest()).toEqual(algorithm("abc"));
  });

  it("copies a hash for @noble/hashes into one of other lengths", () => {
    const from = nobleHash(algorithm).create().update(Buffer.from("abc"));
    for (const other of [blake256, blake2b, blake512]) {
      const to = from._cloneInto(nobleHash(other).create());
      expect([to.outputLen, to.blockLen]).toEqual([digestLength, blockLength]);
      expect(to.digest()).toHaveLength(to.outputLen);
    }
  });

  it("wipes the key of a hash for @noble/hashes that is destroyed, but not those of the hashes that it created", () => {
    const hash = nobleHash(algorithm);
    const created = hash.create().update(Buffer.from("ab"));
    hash.destroy();
    hash.destroy();
    expect(() => hash(message)).toThrow("disposed");
    expect(() => hash.create()).toThrow("disposed");
    expect(created.update(Buffer.from("c")).digest()).toEqual(algorithm("abc"));
  });

  it("serves @noble/hashes' hmac and hkdf", () => {
    const hash = nobleHash(algorithm);
    expect(nobleHmac(hash, keyOf(300), message)).toEqual(hmac(algorithm, keyOf(300), message));
    const ours = hkdf(algorithm, message, { salt: "salt", info: "info", length: 2 * digestLength + 3 });
    const theirs = nobleHkdf(hash, message, Buffer.from("salt"), Buffer.from("info"), 2 * digestLength + 3);
    expect(theirs).toEqual(ours);
  });
});

describe("against independent implementations", () => {
  it.each([
    ["blake2b512", blake2b],
    ["blake2s256", blake2s],
  ] as const)("OpenSSL's HMAC and HKDF with %s", (name, algorithm) => {
    for (const length of LENGTHS) {
      const text = message.subarray(0, length);
      const wanted = createHmac(name, keyOf(length)).update(text).digest("hex");
      expect(toHex(hmac(algorithm, keyOf(length), text))).toBe(wanted);
    }
    for (const length of [1, algorithm.digestLength, 255 * algorithm.digestLength]) {
      const wanted = Buffer.from(hkdfSync(name, keyOf(40), "salt", "info", length)).toString("hex");
      expect(toHex(hkdf(algorithm, keyOf(40), { salt: "salt", info: "info", length }))).toBe(wanted);
    }
  });

  it.each([
    ["BLAKE-256", blake256, nobleBlake1.blake256],
    ["BLAKE-512", blake512, nobleBlake1.blake512],
    ["BLAKE2b", blake2b, nobleBlake2b],
    ["BLAKE2s", blake2s, nobleBlake2s],
    ["BLAKE3", blake3, nobleBlake3],
  ] as const)("@noble/hashes with its own %s", (_, algorithm, theirs) => {
    expect(hmac(algorithm, keyOf(77), message)).toEqual(nobleHmac(theirs, keyOf(77), message));
    const prk = hkdf.extract(algorithm, message);
    expect(prk).toEqual(nobleExtract(theirs, message));
    expect(hkdf.expand(algorithm, prk, "info", 100)).toEqual(nobleExpand(theirs, prk, Buffer.from("info"), 100));
    expect(hkdf(algorithm, message)).toEqual(nobleHkdf(theirs, message, undefined, undefined, algorithm.digestLength));
    const options = { c: 20, dkLen: 150 };
    const ours = noblePbkdf2(nobleHash(algorithm as never), "password", "salt", options);
    expect(ours).toEqual(noblePbkdf2(theirs, "password", "salt", options));
  });

  it("@noble/curves signs with this package's BLAKE2b as with its own library's", () => {
    const { Point } = ed25519;
    const secret = keyOf(32);
    const [ours, theirs] = [nobleHash(blake2b), nobleBlake2b].map((hash) => eddsa(Point, hash as typeof nobleBlake2b));
    const signature = ours!.sign(message, secret);
    expect(signature).toEqual(theirs!.sign(message, secret));
    expect(ours!.verify(signature, message, theirs!.getPublicKey(secret))).toBe(true);
  });
});

describe("wrong calls", () => {
  type Loose = (...args: unknown[]) => unknown;
  const key = keyOf(32);
  it.each<[text: string, act: () => unknown, kind?: new () => Error]>([
    ["hmac: algorithm must be one", () => (hmac as Loose)("blake2s", "k", "")],
    ["hmac: key must be", () => (hmac as Loose)(blake2s, undefined, "")],
    ["hmac: input must be", () => (hmac as Loose)(blake2s, key)],
    ["hkdf.extract: algorithm must", () => (hkdf.extract as Loose)(5, "k")],
    ["hkdf.extract: salt must be", () => (hkdf.extract as Loose)(blake2s, key, 5)],
    ["hkdf.expand: key must", () => (hkdf.expand as Loose)(blake2s, 5, 6)],
    ["hkdf: material must be", () => (hkdf as unknown as Loose)(blake2s)],
    [
      'hkdf: unknown option "dkLen"; did you mean "length"?',
      () => (hkdf as unknown as Loose)(blake2s, key, { dkLen: 3 }),
    ],
    ["hkdf: length must be an integer from 1 to 8160", () => hkdf(blake2s, key, { length: 0 }), RangeError],
    ["hkdf: length", () => hkdf(blake2s, key, { length: 8161 }), RangeError],
    ["hmac: algorithm must be", () => hmac(nobleHash(blake2b) as never, key, "a")],
    ["hmac.create: algorithm must be", () => hmac.create(nobleBlake2b as never, key)],
    ["hkdf: algorithm must be", () => hkdf({ create: () => ({}) } as never, key)],
    ["nobleHash: algorithm must be", () => (nobleHash as unknown as Loose)(5)],
  ])("%s", (text, act, kind = TypeError) => {
    expect(act).toThrow(kind);
    expect(act).toThrow(text);
  });
});
