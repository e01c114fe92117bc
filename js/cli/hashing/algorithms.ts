import {
  algorithms,
  type Blake2Options,
  type Blake3Options,
  type Algorithm as ExportedAlgorithm,
  blake3 as exportedBlake3,
} from "../../index.js";

/** The options of all algorithms, each of which refuses those that are not its own. */
export type Options = Blake2Options & Blake3Options;

export type Algorithm = ExportedAlgorithm<Options>;

const byName: Readonly<Record<string, Algorithm>> = algorithms;

export const algorithmList: readonly Algorithm[] = Object.values(byName);

export const blake3: Algorithm = exportedBlake3;

/** The longest digests of algorithms whose default is not their longest. */
const LONGEST: Readonly<Record<string, number>> = {
  blake2xb: 2 ** 32 - 2,
  blake2xs: 65534,
  blake3: Number.MAX_SAFE_INTEGER,
};

/**
 * Returns the least and the most bytes of a digest to print, at least one. It goes by the name, since asking an
 * algorithm compiles its kernel.
 */
export function lengthsOf({ algorithm, digestLength }: Algorithm): readonly [least: number, most: number] {
  const least = algorithm === "blake3" || /^blake2[a-z]/.test(algorithm) ? 1 : digestLength;
  return [least, LONGEST[algorithm] ?? digestLength];
}

export function canHaveLength(algorithm: Algorithm, length: number): boolean {
  const [least, most] = lengthsOf(algorithm);
  return length >= least && length <= most;
}

/** Whether the length of a digest is a part of what is hashed, or counts as unknown (BLAKE2X). */
export const isExtendable = ({ algorithm }: { readonly algorithm: string }): boolean => algorithm.startsWith("blake2x");

/** An algorithm by its own name. */
export const algorithmNamed = (name: string): Algorithm | undefined =>
  Object.hasOwn(byName, name) ? byName[name] : undefined;

/** The algorithms to try on a list that names none, the likeliest first. */
export const LIKELY: readonly Algorithm[] =
  "blake3 blake2b blake2s blake2bp blake2sp blake256 blake512 blake224 blake384"
    .split(" ")
    .map((name) => algorithmNamed(name) as Algorithm);

/** The algorithms whose digests can have this length, the likeliest first: those with this default length. */
export function candidates(length: number): Algorithm[] {
  const fitting = LIKELY.filter((algorithm) => canHaveLength(algorithm, length));
  const own = ({ digestLength }: Algorithm): number => (digestLength === length ? 0 : 1);
  return fitting.sort((a, b) => own(a) - own(b));
}

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
