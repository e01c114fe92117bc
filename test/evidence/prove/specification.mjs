// What the hashes are, to be read beside RFC 7693 (BLAKE2), the BLAKE2 paper (parallel hashing, section 2.10), the
// BLAKE2X paper, the BLAKE3 paper and BLAKE's submission to SHA-3. This is the trusted part of the proofs. A message is
// an array of bytes and a chaining value one of words; each is a number, a bigint or a term. On numbers alone it
// computes digests. A counter is a bigint.
import { add, bytesOf, cat, isTerm, onForget, or, rotr, xor } from "./machine/terms.mjs";

export const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);
export const wordsOf = (bytes, w) =>
  range(0, (8 * bytes.length) / w).map((i) => cat(bytes.slice((i * w) / 8, ((i + 1) * w) / 8)));
export const bytesOfWords = (words, w) => words.flatMap((word) => bytesOf(word, w / 8));
export const padded = (bytes, length) => [...bytes, ...new Array(length - bytes.length).fill(0)];
/** The lowest bytes of a number. */
export const littleEndian = (n, size) => range(0, size).map((i) => Number((BigInt(n) >> BigInt(8 * i)) & 255n));
/** A number modulo 2^w as a constant of terms.mjs. */
const constant = (w, n) => (w === 64 ? BigInt.asUintN(64, BigInt(n)) : Number(BigInt.asIntN(32, BigInt(n))));
export const ZERO = 0n;
export const after = (t, bytes) => t + BigInt(bytes);
const wordOf = (w, n) => (w === 64 ? BigInt.asUintN(64, n) : Number(BigInt.asIntN(32, n)));
/** A counter's two words, the lower one first. */
export const halves = (w, n) => [wordOf(w, n), wordOf(w, n >> BigInt(w))];

// RFC 7693 section 2.6; section 2.7; BLAKE, table 1: the digits of pi.
// biome-ignore format: as in the papers
const IV_64 = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const IV_32 = IV_64.map((word) => constant(32, word >> 32n));
export const IV = { 32: IV_32, 64: IV_64 };
// biome-ignore format: as in the papers
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
// biome-ignore format: as in the papers
const PI_64 = [
  0x243f6a8885a308d3n, 0x13198a2e03707344n, 0xa4093822299f31d0n, 0x082efa98ec4e6c89n,
  0x452821e638d01377n, 0xbe5466cf34e90c6cn, 0xc0ac29b7c97c50ddn, 0x3f84d5b5b5470917n,
  0x9216d5d98979fb1bn, 0xd1310ba698dfb5acn, 0x2ffd72dbd01adfb7n, 0xb8e1afed6a267e96n,
  0xba7c9045f12c7f99n, 0x24a19947b3916cf7n, 0x0801f2e2858efc16n, 0x636920d871574e69n,
];
const PI_32 = PI_64.slice(0, 8).flatMap((word) => [constant(32, word >> 32n), constant(32, word)]);

// ---- G, RFC 7693 section 3.1: the same in all three but for the rotations and what is added ----

// biome-ignore format: as in the papers
const COLUMNS_AND_DIAGONALS = [
  [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14],
];

/** One round: G of the columns, then of the diagonals; `added` are the sixteen words that it takes, in turn. */
function round(w, v, added, rotations) {
  const [first, second, third, fourth] = rotations;
  COLUMNS_AND_DIAGONALS.forEach(([a, b, c, d], i) => {
    v[a] = add(w, add(w, v[a], v[b]), added[2 * i]);
    v[d] = rotr(w, xor(w, v[d], v[a]), first);
    v[c] = add(w, v[c], v[d]);
    v[b] = rotr(w, xor(w, v[b], v[c]), second);
    v[a] = add(w, add(w, v[a], v[b]), added[2 * i + 1]);
    v[d] = rotr(w, xor(w, v[d], v[a]), third);
    v[c] = add(w, v[c], v[d]);
    v[b] = rotr(w, xor(w, v[b], v[c]), fourth);
  });
}

