// Hashers for the multiformats package, as IPFS uses them: BLAKE3, BLAKE2b and BLAKE2s under their multicodec codes.
//
//   npm install multiformats
import { blake2b, blake2s, blake3 } from "blake-simd";
import { from } from "multiformats/hashes/hasher";

// https://github.com/multiformats/multicodec: blake2b-8 is 0xb201, blake2b-16 0xb202, and so on.
const BLAKE2B_8 = 0xb201;
const BLAKE2S_8 = 0xb241;

/** One hasher for each digest length from 1 byte to the longest, by its multicodec name, such as "blake2b-256". */
function hashersOf(hash, first) {
  return Array.from({ length: hash.digestLength }, (_, i) => {
    const length = i + 1;
    const name = `${hash.algorithm}-${8 * length}`;
    return [name, from({ name, code: first + i, encode: (bytes) => hash(bytes, { length }) })];
  });
}

export const blake3Hasher = from({ name: "blake3", code: 0x1e, encode: (bytes) => blake3(bytes) });

/** Every hasher by its multicodec name. */
export const hashers = Object.fromEntries([
  ["blake3", blake3Hasher],
  ...hashersOf(blake2b, BLAKE2B_8),
  ...hashersOf(blake2s, BLAKE2S_8),
]);
