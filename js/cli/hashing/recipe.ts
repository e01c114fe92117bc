// How a digest is computed, and its output.
import type { ExtendableHasher } from "../../index.js";
import type { Algorithm, Options } from "./algorithms.js";

export interface Recipe {
  readonly algorithm: Algorithm;
  readonly options: Options;
  /** Bytes in the digest, which `options` have too if the algorithm takes a length. */
  readonly length: number;
  /** Offset in bytes of the digest in the output. */
  readonly seek: bigint;
}

/** The most bytes of output that are kept in memory. */
const MOST_IN_MEMORY = 64 * 1024;

/** Whether the output is too long to keep in memory. Only that of extendable algorithms can be. */
export const isLong = ({ length }: Recipe): boolean => length > MOST_IN_MEMORY;

/** Whether one `digest()` gives the output: it begins at 0 and fits in memory. */
export const isDigest = (recipe: Recipe): boolean => recipe.seek === 0n && !isLong(recipe);

export type Hasher = ReturnType<Algorithm["create"]>;

export const hasherFor = ({ algorithm, options }: Recipe): Hasher => algorithm.create(options);

/** Returns a hasher's output, a long one in pieces. */
export const outputOf = (hasher: Hasher, recipe: Recipe): Iterable<Uint8Array> =>
  isDigest(recipe) ? [hasher.digest()] : piecesOf(hasher as ExtendableHasher, recipe);

function* piecesOf(hasher: ExtendableHasher, { seek, length }: Recipe): Generator<Uint8Array, void, undefined> {
  const reader = hasher.xof();
  reader.position = seek;
  let rest = length;
  for (; rest > MOST_IN_MEMORY; rest -= MOST_IN_MEMORY) yield reader.read(MOST_IN_MEMORY);
  yield reader.read(rest);
}
