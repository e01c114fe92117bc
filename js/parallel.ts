// `blake-simd/parallel`: BLAKE3 on several threads.
export * from "./parallel/pool.js";
