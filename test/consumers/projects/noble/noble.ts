// This package's hashes in constructions of @noble/hashes and @noble/curves, beside noble's own hashes, under the types
// of both major versions.
import assert from "node:assert/strict";
import { eddsa } from "@noble/curves/abstract/edwards.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { type CHash, concatBytes } from "@noble/hashes/utils.js";
import { type Algorithm, blake2b, blake2s, blake3 } from "blake-simd";
import { nobleHash } from "blake-simd/hmac";

const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
const [message, key, salt, secret] = [random(1000), random(100), random(17), random(32)] as const;

/** What a library does that has a hash passed to it. */
function used(hash: CHash) {
  const hasher = hash.create().update(message);
  const copied: Uint8Array = hasher.clone().update(key).digest();
  const lengths = [hash.blockLen, hash.outputLen, hasher.blockLen];
  const codes = [hmac(hash, key, message), hkdf(hash, message, salt, key, 100), pbkdf2(hash, key, salt, { c: 10 })];
  return [...lengths, copied, hash(concatBytes(message, key)), hasher.digest(), ...codes];
}

function compare(algorithm: Algorithm, theirs: CHash) {
  const ours: CHash = nobleHash(algorithm);
  assert.deepEqual(used(ours), used(theirs));
}

compare(blake2b, nobleBlake2b);
compare(blake2s, nobleBlake2s);
compare(blake3, nobleBlake3);

const [ours, theirs] = [eddsa(ed25519.Point, nobleHash(blake2b)), eddsa(ed25519.Point, nobleBlake2b)];
assert.deepEqual(ours.sign(message, secret), theirs.sign(message, secret));
assert.ok(theirs.verify(ours.sign(message, secret), message, ours.getPublicKey(secret)));

await import("./print.mjs" as string);