/** Remembers what a compression of terms gives, until the terms are forgotten. */
function once(compress) {
  const done = new Map();
  onForget(() => done.clear());
  return (...args) => {
    const values = args.flat();
    if (!values.some(isTerm)) return compress(...args);
    const key = values.map((v) => (isTerm(v) ? `t${v.id}` : `${typeof v}${v}`)).join();
    if (!done.has(key)) done.set(key, compress(...args));
    return done.get(key);
  };
}

/**
 * Compresses data in parts of `size` bytes as long as more than `most` are left: the chaining value, the counter and
 * the rest.
 */
export function absorb({ size, step = size, most, compress }, chain, t, data) {
  for (; data.length > most; data = data.slice(size)) {
    t = after(t, step);
    chain = compress(chain, data.slice(0, size), t);
  }
  return { chain, t, rest: data };
}

// ---- BLAKE2: RFC 7693 ----

const BLAKE2 = {
  32: { rounds: 10, rotations: [16, 12, 8, 7] },
  64: { rounds: 12, rotations: [32, 24, 16, 63] },
};

/**
 * F of section 3.2: the block ends at a counter of two words; `f0` and `f1` say whether it is the last, of the last
 * node.
 */
const compress2 = once((w, h, block, [t0, t1], f0, f1) => {
  const { rounds, rotations } = BLAKE2[w];
  const m = wordsOf(padded(block, 2 * w), w);
  const v = [...h, ...IV[w]];
  v[12] = xor(w, v[12], t0);
  v[13] = xor(w, v[13], t1);
  if (f0) v[14] = xor(w, v[14], constant(w, -1));
  if (f1) v[15] = xor(w, v[15], constant(w, -1));
  for (let i = 0; i < rounds; i++) {
    const added = SIGMA[i % 10].map((place) => m[place]);
    round(w, v, added, rotations);
  }
  return h.map((word, i) => xor(w, word, xor(w, v[i], v[i + 8])));
});

/**
 * The first chaining value, of the parameter block (section 2.5; the BLAKE2 paper, section 2.8, has all of its fields).
 */
export const start2 = (w, block) => wordsOf(block, w).map((word, i) => xor(w, word, IV[w][i]));

/** Section 3.3: a block is compressed when another byte follows. */
export const blocks2 = (w) => ({
  size: 2 * w,
  most: 2 * w,
  compress: (h, block, t) => compress2(w, h, block, halves(w, t), false, false),
});

/**
 * From a chaining value on, which has `t` bytes. The whole value as bytes: a digest is as many of them as the parameter
 * block says.
 */
export function finish2(w, start, data, t = ZERO, isLastNode = false) {
  const { chain, t: done, rest } = absorb(blocks2(w), start, t, data);
  return bytesOfWords(compress2(w, chain, rest, halves(w, after(done, rest.length)), true, isLastNode), w);
}

/** A key fills a block of its own. */
export const blake2 = (w, block, key, message, isLastNode = false) => {
  const data = key.length > 0 ? [...padded(key, 2 * w), ...message] : message;
  return finish2(w, start2(w, block), data, ZERO, isLastNode);
};

// ---- BLAKE2bp and BLAKE2sp: the BLAKE2 paper, section 2.10 ----

const NODE_OFFSET = 8; // in the parameter block
const nodeDepth = (w) => (w === 64 ? 16 : 14);
export const leavesOf = (w) => (w === 64 ? 4 : 8);
export const nodeBlock = (w, block, offset, depth) =>
  block.map((byte, i) => (i === NODE_OFFSET ? offset : i === nodeDepth(w) ? depth : byte));

/** Leaf `i` hashes each block whose number is `i` modulo the number of leaves. */
export const leafMessage = (w, message, leaf) =>
  message.filter((_, at) => Math.floor(at / (2 * w)) % leavesOf(w) === leaf);

/** The root hashes the leaves' values. */
export function blake2p(w, block, key, message) {
  const last = leavesOf(w) - 1;
  const value = (leaf) => blake2(w, nodeBlock(w, block, leaf, 0), key, leafMessage(w, message, leaf), leaf === last);
  return blake2(w, nodeBlock(w, block, 0, 1), [], range(0, last + 1).flatMap(value), true);
}

