import assert from "node:assert/strict";
import { CarReader } from "@ipld/car";
import { blake3 } from "@noble/hashes/blake3.js";
import { carOf } from "../car.mjs";

const message = Buffer.alloc(1_000_000, "message");
const reader = await CarReader.fromIterable(await carOf(message));
const [root] = await reader.getRoots();
assert.ok(await reader.has(root));
const leaves = [];
for await (const { cid, bytes } of reader.blocks()) {
  assert.equal(cid.multihash.code, 0x1e);
  assert.deepEqual(cid.multihash.digest, blake3(bytes));
  if (!cid.equals(root)) leaves.push(bytes);
}
assert.equal(leaves.length, 4);
