// The parameter block of BLAKE2 (BLAKE2 paper, section 2.8; BLAKE2X paper, section 2): where its fields lie, and what
// follows it in what a kernel's `init` reads (wasm/blake2/message.h).

/** The word size in bytes fixes every size of BLAKE2: 8 for BLAKE2b, 4 for BLAKE2s. */
export type Word = 8 | 4;

// The modes of a kernel, in the last of its parameters, beside the last-node flag 1.
export const PARALLEL = 2;
export const EXTENDABLE = 4;

/** The inner hash length comes after the node depth. */
export function nodeDepthAt(word: Word): number {
  return word === 8 ? 16 : 14;
}

/** Leaves of BLAKE2bp and BLAKE2sp. */
export function leavesOf(word: Word): number {
  return word === 8 ? 4 : 8;
}

/** Where BLAKE2X keeps the output length, in the upper bytes of the node offset: `word / 2` of them. */
export const OUTPUT_LENGTH_AT = 12;

/** What stands for an output length that is not known beforehand. */
export function unknownLength(word: Word): number {
  return word === 8 ? 2 ** 32 - 1 : 2 ** 16 - 1;
}

/** The output length in a parameter block. */
export function outputLength(word: Word, parameters: Uint8Array): number {
  let length = 0;
  for (let i = word / 2; i-- > 0; ) length = length * 256 + (parameters[OUTPUT_LENGTH_AT + i] as number);
  return length;
}

/** Bytes of output that there are: as many as were asked for, or 2^32 digests of an unknown length. */
export function extentOf(word: Word, parameters: Uint8Array): bigint {
  const length = outputLength(word, parameters);
  return length === unknownLength(word) ? 2n ** 32n * BigInt(8 * word) : BigInt(length);
}
