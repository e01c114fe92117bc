// This package's hashes in the constructions of @noble/hashes and @noble/curves, beside noble's own hashes. It compiles with
// the types of both major versions.
import assert from "node:assert/strict";
import { eddsa } from "@noble/curves/abstract/edwards.js";
import { expand_message_xmd } from "@noble/curves/abstract/hash-to-curve.js";
import { ecdsa } from "@noble/curves/abstract/weierstrass.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { expand, extract, hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { pbkdf2, pbkdf2Async } from "@noble/hashes/pbkdf2.js";
import { type CHash, concatBytes } from "@noble/hashes/utils.js";
import { type Algorithm, blake2b, blake2s, blake3 } from "blake-simd";
import { nobleHash, hkdf as ourHkdf, hmac as ourHmac } from "blake-simd/hmac";

const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
const [message, key, salt, info] = [random(1000), random(100), random(17), random(40)] as const;

/** What a library does that has a hash passed to it. */
function used(hash: CHash) {
  const hasher = hash.create().update(message);
  const { blockLen, outputLen } = hash;
  const copied: Uint8Array = hasher.clone().update(key).digest();
  return [blockLen, outputLen, hasher.blockLen, copied, hash(concatBytes(message, key)), hasher.digest()];
}

async function compare(algorithm: Algorithm, theirs: CHash) {
  const ours: CHash = nobleHash(algorithm);
  assert.deepEqual(used(ours), used(theirs));
  assert.deepEqual(hmac(ours, key, message), hmac(theirs, key, message));
  assert.deepEqual(ourHmac(algorithm, key, message), hmac(theirs, key, message));
  assert.deepEqual(hmac.create(ours, key).update(message).digest(), hmac(theirs, key, message));
  assert.deepEqual(hkdf(ours, message, salt, info, 100), hkdf(theirs, message, salt, info, 100));
  assert.deepEqual(expand(ours, extract(ours, key), info), expand(theirs, extract(theirs, key), info));
  assert.deepEqual(ourHkdf(algorithm, message, { salt, info, length: 100 }), hkdf(theirs, message, salt, info, 100));
  const options = { c: 10, dkLen: 77 };
  assert.deepEqual(pbkdf2(ours, key, salt, options), pbkdf2(theirs, key, salt, options));
  assert.deepEqual(await pbkdf2Async(ours, key, salt, options), await pbkdf2Async(theirs, key, salt, options));
  const expanded = [ours, theirs].map((hash) => expand_message_xmd(message, salt, 100, hash));
  assert.deepEqual(expanded[0], expanded[1]);
}

await compare(blake2b, nobleBlake2b);
await compare(blake2s, nobleBlake2s);
await compare(blake3, nobleBlake3);

const secret = ed25519.utils.randomSecretKey();
const [ours, theirs] = [eddsa(ed25519.Point, nobleHash(blake2b)), eddsa(ed25519.Point, nobleBlake2b)];
assert.deepEqual(ours.sign(message, secret), theirs.sign(message, secret));
assert.ok(theirs.verify(ours.sign(message, secret), message, ours.getPublicKey(secret)));

const [our, their] = [ecdsa(secp256k1.Point, nobleHash(blake2s)), ecdsa(secp256k1.Point, nobleBlake2s)];
// Version 1 makes a class of signatures for each curve.
assert.deepEqual({ ...our.sign(message, secret) }, { ...their.sign(message, secret) });

await import("./print.mjs" as string);
