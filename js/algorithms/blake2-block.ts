// The parameter block of BLAKE2 (BLAKE2 paper, section 2.8; BLAKE2X paper, section 2), and what follows it in the bytes
// that a kernel's `init` reads (wasm/blake2/mode.h).

/** The word size in bytes, which determines every size of BLAKE2: 8 for BLAKE2b, 4 for BLAKE2s. */
export type Word = 8 | 4;

// Modes of a kernel, in the byte after the parameter block and the key, with the last-node flag 1.
export const PARALLEL = 2;
export const EXTENDABLE = 4;

/** Returns the offset of the node depth, which the inner hash length follows. */
export function nodeDepthAt(word: Word): number {
  return word === 8 ? 16 : 14;
}

/** Returns the number of leaves of BLAKE2bp and BLAKE2sp. */
export function leavesOf(word: Word): number {
  return word === 8 ? 4 : 8;
}

/** The offset of BLAKE2X's output length, in the upper `word / 2` bytes of the node offset. */
const OUTPUT_LENGTH_AT = 12;

/** Returns the value that stands for an output length not known in advance. */
export function unknownLength(word: Word): number {
  return word === 8 ? 2 ** 32 - 1 : 2 ** 16 - 1;
}

/** Returns the output length in a parameter block. */
export function outputLength(word: Word, parameters: Uint8Array): number {
  let length = 0;
  for (let i = word / 2; i-- > 0; ) length = length * 256 + (parameters[OUTPUT_LENGTH_AT + i] as number);
  return length;
}

/** Returns the length of the output: the one in the parameters, or 2^32 digests if that is unknown. */
export function maxOutputLengthOf(word: Word, parameters: Uint8Array): bigint {
  const length = outputLength(word, parameters);
  return length === unknownLength(word) ? BigInt(8 * word) << 32n : BigInt(length);
}
