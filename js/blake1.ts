// `blake-simd/blake1`: BLAKE, the SHA-3 finalist, in its final version.
export { type Blake1Options, blake224, blake256, blake384, blake512 } from "./algorithms/blake1.js";
export { equal, fromHex, toHex } from "./input/text.js";
