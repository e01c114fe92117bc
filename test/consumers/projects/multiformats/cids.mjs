// The hashers of examples/multiformats as the multiformats package uses them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import * as Block from "multiformats/block";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { hashers } from "./hashers.js";

const message = new TextEncoder().encode("hello");
const families = [
  ["blake2b", 0xb200, 64, nobleBlake2b],
  ["blake2s", 0xb240, 32, nobleBlake2s],
];

for (const [name, code, most, theirs] of families) {
  for (let length = 1; length <= most; length++) {
    const hash = await hashers[`${name}-${8 * length}`].digest(message);
    assert.equal(hash.code, code + length);
    assert.deepEqual(Buffer.from(hash.digest), Buffer.from(theirs(message, { dkLen: length })));
  }
}
assert.equal(Object.keys(hashers).length, 1 + 64 + 32);
const { digest } = await hashers["blake2b-512"].digest(message);
assert.equal(Buffer.from(digest).toString("hex"), createHash("blake2b512").update(message).digest("hex"));

const block = await Block.encode({ value: message, codec: raw, hasher: hashers.blake3 });
assert.equal(block.cid.multihash.code, 0x1e);
assert.deepEqual(Buffer.from(block.cid.multihash.digest), Buffer.from(nobleBlake3(message)));
const cid = CID.parse(block.cid.toString());
const again = await Block.create({ bytes: message, cid, codec: raw, hasher: hashers.blake3 });
assert.ok(again.cid.equals(cid));
await assert.rejects(Block.create({ bytes: message.slice(1), cid, codec: raw, hasher: hashers.blake3 }));

await import("./print.mjs");