// ---- BLAKE2Xb and BLAKE2Xs: the BLAKE2X paper, section 2 ----

/** Bytes of a seed's output from `from` on. The parameter block has the length of the whole output. */
export function output2(w, block, seed, length, from = 0) {
  const lengthSize = w / 16;
  const total = block.slice(12, 12 + lengthSize).reduce((n, byte, i) => n + byte * 256 ** i, 0);
  const isUnknown = total === 256 ** lengthSize - 1;
  const out = [];
  for (let i = Math.floor(from / w); out.length < length + (from % w); i++) {
    const size = isUnknown ? w : Math.min(w, total - i * w);
    // Digest length, key length, fanout, depth; leaf length; node offset; then as given, but for node depth and inner
    // length.
    const own = [size, 0, 0, 0, ...littleEndian(w, 4), ...littleEndian(i, 4), ...block.slice(12)];
    own.splice(nodeDepth(w), 2, 0, w);
    out.push(...finish2(w, start2(w, own), seed));
  }
  return out.slice(from % w, (from % w) + length);
}

export const blake2x = (w, block, key, message, length) => output2(w, block, blake2(w, block, key, message), length);

// ---- BLAKE: the submission, sections 2.1 and 2.2 ----

const BLAKE1 = {
  32: { constants: PI_32, rounds: 14, rotations: [16, 12, 8, 7] },
  64: { constants: PI_64, rounds: 16, rotations: [32, 25, 16, 11] },
};
/** Words with the highest byte first. */
export const bigEndianWords = (bytes, w) => wordsOf(bytes, w).map((word) => cat(bytesOf(word, w / 8).reverse()));
const bigEndianBytes = (words, w) => words.flatMap((word) => bytesOf(word, w / 8).reverse());

/** The counter is the number of message bits up to the end of this block, 0 for a block without any. */
const compress1 = once((w, h, salt, block, [t0, t1]) => {
  const { constants: c, rounds, rotations } = BLAKE1[w];
  const m = bigEndianWords(block, w);
  const v = [...h, ...[...salt, t0, t0, t1, t1].map((word, i) => xor(w, word, c[i]))];
  for (let i = 0; i < rounds; i++) {
    const s = SIGMA[i % 10];
    const added = s.map((place, j) => xor(w, m[place], c[s[j ^ 1]]));
    round(w, v, added, rotations);
  }
  return h.map((word, i) => xor(w, xor(w, word, salt[i % 4]), xor(w, v[i], v[i + 8])));
});
const bits = (w, bytes) => halves(w, 8n * bytes);

/** Whole blocks are compressed at once. */
export const blocks1 = (w, salt) => ({
  size: 2 * w,
  most: 2 * w - 1,
  compress: (h, block, t) => compress1(w, h, salt, block, bits(w, t)),
});

/**
 * From a chaining value on, which has `t` bytes: the rest is padded (section 2.1.3). All words of the chaining value as
 * bytes.
 */
export function finish1(w, start, salt, data, t, lastBit) {
  let { chain, t: done, rest } = absorb(blocks1(w, salt), start, t, data);
  const length = bits(w, after(done, rest.length));
  const zeros = (4 * w - w / 4 - 1 - rest.length) % (2 * w); // up to the last bit's byte, which is before the length
  const end = [...rest, ...padded([0x80], zeros + 1), ...bigEndianBytes([length[1], length[0]], w)];
  const last = end.length - w / 4 - 1;
  end[last] = or(8, end[last], lastBit);
  for (let at = 0; at < end.length; at += 2 * w)
    chain = compress1(w, chain, salt, end.slice(at, at + 2 * w), at < rest.length ? length : halves(w, ZERO));
  return bigEndianBytes(chain, w);
}

/** Initial value and salt in the paper's byte order; the last bit is 1 for the longer digest of a word size. */
export const blake1 = (w, initial, salt, lastBit, message) =>
  finish1(w, bigEndianWords(initial, w), bigEndianWords(salt, w), message, ZERO, lastBit);

