// Made by wasm/build.
import simd128 from "./blake3.simd128.wasm";
import baseline from "./blake3.baseline.wasm";
export { simd128, baseline };
