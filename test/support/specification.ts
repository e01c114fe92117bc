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

/** Block number `block` of a message's extendable output: 64 bytes. */
export function outputBlock({ key, flags }: Mode, message: Uint8Array, block: bigint): Uint8Array {
  return Uint8Array.from(spec.output3(spec.message3(key, flags, [...message]), 64, 0, counterAt(block)));
}

/**
 * The 32-byte hash of a message whose first `chunks` chunks are known by the chaining values of their subtrees alone: one
 * for each bit set in `chunks`, the largest first.
 */
export function goOn({ key, flags }: Mode, subtrees: Uint8Array[], chunks: bigint, message: Uint8Array): Uint8Array {
  const known = new Map<string, number[]>();
  let first = 0n;
  for (const value of subtrees) {
    const count = 2n ** BigInt((chunks - first).toString(2).length - 1);
    known.set(`${first} ${count}`, wordsOf(value, 32));
    first += count;
  }
  const leafAt = (i: bigint) => {
    const at = 1024 * Number(i - chunks);
    return spec.chunk3(key, flags, [...message.subarray(at, at + 1024)], counterAt(i));
  };
  const count = chunks + BigInt(Math.max(1, Math.ceil(message.length / 1024)));
  const knownAt = (from: bigint, leaves: bigint) => known.get(`${from} ${leaves}`);
  return Uint8Array.from(spec.output3(spec.tree3(key, flags, 0n, count, leafAt, knownAt), 32));
}

/** BLAKE2 with words of `bits` bits from a chaining value on, which has `count` bytes, to the message's end: the whole value. */
export function finishBlake2(
  bits: 32 | 64,
  chain: Uint8Array,
  count: bigint,
  message: Uint8Array,
  lastNode = false,
): Uint8Array {
  return Uint8Array.from(spec.finish2(bits, wordsOf(chain, bits), [...message], counterAt(count), lastNode));
}
