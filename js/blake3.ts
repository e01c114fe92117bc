// `blake-simd/blake3`: BLAKE3.
export { type Blake3Options, blake3 } from "./algorithms/blake3.js";
export type { Algorithm } from "./engine/algorithm.js";
export type { Hasher } from "./engine/hasher.js";
export type { ExtendableHasher, Xof } from "./engine/xof.js";
export type { ByteInput, Input } from "./input/bytes.js";
export { type Encoding, equal, fromHex, toBase64, toBase64url, toHex } from "./input/text.js";
