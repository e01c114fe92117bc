// `blake-simd/hazmat`: subtrees of BLAKE3.

export type { Xof } from "./engine/xof.js";
export type { Input } from "./input/bytes.js";
export * from "./subtrees/subtrees.js";
