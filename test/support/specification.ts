// The proofs' specification on bytes. Its counters can start anywhere, which no other implementation offers.

// @ts-expect-error It has no types.
import * as spec from "../evidence/prove/specification.mjs";

/** The key's eight words and the mode's flag. */
export interface Mode {
  readonly key: readonly number[];
  readonly flags: number;
}

const wordsOf = (bytes: Uint8Array, bits: number) => spec.wordsOf([...bytes], bits);
const counterAt = (count: bigint) => spec.after(spec.ZERO, count);

export const PLAIN: Mode = { key: spec.IV[32], flags: 0 };
export const keyed = (key: Uint8Array): Mode => ({ key: wordsOf(key, 32), flags: spec.KEYED_HASH });

const chainOf = (node: unknown) => Uint8Array.from(spec.bytesOfWords(spec.chainingValue(node), 32));

/** The chaining value of two neighbours' chaining values. The mode's flags may hold ROOT. */
export function parentValue({ key, flags }: Mode, left: Uint8Array, right: Uint8Array): Uint8Array {
  return chainOf(spec.parent3(key, flags, wordsOf(left, 32), wordsOf(right, 32)));
}

/** The chaining value of a subtree that begins at the given chunk of its message. */
export function subtreeValue({ key, flags }: Mode, bytes: Uint8Array, chunk: bigint): Uint8Array {
  return chainOf(spec.message3(key, flags, [...bytes], counterAt(chunk)));
}
