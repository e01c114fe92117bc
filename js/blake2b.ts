// `blake-simd/blake2b`: BLAKE2b and what is built on it.
export type { Blake2ExtendableOptions, Blake2Options, Blake2ParallelOptions } from "./algorithms/blake2.js";
export { blake2b, blake2bp, blake2xb } from "./algorithms/blake2b.js";
export type { Algorithm } from "./engine/algorithm.js";
export type { Hasher } from "./engine/hasher.js";
export type { ExtendableHasher, Xof } from "./engine/xof.js";
export type { ByteInput, Input } from "./input/bytes.js";
export { type Encoding, equal, fromHex, toBase64, toBase64url, toHex } from "./input/text.js";
