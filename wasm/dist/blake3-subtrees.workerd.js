// Made by wasm/build.
import simd128 from "./blake3-subtrees.simd128.wasm";
import baseline from "./blake3-subtrees.baseline.wasm";
export { simd128, baseline };
