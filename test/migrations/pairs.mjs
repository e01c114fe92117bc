// What docs/migrate.md has in the place of calls of packages without an adapter: both of each pair give the same.
import { createHash, createHmac } from "node:crypto";
import { blake256 as nobleBlake256 } from "@noble/hashes/blake1.js";
import { blake2b as nobleBlake2b } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { hkdf as nobleHkdf } from "@noble/hashes/hkdf.js";
import { blake2b, blake2s, blake2sp, blake3, blake256, fromHex } from "blake-simd";
import { hkdf, hmac } from "blake-simd/hmac";
import blake2 from "blake2";

const [key, salt, personal] = [32, 16, 16].map((length, i) => Buffer.alloc(length, 7 + i));
const [hello, context] = [Buffer.from("hello"), "example.com 2026 sessions"];

export const pairs = {
  "@noble/hashes": [
    [() => nobleBlake3(hello), () => blake3("hello")],
    [() => nobleBlake3(hello, { key, dkLen: 16 }), () => blake3("hello", { key, length: 16 })],
    [() => nobleBlake3(key, { context: Buffer.from(context) }), () => blake3(key, { context })],
    [() => nobleBlake2b(hello, { personalization: personal }), () => blake2b("hello", { personal })],
    [() => nobleBlake256(hello), () => blake256("hello")],
    [() => nobleBlake3.create().update(hello).xof(100), () => blake3.create().update("hello").xof().read(100)],
    [
      () => nobleHkdf(nobleBlake2b, key, salt, hello, 48),
      () => hkdf(blake2b, key, { salt, info: "hello", length: 48 }),
    ],
  ],
  blake2: [
    [() => blake2.createHash("blake2b").update(hello).digest(), () => blake2b.create().update("hello").digest()],
    [
      () => blake2.createHash("blake2b", { digestLength: 16 }).update(hello).digest(),
      () => blake2b("hello", { length: 16 }),
    ],
    [() => blake2.createKeyedHash("blake2s", key).update(hello).digest(), () => blake2s("hello", { key })],
    [() => blake2.createHash("blake2sp").update(hello).digest(), () => blake2sp("hello")],
  ],
  "node:crypto": [
    [
      () => createHash("blake2b512").update("a").update("b").digest(),
      () => blake2b.create().update("a").update("b").digest(),
    ],
    [
      () => createHash("blake2s256").update("616263", "hex").copy().update("b").digest(),
      () => blake2s.create().update(fromHex("616263")).clone().update("b").digest(),
    ],
    [() => createHmac("blake2s256", key).update("hello").digest(), () => hmac(blake2s, key, "hello")],
  ],
};
