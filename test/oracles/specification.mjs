// The proofs' specification on bytes, with the API's options. Its counters can start anywhere, which no other
// implementation offers.
import * as spec from "../evidence/prove/specification.mjs";

const { bytesOfWords, IV, littleEndian, padded, range, wordsOf, ZERO } = spec;
const list = (bytes) => [...(bytes ?? [])];
const counterAt = (count) => spec.after(ZERO, count);

/** RFC 7693, section 2.5, with all fields of the BLAKE2 paper, section 2.8. */
function parameterBlock(w, options) {
  const { length = w, key, fanout = 1, maxDepth = 1, maxLeafLength = 0, nodeOffset = 0n } = options;
  const { nodeDepth = 0, innerHashLength = 0, salt, personal } = options;
  const tree = [...littleEndian(maxLeafLength, 4), ...littleEndian(nodeOffset, w === 64 ? 8 : 6), nodeDepth];
  const head = [length, key?.length ?? 0, fanout, maxDepth, ...tree, innerHashLength];
  return [...padded(head, w / 2), ...padded(list(salt), w / 4), ...padded(list(personal), w / 4)];
}

/** The nodes of a message that has begun: one, or leaves that take its blocks in turn. `finish` makes their digest. */
class Blake2 {
  constructor(w, nodes, finish, length = 0) {
    Object.assign(this, { w, nodes, finish, length });
  }

  update(bytes) {
    const block = 2 * this.w;
    for (let at = 0, end; at < bytes.length; at = end) {
      end = at + (this.nodes.length === 1 ? 4096 : block - (this.length % block));
      const piece = bytes.subarray(at, end);
      const leaf = Math.floor(this.length / block) % this.nodes.length;
      const { chain, t, rest } = this.nodes[leaf];
      this.nodes[leaf] = spec.absorb(spec.blocks2(this.w), chain, t, [...rest, ...piece]);
      this.length += piece.length;
    }
    return this;
  }

  clone() {
    return new Blake2(this.w, [...this.nodes], this.finish, this.length);
  }

  digest() {
    return Uint8Array.from(this.finish(this.nodes));
  }
}

const nodeOf = (w, options) => ({
  chain: spec.start2(w, parameterBlock(w, options)),
  t: counterAt(options.count ?? 0n),
  rest: options.key?.length ? padded(list(options.key), 2 * w) : [],
});
const chainBytes = (w, { chain, t, rest }, isLast) => spec.finish2(w, chain, rest, t, isLast);

const plain = (w) => (options) =>
  new Blake2(w, [nodeOf(w, options)], ([node]) => chainBytes(w, node, options.lastNode).slice(0, options.length));

/** Leaves whose counters share `count`, and a root that has no key block. */
const parallel = (w) => (options) => {
  const leaves = spec.leavesOf(w);
  const own = { ...options, fanout: leaves, maxDepth: 2, innerHashLength: w };
  const count = (options.count ?? 0n) / BigInt(leaves);
  const nodes = range(0, leaves).map((i) => nodeOf(w, { ...own, nodeOffset: i, count }));
  return new Blake2(w, nodes, (nodes) => {
    const values = nodes.flatMap((node, i) => chainBytes(w, node, i === leaves - 1));
    const root = spec.start2(w, parameterBlock(w, { ...own, nodeDepth: 1 }));
    return spec.finish2(w, root, values, ZERO, true).slice(0, options.length);
  });
};

/** Of a declared length, or of an unknown one, of which the default is one block. */
const extendable =
  (w) =>
  ({ length, position = 0, read = length ?? w, ...options }) => {
    const own = { ...options, nodeOffset: BigInt(length ?? 2 ** (w / 2) - 1) << 32n };
    const finish = ([node]) => spec.output2(w, parameterBlock(w, own), chainBytes(w, node), read, Number(position));
    return new Blake2(w, [nodeOf(w, own)], finish);
  };

/** A hasher for an algorithm's name and its options, with `count` bytes that left the chaining values alone. */
export const hashers = {
  blake2b: plain(64),
  blake2s: plain(32),
  blake2bp: parallel(64),
  blake2sp: parallel(32),
  blake2xb: extendable(64),
  blake2xs: extendable(32),
};

/** BLAKE-256 or BLAKE-512 after `count` bytes. */
export const blake1 = (w, message, { salt, count = 0n }) =>
  spec.finish1(w, IV[w], spec.bigEndianWords(padded(list(salt), w / 2), w), list(message), counterAt(count), 1);

// ---- BLAKE3 ----

/** The key's words and the flags of a mode. */
export function modeOf({ key, context }) {
  if (key) return { key: wordsOf(list(key), 32), flags: spec.KEYED_HASH };
  if (!context) return { key: IV[32], flags: 0 };
  const derived = spec.blake3(bytesOfWords(IV[32], 32), 32, list(context), 32);
  return { key: wordsOf(derived, 32), flags: spec.DERIVE_KEY };
}

export const subtree = ({ key, flags }, bytes, chunk) => spec.message3(key, flags, list(bytes), counterAt(chunk));
export const parent = ({ key, flags }, left, right) =>
  spec.parent3(key, flags, wordsOf(list(left), 32), wordsOf(list(right), 32));
export const chainOf = (node) => Uint8Array.from(bytesOfWords(spec.chainingValue(node), 32));
export const outputOf = (node, length, position = 0n) =>
  spec.output3(node, length, Number(position % 64n), counterAt(position / 64n));
