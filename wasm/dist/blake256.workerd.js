// Made by wasm/build.
import baseline from "./blake256.baseline.wasm";
import simd128 from "./blake256.simd128.wasm";
export { baseline, simd128 };
