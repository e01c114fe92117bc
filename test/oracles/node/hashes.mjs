// Hashes of npm whose counters lie open, for messages after `count` bytes that left the chaining values alone.
import { BLAKE2b } from "@stablelib/blake2b";
import { BLAKE2s } from "@stablelib/blake2s";
import cryptocoin from "blake-hash/lib/index.js";

const words = (value, count) =>
  Array.from({ length: count }, (_, i) => Number((value >> BigInt(32 * i)) & 0xffffffffn));

/** blake-hash takes no salt and no counter from outside, but keeps both in plain sight. */
export function blake1(name, message, { salt, count = 0n }) {
  const engine = new cryptocoin[name.replace("b", "B")]();
  if (salt) engine._s = engine._s.map((_, i) => Buffer.from(salt).readUInt32BE(4 * i));
  engine._length = words(count * 8n, engine._length.length);
  engine.update(message);
  return engine.digest();
}

// The two classes of @stablelib differ in how they take a node offset and where they keep the counter.
const blake2bp = {
  Hash: BLAKE2b,
  width: 64,
  leaves: 4,
  offset: (nodeOffsetLowBits) => ({ nodeOffsetLowBits, nodeOffsetHighBits: 0 }),
  setCount: (hasher, count) => hasher._ctr.set(words(count, 4)),
};
const blake2sp = {
  Hash: BLAKE2s,
  width: 32,
  leaves: 8,
  offset: (nodeOffset) => ({ nodeOffset }),
  setCount: (hasher, count) => ([hasher._ctr0, hasher._ctr1] = words(count, 2)),
};
const kinds = { blake2bp, blake2sp };

/** The leaves hash the blocks in turn, and share the count; the root hashes the leaves' digests. */
export function parallel(name, message, { count = 0n }) {
  const { Hash, width, leaves, offset, setCount } = kinds[name];
  const node = (number, nodeDepth, lastNode) => {
    const shape = { fanout: leaves, maxDepth: 2, leafSize: 0, innerDigestLength: width, nodeDepth, lastNode };
    return new Hash(width, { tree: { ...shape, ...offset(number) } });
  };
  const root = node(0, 1, true);
  for (let leaf = 0; leaf < leaves; leaf++) {
    const hasher = node(leaf, 0, leaf === leaves - 1);
    setCount(hasher, count / BigInt(leaves));
    const { blockSize } = hasher;
    hasher.update(message.filter((_, at) => Math.floor(at / blockSize) % leaves === leaf));
    root.update(hasher.digest());
  }
  return root.digest();
}
