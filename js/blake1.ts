// `blake-simd/blake1`: BLAKE, the SHA-3 finalist, in its final version.
export { type Blake1Options, blake224, blake256, blake384, blake512 } from "./algorithms/blake1.js";
export type { Algorithm } from "./engine/algorithm.js";
export type { Hasher } from "./engine/hasher.js";
export type { Input } from "./input/bytes.js";
export { type Encoding, equal, fromHex, toBase64, toBase64url, toHex } from "./input/text.js";
