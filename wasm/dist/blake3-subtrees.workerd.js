// Made by wasm/build.
import baseline from "./blake3-subtrees.baseline.wasm";
import simd128 from "./blake3-subtrees.simd128.wasm";
export { baseline, simd128 };
