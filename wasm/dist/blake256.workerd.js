// Made by wasm/build.
import simd128 from "./blake256.simd128.wasm";
import baseline from "./blake256.baseline.wasm";
export { simd128, baseline };
