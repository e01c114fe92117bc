// `blake-simd/states`: saved states of hashers.
export { restore, save } from "./algorithms/states.js";
export type { Algorithm } from "./engine/algorithm.js";
export type { Hasher } from "./engine/hasher.js";
