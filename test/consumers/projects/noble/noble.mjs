// This package's hashes in the constructions of @noble/hashes and @noble/curves, beside noble's own hashes.
import assert from "node:assert/strict";
import { eddsa } from "@noble/curves/abstract/edwards.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { blake2b, blake2s, blake3 } from "blake-simd";
import { nobleHash, hkdf as ourHkdf, hmac as ourHmac } from "blake-simd/hmac";

const message = crypto.getRandomValues(new Uint8Array(1000));
const [key, salt, info] = [100, 17, 40].map((length) => crypto.getRandomValues(new Uint8Array(length)));

for (const [ours, theirs] of [
  [blake2b, nobleBlake2b],
  [blake2s, nobleBlake2s],
  [blake3, nobleBlake3],
]) {
  const hash = nobleHash(ours);
  assert.deepEqual(hmac(hash, key, message), hmac(theirs, key, message));
  assert.deepEqual(ourHmac(ours, key, message), hmac(theirs, key, message));
  assert.deepEqual(hkdf(hash, message, salt, info, 100), hkdf(theirs, message, salt, info, 100));
  assert.deepEqual(ourHkdf(ours, message, { salt, info, length: 100 }), hkdf(theirs, message, salt, info, 100));
  const options = { c: 10, dkLen: 77 };
  assert.deepEqual(pbkdf2(hash, key, salt, options), pbkdf2(theirs, key, salt, options));
}

const secret = crypto.getRandomValues(new Uint8Array(32));
const [ours, theirs] = [nobleHash(blake2b), nobleBlake2b].map((hash) => eddsa(ed25519.Point, hash));
assert.deepEqual(ours.sign(message, secret), theirs.sign(message, secret));
assert.ok(theirs.verify(ours.sign(message, secret), message, ours.getPublicKey(secret)));

await import("./print.mjs");
