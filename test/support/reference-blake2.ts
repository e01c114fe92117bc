// BLAKE2 as RFC 7693 and the BLAKE2 paper (section 2.8) write it: plain, and independent of the kernels. Its counter can
// start anywhere, which no other implementation offers.

/** The word size, in bytes, fixes the rest. Words of 64 bits are kept as two halves, the lower one first. */
export interface Variant {
  readonly word: 8 | 4;
  readonly rounds: number;
  readonly iv: Uint32Array;
}

export const BLAKE2B: Variant = {
  word: 8,
  rounds: 12,
  iv: new Uint32Array(
    BigUint64Array.of(
      0x6a09e667f3bcc908n,
      0xbb67ae8584caa73bn,
      0x3c6ef372fe94f82bn,
      0xa54ff53a5f1d36f1n,
      0x510e527fade682d1n,
      0x9b05688c2b3e6c1fn,
      0x1f83d9abfb41bd6bn,
      0x5be0cd19137e2179n,
    ).buffer,
  ),
};

export const BLAKE2S: Variant = {
  word: 4,
  rounds: 10,
  iv: BLAKE2B.iv.filter((_, i) => i % 2 === 1),
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
const MIXED: [number, number, number, number][] = [
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

/** A hash in progress, which never changes: chaining value, bytes compressed so far, bytes that wait. */
export interface Midstate {
  readonly h: Uint32Array;
  readonly compressed: bigint;
  readonly buffer: Uint8Array;
}

/** Words, or halves of them, out of bytes in little-endian order, which is this machine's. */
function bytesToWords(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

function wordsToBytes(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.slice().buffer);
}

/** Adds a word to word a. */
function add64(w: Uint32Array, a: number, low: number, high: number): void {
  const sum = w[a]! + low;
  w[a] = sum;
  w[a + 1]! += high + (sum > 0xffff_ffff ? 1 : 0);
}

/** Word d becomes itself XOR word a, rotated. */
function turn64(w: Uint32Array, d: number, a: number, by: number): void {
  const swap = by < 32 ? 0 : 1;
  const x = w[d + swap]! ^ w[a + swap]!;
  const y = w[d + 1 - swap]! ^ w[a + 1 - swap]!;
  const rest = by % 32;
  w[d] = rest ? (x >>> rest) | (y << (32 - rest)) : x;
  w[d + 1] = rest ? (y >>> rest) | (x << (32 - rest)) : y;
}

/** G on words of 64 bits; all indices are those of lower halves. */
function mix64(w: Uint32Array, a: number, b: number, c: number, d: number, m: Uint32Array, x: number, y: number): void {
  add64(w, a, w[b]!, w[b + 1]!);
  add64(w, a, m[x]!, m[x + 1]!);
  turn64(w, d, a, 32);
  add64(w, c, w[d]!, w[d + 1]!);
  turn64(w, b, c, 24);
  add64(w, a, w[b]!, w[b + 1]!);
  add64(w, a, m[y]!, m[y + 1]!);
  turn64(w, d, a, 16);
  add64(w, c, w[d]!, w[d + 1]!);
  turn64(w, b, c, 63);
}

function turn32(w: Uint32Array, d: number, a: number, by: number): void {
  const x = w[d]! ^ w[a]!;
  w[d] = (x >>> by) | (x << (32 - by));
}

function mix32(w: Uint32Array, a: number, b: number, c: number, d: number, m: Uint32Array, x: number, y: number): void {
  w[a] = w[a]! + w[b]! + m[x]!;
  turn32(w, d, a, 16);
  w[c]! += w[d]!;
  turn32(w, b, c, 12);
  w[a] = w[a]! + w[b]! + m[y]!;
  turn32(w, d, a, 8);
  w[c]! += w[d]!;
  turn32(w, b, c, 7);
}

function mixRound(v: Variant, w: Uint32Array, m: Uint32Array, order: readonly number[]): void {
  const size = v.word / 4;
  const mix = size === 2 ? mix64 : mix32;
  for (let i = 0; i < 8; i++) {
    const g = MIXED[i]!;
    const [x, y] = [order[2 * i]!, order[2 * i + 1]!];
    mix(w, size * g[0], size * g[1], size * g[2], size * g[3], m, size * x, size * y);
  }
}

function invert(v: Variant, w: Uint32Array, word: number): void {
  const size = v.word / 4;
  for (let i = word * size; i < (word + 1) * size; i++) w[i] = ~w[i]!;
}

function compress(v: Variant, h: Uint32Array, block: Uint8Array, t: bigint, last: boolean, lastNode: boolean) {
  const size = v.word / 4;
  const w = Uint32Array.of(...h, ...v.iv);
  for (let i = 0; i < 2 * size; i++) w[12 * size + i]! ^= Number((t >> BigInt(32 * i)) & 0xffff_ffffn);
  if (last) invert(v, w, 14);
  if (last && lastNode) invert(v, w, 15);
  const m = bytesToWords(block);
  for (let round = 0; round < v.rounds; round++) mixRound(v, w, m, SIGMA[round % 10]!);
  return h.map((word, i) => word ^ w[i]! ^ w[i + 8 * size]!);
}

/** Goes on with a message. The last block waits: it may be the end. */
export function absorb(v: Variant, from: Midstate, message: Uint8Array): Midstate {
  const size = 16 * v.word;
  const bytes = from.buffer.length === 0 ? message : Buffer.concat([from.buffer, message]);
  let { h, compressed } = from;
  let at = 0;
  for (; bytes.length - at > size; at += size) {
    compressed += BigInt(size);
    h = compress(v, h, bytes.subarray(at, at + size), compressed, false, false);
  }
  return { h, compressed, buffer: bytes.slice(at) };
}

/** Goes on with a message from a midstate to its end; the digest is as long as the chaining value. */
export function finish(v: Variant, from: Midstate, message: Uint8Array, lastNode = false): Uint8Array {
  const { h, compressed, buffer } = absorb(v, from, message);
  const block = new Uint8Array(16 * v.word);
  block.set(buffer);
  return wordsToBytes(compress(v, h, block, compressed + BigInt(buffer.length), true, lastNode));
}

/** The parameter block of the BLAKE2 paper, section 2.8. */
function parameterBlock({ word }: Variant, s: Settings): Uint8Array {
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

/** The start of a message after a key block, or after nothing. */
export function start(v: Variant, prefix: Uint8Array, settings: Settings): Midstate {
  const parameters = bytesToWords(parameterBlock(v, settings));
  return { h: v.iv.map((word, i) => word ^ parameters[i]!), compressed: 0n, buffer: prefix };
}

/** The block that a key fills, or nothing. */
export function keyBlock(v: Variant, key: Uint8Array | undefined): Uint8Array {
  const block = new Uint8Array(key ? 16 * v.word : 0);
  block.set(key ?? []);
  return block;
}

/** BLAKE2b or BLAKE2s of a whole message. */
export function blake2(v: Variant, message: Uint8Array, settings: Settings = {}): Uint8Array {
  const digest = finish(v, start(v, keyBlock(v, settings.key), settings), message, settings.lastNode);
  return digest.slice(0, settings.length ?? 8 * v.word);
}
