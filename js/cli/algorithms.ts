import { algorithms } from "../index.js";

/** The members of an algorithm that the command uses. */
export interface Algorithm {
  readonly algorithm: string;
  readonly digestLength: number;
  (input: Uint8Array, options?: Options): Uint8Array;
  create(options?: Options): Hasher;
}

export interface Hasher {
  update(input: Uint8Array): unknown;
  digest(): Uint8Array;
  xof?(): Reader;
  reset(): this;
  dispose(): void;
}

export interface Reader {
  position: bigint;
  read(length: number): Uint8Array;
}

export interface Options {
  length?: number;
  key?: Uint8Array;
  context?: Uint8Array;
  salt?: Uint8Array;
  personal?: Uint8Array;
  fanout?: number;
  maxDepth?: number;
  maxLeafLength?: number;
  nodeOffset?: bigint;
  nodeDepth?: number;
  innerHashLength?: number;
  lastNode?: boolean;
}

const byName = algorithms as unknown as Readonly<Record<string, Algorithm>>;

export const algorithmList: readonly Algorithm[] = Object.values(byName);

/** The least and the most bytes of a digest. A table, since asking an algorithm would compile its kernel. */
const lengths: Readonly<Record<string, readonly [least: number, most: number]>> = {
  blake224: [28, 28],
  blake256: [32, 32],
  blake384: [48, 48],
  blake512: [64, 64],
  blake2b: [1, 64],
  blake2s: [1, 32],
  blake2bp: [1, 64],
  blake2sp: [1, 32],
  blake2xb: [1, 2 ** 32 - 2],
  blake2xs: [1, 65534],
  blake3: [0, Number.MAX_SAFE_INTEGER],
};

export const lengthsOf = ({ algorithm }: Algorithm): readonly [least: number, most: number] =>
  lengths[algorithm] as readonly [number, number];

export function canHaveLength(algorithm: Algorithm, length: number): boolean {
  const [least, most] = lengthsOf(algorithm);
  return length >= least && length <= most;
}

export const blake3 = byName.blake3 as Algorithm;

/** An algorithm by its own name. */
export const algorithmNamed = (name: string): Algorithm | undefined =>
  Object.hasOwn(byName, name) ? byName[name] : undefined;

/** An algorithm, and the digest length in bytes if its written name contains one. */
export interface NamedAlgorithm {
  algorithm: Algorithm;
  length?: number;
}

/** Reads blake2b, BLAKE2b, BLAKE-256, and with a length in bits blake2b512, BLAKE2B-256 or blake3-256. */
export function findAlgorithm(name: string): NamedAlgorithm | undefined {
  const lower = name.toLowerCase();
  const own = algorithmNamed(lower) ?? algorithmNamed(lower.replace("-", ""));
  if (own) return { algorithm: own };
  const [, base = "", bits = ""] = /^(blake2[bsx]+p?|blake2[bs]p|blake3)-?(\d+)$/.exec(lower) ?? [];
  const algorithm = algorithmNamed(base);
  const length = Number(bits) / 8;
  if (!algorithm || !Number.isInteger(length)) return undefined;
  return canHaveLength(algorithm, length) ? { algorithm, length } : undefined;
}

/** The name in tagged lines, as b2sum and b3sum write it: BLAKE2b, BLAKE3. */
export const tagOf = (algorithm: Algorithm): string => algorithm.algorithm.replace("blake", "BLAKE");
