// `blake-simd/blake2s`: BLAKE2s and what is built on it.
export type { Blake2ExtendableOptions, Blake2Options, Blake2ParallelOptions } from "./algorithms/blake2.js";
export { blake2s, blake2sp, blake2xs } from "./algorithms/blake2s.js";
export { equal, fromHex, toHex } from "./input/text.js";
