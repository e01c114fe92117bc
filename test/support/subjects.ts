// The algorithms under test, as data: what each is called, where its sizes have edges, what keys and lengths it takes,
// and its independent digests. A suite that loops over `subjects` covers every algorithm that is added here.
import {
  type Algorithm,
  blake2b,
  blake2bp,
  blake2s,
  blake2sp,
  blake2xb,
  blake2xs,
  blake3,
  blake224,
  blake256,
  blake384,
  blake512,
} from "blake-simd";
import { describe } from "vitest";
import { expectedDigest, oracleHash } from "./oracle.ts";

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
  /** The module of its kernel, in wasm/build/build.mjs. */
  readonly kernel: string;
  readonly digestLength: number;
  readonly blockLength: number;
  /** Bytes after which the way of computing changes: a chunk of a tree, a stripe over all leaves, or a block again. */
  readonly chunkLength: number;
  /** Digest lengths that suites try one by one; none if the algorithm has a single one. */
  readonly lengths: readonly number[];
  /** Key lengths it takes; none if it has no key. */
  readonly keyLengths: readonly number[];
  /** Sets of options that differ in kind: plain, keyed, and so on. */
  readonly modes: readonly CommonOptions[];
  /** Options with a secret of the longest length, cut from these bytes: a key, or a salt if there is no key. */
  secretFrom(bytes: Uint8Array): CommonOptions;
  /** The longest digest that can be asked for; more than an output area if the output is extendable. */
  readonly longest: number;
}

export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Bytes that differ from a message's, so that a key mistaken for input shows. */
export function keyOf(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length).map((_, i) => 255 - i * 3);
}

function blake1Subject(algorithm: Algorithm<object>, word: number): Subject {
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
    longest: algorithm.digestLength,
  };
}

function blake2Subject(algorithm: Algorithm<CommonOptions>, word: number): Subject {
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
    longest,
  };
}

/** The same sizes, keys and digests as the hash that its leaves are; a stripe over all leaves changes the way. */
function parallelSubject(leaf: Subject, algorithm: Algorithm<CommonOptions>, leaves: number): Subject {
  const own = { name: algorithm.algorithm, algorithm, kernel: `${leaf.kernel}-lanes` };
  return { ...leaf, ...own, chunkLength: leaves * leaf.blockLength };
}

/** As the hash of its message, but for the digests' lengths. */
function extendableSubject(hash: Subject, algorithm: Algorithm<CommonOptions>, longest: number): Subject {
  const key = keyOf(hash.digestLength);
  const modes = [{}, { key }, { key: keyOf(7), length: 20 }, { length: 1 }, { length: 131, salt: keyOf(5) }];
  const own = { name: algorithm.algorithm, algorithm, kernel: `${hash.kernel}-lanes` };
  return { ...hash, ...own, lengths: range(1, 140), modes, longest };
}

const blake3Subject: Subject = {
  name: "blake3",
  algorithm: blake3 as Algorithm as Algorithm<CommonOptions>,
  entry: "blake-simd/blake3",
  kernel: "blake3",
  digestLength: 32,
  blockLength: 64,
  chunkLength: 1024,
  lengths: range(0, 200),
  keyLengths: [32],
  modes: [{}, { key: keyOf(32) }, { context: keyOf(45) }, { length: 131 }, { key: keyOf(32), length: 5 }],
  secretFrom: (bytes) => ({ key: bytes.subarray(0, 32) }),
  longest: Number.MAX_SAFE_INTEGER,
};

const blake2bSubject = blake2Subject(blake2b as Algorithm<CommonOptions>, 8);
const blake2sSubject = blake2Subject(blake2s as Algorithm<CommonOptions>, 4);

export const subjects: readonly Subject[] = [
  blake1Subject(blake224, 4),
  blake1Subject(blake256, 4),
  blake1Subject(blake384, 8),
  blake1Subject(blake512, 8),
  blake2bSubject,
  blake2sSubject,
  parallelSubject(blake2bSubject, blake2bp as Algorithm<CommonOptions>, 4),
  parallelSubject(blake2sSubject, blake2sp as Algorithm<CommonOptions>, 8),
  extendableSubject(blake2bSubject, blake2xb as Algorithm<CommonOptions>, 2 ** 32 - 2),
  extendableSubject(blake2sSubject, blake2xs as Algorithm<CommonOptions>, 2 ** 16 - 2),
  blake3Subject,
];

/** One `describe` for each algorithm. */
export function eachSubject(suite: (subject: Subject) => void): void {
  for (const subject of subjects) describe(subject.name, () => suite(subject));
}

/** The independent digest of a whole message. */
export function expected(subject: Subject, message: Uint8Array, options: CommonOptions = {}): Uint8Array {
  return expectedDigest(subject.name, message, options);
}

/** The independent digests of a message's prefixes, hashed once from end to end. */
export function expectedPrefixes(
  subject: Subject,
  message: Uint8Array,
  lengths: Iterable<number>,
  options: CommonOptions = {},
): Map<number, Uint8Array> {
  const digests = new Map<number, Uint8Array>();
  const hash = oracleHash(subject.name, options);
  let at = 0;
  for (const length of [...new Set(lengths)].sort((a, b) => a - b)) {
    hash.update(message.subarray(at, length));
    digests.set(length, hash.clone().digest());
    at = length;
  }
  return digests;
}
