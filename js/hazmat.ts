// `blake-simd/hazmat`: the subtrees of BLAKE3.
export * from "./subtrees/subtrees.js";
