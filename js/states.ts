// `blake-simd/states`: saved states of hashers.
export { restore, save } from "./algorithms/states.js";
