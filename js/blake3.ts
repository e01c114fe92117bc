// `blake-simd/blake3`: BLAKE3.
export { type Blake3Options, blake3 } from "./algorithms/blake3.js";
export { equal, fromHex, toHex } from "./input/text.js";
