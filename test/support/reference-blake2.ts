// BLAKE2 as RFC 7693 and the BLAKE2 paper (section 2.8) write it, one bigint per word: slow, plain, and independent of
// the kernels. Its counter can start anywhere, which no other implementation offers.

/** The word size fixes the rest. */
export interface Variant {
  readonly bits: 64n | 32n;
  readonly rounds: number;
  readonly rotations: readonly [bigint, bigint, bigint, bigint];
  readonly iv: readonly bigint[];
}

export const BLAKE2B: Variant = {
  bits: 64n,
  rounds: 12,
  rotations: [32n, 24n, 16n, 63n],
  iv: [
    0x6a09e667f3bcc908n,
    0xbb67ae8584caa73bn,
    0x3c6ef372fe94f82bn,
    0xa54ff53a5f1d36f1n,
    0x510e527fade682d1n,
    0x9b05688c2b3e6c1fn,
    0x1f83d9abfb41bd6bn,
    0x5be0cd19137e2179n,
  ],
};

export const BLAKE2S: Variant = {
  bits: 32n,
  rounds: 10,
  rotations: [16n, 12n, 8n, 7n],
  iv: BLAKE2B.iv.map((word) => word >> 32n),
};

const SIGMA = [
  "0123456789abcdef",
  "ea489fd61c02b753",
  "b8c052fdae367194",
  "7931dcbe265a40f8",
  "905724afe1bc683d",
  "2c6a0b834d75fe19",
  "c51fed4a0763928b",
  "db7ec13950f4862a",
  "6fe9b308c2d714a5",
  "a2847615fb9e3cd0",
].map((row) => Array.from(row, (digit) => Number.parseInt(digit, 16)));

// Which words each G of a round mixes: the columns, then the diagonals.
const MIXED = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

export interface Tree {
  fanout?: number;
  maxDepth?: number;
  maxLeafLength?: number;
  nodeOffset?: bigint;
  nodeDepth?: number;
  innerHashLength?: number;
  lastNode?: boolean;
}

export interface Settings extends Tree {
  length?: number;
  key?: Uint8Array;
  salt?: Uint8Array;
  personal?: Uint8Array;
}

/** A hash in progress: chaining value, bytes compressed so far, bytes that wait. */
export interface Midstate {
  h: bigint[];
  compressed: bigint;
  buffer: Uint8Array;
}

export const wordBytes = (v: Variant) => Number(v.bits / 8n);

export function bytesToWords(v: Variant, bytes: Uint8Array): bigint[] {
  const size = wordBytes(v);
  return Array.from({ length: bytes.length / size }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size).reduceRight((word, byte) => (word << 8n) | BigInt(byte), 0n),
  );
}

export function wordsToBytes(v: Variant, words: readonly bigint[]): Uint8Array {
  const size = wordBytes(v);
  return Uint8Array.from({ length: words.length * size }, (_, i) =>
    Number(((words[Math.floor(i / size)] as bigint) >> BigInt(8 * (i % size))) & 255n),
  );
}

function compress(v: Variant, h: bigint[], block: Uint8Array, t: bigint, last: boolean, lastNode: boolean): bigint[] {
  const mask = (1n << v.bits) - 1n;
  const m = bytesToWords(v, block);
  const w = [...h, ...v.iv];
  w[12]! ^= t & mask;
  w[13]! ^= (t >> v.bits) & mask;
  if (last) w[14]! ^= mask;
  if (last && lastNode) w[15]! ^= mask;
  const turn = (x: bigint, by: bigint) => ((x >> by) | (x << (v.bits - by))) & mask;
  const [r1, r2, r3, r4] = v.rotations;
  for (let round = 0; round < v.rounds; round++) {
    const order = SIGMA[round % 10]!;
    for (const [i, [a, b, c, d]] of (MIXED as [number, number, number, number][]).entries()) {
      w[a] = (w[a]! + w[b]! + m[order[2 * i]!]!) & mask;
      w[d] = turn(w[d]! ^ w[a]!, r1);
      w[c] = (w[c]! + w[d]!) & mask;
      w[b] = turn(w[b]! ^ w[c]!, r2);
      w[a] = (w[a]! + w[b]! + m[order[2 * i + 1]!]!) & mask;
      w[d] = turn(w[d]! ^ w[a]!, r3);
      w[c] = (w[c]! + w[d]!) & mask;
      w[b] = turn(w[b]! ^ w[c]!, r4);
    }
  }
  return h.map((word, i) => word ^ w[i]! ^ w[i + 8]!);
}

/** Goes on with a message from a midstate to its end; the digest is as long as the chaining value. */
export function finish(v: Variant, from: Midstate, message: Uint8Array, lastNode = false): Uint8Array {
  const size = 16 * wordBytes(v);
  const bytes = Uint8Array.of(...from.buffer, ...message);
  let { h, compressed } = from;
  let at = 0;
  for (; bytes.length - at > size; at += size) {
    compressed += BigInt(size);
    h = compress(v, h, bytes.subarray(at, at + size), compressed, false, false);
  }
  const block = new Uint8Array(size);
  block.set(bytes.subarray(at));
  return wordsToBytes(v, compress(v, h, block, compressed + BigInt(bytes.length - at), true, lastNode));
}

/** The parameter block of the BLAKE2 paper, section 2.8. */
function parameterBlock(v: Variant, s: Settings): Uint8Array {
  const word = wordBytes(v);
  const offsetLength = word === 8 ? 8 : 6;
  const block = new Uint8Array(8 * word);
  const put = (at: number, length: number, value: bigint) => {
    for (let i = 0; i < length; i++) block[at + i] = Number((value >> BigInt(8 * i)) & 255n);
  };
  block.set([s.length ?? 8 * word, s.key?.length ?? 0, s.fanout ?? 1, s.maxDepth ?? 1]);
  put(4, 4, BigInt(s.maxLeafLength ?? 0));
  put(8, offsetLength, s.nodeOffset ?? 0n);
  block.set([s.nodeDepth ?? 0, s.innerHashLength ?? 0], 8 + offsetLength);
  block.set(s.salt ?? [], 4 * word);
  block.set(s.personal ?? [], 6 * word);
  return block;
}

/** The whole chaining value at the end of a message, behind a block of key or nothing. */
export function hashNode(v: Variant, prefix: Uint8Array, message: Uint8Array, settings: Settings): Uint8Array {
  const parameters = bytesToWords(v, parameterBlock(v, settings));
  const h = v.iv.map((word, i) => word ^ parameters[i]!);
  return finish(v, { h, compressed: 0n, buffer: prefix }, message, settings.lastNode);
}

/** The block that a key fills, or nothing. */
export function keyBlock(v: Variant, key: Uint8Array | undefined): Uint8Array {
  const block = new Uint8Array(key ? 16 * wordBytes(v) : 0);
  block.set(key ?? []);
  return block;
}

/** BLAKE2b or BLAKE2s of a whole message. */
export function blake2(v: Variant, message: Uint8Array, settings: Settings = {}): Uint8Array {
  const digest = hashNode(v, keyBlock(v, settings.key), message, settings);
  return digest.slice(0, settings.length ?? 8 * wordBytes(v));
}
