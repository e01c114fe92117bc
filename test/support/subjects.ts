// The algorithms under test, as data: what each is called, where its sizes have edges, what keys and lengths it takes,
// and an independent implementation of it. A suite that loops over `subjects` covers every algorithm that is added here.
import {
  blake224 as nobleBlake224,
  blake256 as nobleBlake256,
  blake384 as nobleBlake384,
  blake512 as nobleBlake512,
} from "@noble/hashes/blake1.js";
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { type Algorithm, blake2b, blake2s, blake3, blake224, blake256, blake384, blake512 } from "blake-simd";
import { describe } from "vitest";

/** What the suites need of an independent implementation's hasher. */
export interface OracleHash {
  update(bytes: Uint8Array): this;
  clone(): OracleHash;
  digest(): Uint8Array;
}

/** The options that suites set on every algorithm that has them. */
export interface CommonOptions {
  length?: number;
  key?: Uint8Array;
  context?: Uint8Array;
  salt?: Uint8Array;
}

export interface Subject {
  readonly name: string;
  readonly algorithm: Algorithm<CommonOptions>;
  /** The entry point of its family. */
  readonly entry: string;
  /** Source of the kernel: wasm/KERNEL.c. */
  readonly kernel: string;
  readonly digestLength: number;
  readonly blockLength: number;
  /** Bytes after which the way of computing changes: a chunk of a tree, a stripe over all leaves, or a block again. */
  readonly chunkLength: number;
  /** Digest lengths that suites try one by one; none where the algorithm has a single one. */
  readonly lengths: readonly number[];
  /** Key lengths it takes; none where it has no key. */
  readonly keyLengths: readonly number[];
  /** Sets of options that differ in kind: plain, keyed, and so on. */
  readonly modes: readonly CommonOptions[];
  /** Options with a secret of the longest length, cut from these bytes: a key, or a salt where there is no key. */
  secretFrom(bytes: Uint8Array): CommonOptions;
  /** Whether digests may be longer than an output area. */
  readonly extendable: boolean;
  oracle(options: CommonOptions): OracleHash;
}

export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Bytes that differ from a message's, so that a key mistaken for input shows. */
export function keyOf(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, i) => 255 - i * 3);
}

type CreateSaltedOracle = (options: { salt?: Uint8Array }) => OracleHash;

function blake1Subject(algorithm: Algorithm<object>, word: number, create: CreateSaltedOracle): Subject {
  const secretFrom = (bytes: Uint8Array) => ({ salt: bytes.subarray(0, 4 * word) });
  return {
    name: algorithm.algorithm,
    algorithm,
    entry: "blake-simd/blake1",
    kernel: `blake${64 * word}`,
    digestLength: algorithm.digestLength,
    blockLength: 16 * word,
    chunkLength: 32 * word,
    lengths: [],
    keyLengths: [],
    modes: [{}, secretFrom(keyOf(64))],
    secretFrom,
    extendable: false,
    oracle: ({ salt }) => create({ ...(salt && { salt }) }),
  };
}

type CreateOracle = (options: { dkLen: number; key?: Uint8Array }) => OracleHash;

function blake2Subject(algorithm: Algorithm<CommonOptions>, word: number, create: CreateOracle): Subject {
  const longest = 8 * word;
  return {
    name: algorithm.algorithm,
    algorithm,
    entry: `blake-simd/${algorithm.algorithm}`,
    kernel: algorithm.algorithm,
    digestLength: longest,
    blockLength: 16 * word,
    chunkLength: 32 * word,
    lengths: range(1, longest),
    keyLengths: range(1, longest),
    modes: [{}, { key: keyOf(longest) }, { key: keyOf(7), length: 20 }, { length: 1 }],
    secretFrom: (bytes) => ({ key: bytes.subarray(0, longest) }),
    extendable: false,
    oracle: ({ length = longest, key }) => create({ dkLen: length, ...(key && { key }) }),
  };
}

const blake3Subject: Subject = {
  name: "blake3",
  algorithm: blake3 as Algorithm<CommonOptions>,
  entry: "blake-simd/blake3",
  kernel: "blake3",
  digestLength: 32,
  blockLength: 64,
  chunkLength: 1024,
  lengths: range(0, 200),
  keyLengths: [32],
  modes: [{}, { key: keyOf(32) }, { context: keyOf(45) }, { length: 131 }, { key: keyOf(32), length: 5 }],
  secretFrom: (bytes) => ({ key: bytes.subarray(0, 32) }),
  extendable: true,
  oracle: ({ length = 32, key, context }) =>
    nobleBlake3.create({ dkLen: length, ...(key && { key }), ...(context && { context }) }),
};

export const subjects: readonly Subject[] = [
  blake1Subject(blake224, 4, nobleBlake224.create),
  blake1Subject(blake256, 4, nobleBlake256.create),
  blake1Subject(blake384, 8, nobleBlake384.create),
  blake1Subject(blake512, 8, nobleBlake512.create),
  blake2Subject(blake2b as Algorithm<CommonOptions>, 8, nobleBlake2b.create),
  blake2Subject(blake2s as Algorithm<CommonOptions>, 4, nobleBlake2s.create),
  blake3Subject,
];

/** One `describe` for each algorithm. */
export function eachSubject(suite: (subject: Subject) => void): void {
  for (const subject of subjects) describe(subject.name, () => suite(subject));
}

/** The independent digest of a whole message. */
export function expected(subject: Subject, message: Uint8Array, options: CommonOptions = {}): Uint8Array {
  return subject.oracle(options).update(message).digest();
}

/** The independent digests of a message's prefixes, hashed once from end to end. */
export function expectedPrefixes(
  subject: Subject,
  message: Uint8Array,
  lengths: Iterable<number>,
  options: CommonOptions = {},
): Map<number, Uint8Array> {
  const digests = new Map<number, Uint8Array>();
  const hash = subject.oracle(options);
  let at = 0;
  for (const length of [...new Set(lengths)].sort((a, b) => a - b)) {
    hash.update(message.subarray(at, length));
    digests.set(length, hash.clone().digest());
    at = length;
  }
  return digests;
}
