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

/** Bounds of an algorithm's parameters, in bytes; parameters that it does not have are omitted. */
export interface Limits {
  length: readonly [least: number, most: number];
  key?: readonly [least: number, most: number];
  salt?: readonly [least: number, most: number];
  personal?: readonly [least: number, most: number];
  /** The largest node offset; present if the algorithm has tree parameters. */
  nodeOffset?: bigint;
}

const byName = algorithms as unknown as Readonly<Record<string, Algorithm>>;

export const algorithmList: readonly Algorithm[] = Object.values(byName);

const BLAKE2B = { key: [1, 64], salt: [0, 16], personal: [0, 16] } as const;
const BLAKE2S = { key: [1, 32], salt: [0, 8], personal: [0, 8] } as const;

const limits: Readonly<Record<string, Limits>> = {
  blake224: { length: [28, 28], salt: [16, 16] },
  blake256: { length: [32, 32], salt: [16, 16] },
  blake384: { length: [48, 48], salt: [32, 32] },
  blake512: { length: [64, 64], salt: [32, 32] },
  blake2b: { length: [1, 64], ...BLAKE2B, nodeOffset: 2n ** 64n - 1n },
  blake2s: { length: [1, 32], ...BLAKE2S, nodeOffset: 2n ** 48n - 1n },
  blake2bp: { length: [1, 64], key: BLAKE2B.key },
  blake2sp: { length: [1, 32], key: BLAKE2S.key },
  blake2xb: { length: [1, 2 ** 32 - 2], ...BLAKE2B },
  blake2xs: { length: [1, 65534], ...BLAKE2S },
  blake3: { length: [0, Number.MAX_SAFE_INTEGER], key: [32, 32] },
};

export const limitsOf = ({ algorithm }: Algorithm): Limits => limits[algorithm] as Limits;

export const blake3 = byName.blake3 as Algorithm;
export const blake2b = byName.blake2b as Algorithm;

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
  const [least, most] = limitsOf(algorithm).length;
  return length >= least && length <= most ? { algorithm, length } : undefined;
}

/** The name in tagged lines, as b2sum and b3sum write it: BLAKE2b, BLAKE3. */
export const tagOf = (algorithm: Algorithm): string => algorithm.algorithm.replace("blake", "BLAKE");