// ---- BLAKE3: the paper, section 2 ----

export const [CHUNK_START, CHUNK_END, PARENT, ROOT, KEYED_HASH, DERIVE_KEY] = [1, 2, 4, 8, 16, 64];
export const [BLOCK_3, CHUNK_3] = [64, 1024];
const PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]; // table 2

/** Section 2.2: all sixteen words; the first eight are the chaining value. */
const compress3 = once((h, block, [t0, t1], length, flags) => {
  const v = [...h, ...IV[32].slice(0, 4), t0, t1, length, flags];
  let m = wordsOf(padded(block, BLOCK_3), 32);
  for (let i = 0; i < 7; i++) {
    round(32, v, m, [16, 12, 8, 7]);
    m = PERMUTATION.map((place) => m[place]);
  }
  return v.map((word, i) => xor(32, word, i < 8 ? v[i + 8] : h[i - 8]));
});

// A node is what its last compression takes: from it comes its chaining value, or the output if it is the root.
export const chainingValue = ({ h, block, t, length, flags }) =>
  compress3(h, block, halves(32, t), length, flags).slice(0, 8);

/** Section 2.4: a block of chunk number `t`, of which `number` blocks are in `h` already. */
export const chunkBlock3 = (h, flags, block, t, number, isLast) => {
  const own = (number === 0 ? CHUNK_START : 0) | (isLast ? CHUNK_END : 0);
  return { h, block, t, length: block.length, flags: or(32, flags, own) };
};

/** A chunk, or the rest of one. */
export function chunk3(h, flags, bytes, t, number = 0) {
  const isLast = bytes.length <= BLOCK_3;
  const node = chunkBlock3(h, flags, bytes.slice(0, BLOCK_3), t, number, isLast);
  return isLast ? node : chunk3(chainingValue(node), flags, bytes.slice(BLOCK_3), t, number + 1);
}

/** Section 2.5. */
export const parent3 = (key, flags, left, right) => ({
  h: key,
  block: bytesOfWords([...left, ...right], 32),
  t: ZERO,
  length: BLOCK_3,
  flags: or(32, flags, PARENT),
});

/** Section 2.1: how many leaves are in the left subtree of a tree, a power of two. */
export function leftOf(count) {
  let left = 1n;
  while (2n * left < count) left *= 2n;
  return left;
}

/**
 * The tree of `count` leaves from number `first` on; `leafAt` gives a leaf's node, `known` the value of a whole tree if
 * it is known.
 */
export function tree3(key, flags, first, count, leafAt, known = () => undefined) {
  if (count === 1n) return leafAt(first);
  const value = (from, n) => known(from, n) ?? chainingValue(tree3(key, flags, from, n, leafAt, known));
  const left = leftOf(count);
  return parent3(key, flags, value(first, left), value(first + left, count - left));
}

/** The tree of a message, or of a part of it that begins with chunk number `first`. */
export function message3(key, flags, bytes, first = ZERO) {
  const count = Math.max(1, Math.ceil(bytes.length / CHUNK_3));
  const chunkAt = (i) => {
    const at = Number(i) * CHUNK_3;
    return chunk3(key, flags, bytes.slice(at, at + CHUNK_3), after(first, Number(i)));
  };
  return tree3(key, flags, 0n, BigInt(count), chunkAt);
}

/** Section 2.6: bytes of the root's output from `from` on, after the block with number `first`. */
export function output3({ h, block, length: blockLength, flags }, length, from = 0, first = ZERO) {
  const out = [];
  for (let i = Math.floor(from / BLOCK_3); out.length < length + (from % BLOCK_3); i++) {
    const words = compress3(h, block, halves(32, after(first, i)), blockLength, or(32, flags, ROOT));
    out.push(...bytesOfWords(words, 32));
  }
  return out.slice(from % BLOCK_3, (from % BLOCK_3) + length);
}

export const blake3 = (key, flags, message, length) => output3(message3(wordsOf(key, 32), flags, message), length);
