// BLAKE-224 to BLAKE-512 as the BLAKE paper (sections 2.1 and 2.2) writes them: plain, slow, and independent of the kernels.
// The counter can start anywhere, which no other implementation offers.

/** The word size, in bytes, fixes the rest. */
export interface Variant {
  readonly word: 4 | 8;
  readonly rounds: number;
  readonly rotations: readonly [bigint, bigint, bigint, bigint];
}

export const BLAKE256: Variant = { word: 4, rounds: 14, rotations: [16n, 12n, 8n, 7n] };
export const BLAKE512: Variant = { word: 8, rounds: 16, rotations: [32n, 25n, 16n, 11n] };

// The digits of pi after the point.
const PI =
  "243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89452821e638d01377be5466cf34e90c6cc0ac29b7c97c50dd" +
  "3f84d5b5b54709179216d5d98979fb1bd1310ba698dfb5ac2ffd72dbd01adfb7b8e1afed6a267e96ba7c9045f12c7f9924a19947b3916cf7" +
  "0801f2e2858efc16636920d871574e69";

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

const PLACES: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

function wordsOf({ word }: Variant, bytes: Uint8Array): bigint[] {
  return Array.from({ length: bytes.length / word }, (_, i) =>
    bytes.subarray(i * word, (i + 1) * word).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n),
  );
}

function bytesOf({ word }: Variant, words: readonly bigint[]): Uint8Array {
  return Uint8Array.from({ length: words.length * word }, (_, i) =>
    Number((words[Math.floor(i / word)]! >> BigInt(8 * (word - 1 - (i % word)))) & 255n),
  );
}

function compress(variant: Variant, h: bigint[], salt: bigint[], block: Uint8Array, bits: bigint): bigint[] {
  const size = BigInt(8 * variant.word);
  const mask = (1n << size) - 1n;
  const c = wordsOf(variant, Uint8Array.from(Buffer.from(PI, "hex")).subarray(0, 16 * variant.word));
  const m = wordsOf(variant, block);
  const [low, high] = [bits & mask, (bits >> size) & mask];
  const counter = [low, low, high, high];
  const v = [...h, ...[0, 1, 2, 3].map((i) => salt[i]! ^ c[i]!), ...counter.map((t, i) => t ^ c[4 + i]!)];
  const turn = (x: bigint, by: bigint) => (x >> by) | ((x << (size - by)) & mask);
  const [r1, r2, r3, r4] = variant.rotations;
  for (let round = 0; round < variant.rounds; round++) {
    for (const [i, [a, b, cc, d]] of PLACES.entries()) {
      const row = SIGMA[round % 10]!;
      const [s, t] = [row[2 * i]!, row[2 * i + 1]!];
      v[a] = (v[a]! + v[b]! + (m[s]! ^ c[t]!)) & mask;
      v[d] = turn(v[d]! ^ v[a]!, r1);
      v[cc] = (v[cc]! + v[d]!) & mask;
      v[b] = turn(v[b]! ^ v[cc]!, r2);
      v[a] = (v[a]! + v[b]! + (m[t]! ^ c[s]!)) & mask;
      v[d] = turn(v[d]! ^ v[a]!, r3);
      v[cc] = (v[cc]! + v[d]!) & mask;
      v[b] = turn(v[b]! ^ v[cc]!, r4);
    }
  }
  return h.map((word, i) => word ^ salt[i % 4]! ^ v[i]! ^ v[i + 8]!);
}

/** A hash in progress at a whole block: chaining value and salt in the paper's order of bytes, message bytes so far. */
export interface Midstate {
  readonly chain: Uint8Array;
  readonly salt: Uint8Array;
  readonly done: bigint;
}

/** Goes on with a message to its end. The last bit of the padding is 1 for BLAKE-256 and BLAKE-512, else 0. */
export function finish(variant: Variant, from: Midstate, message: Uint8Array, lastBit: number): Uint8Array {
  const size = 16 * variant.word;
  const lengthAt = size - 2 * variant.word;
  const zeros = (2 * size + lengthAt - 1 - (message.length % size)) % size;
  const total = 8n * (from.done + BigInt(message.length));
  const length = [total >> BigInt(8 * variant.word), total].map(
    (word) => word & ((1n << BigInt(8 * variant.word)) - 1n),
  );
  const padding = new Uint8Array(1 + zeros);
  padding[0] = 0x80;
  padding[zeros]! |= lastBit;
  const padded = Buffer.concat([message, padding, bytesOf(variant, length)]);
  const salt = wordsOf(variant, from.salt);
  let h = wordsOf(variant, from.chain);
  for (let at = 0; at < padded.length; at += size) {
    const end = Math.min(at + size, message.length);
    h = compress(variant, h, salt, padded.subarray(at, at + size), end > at ? 8n * (from.done + BigInt(end)) : 0n);
  }
  return bytesOf(variant, h);
}
