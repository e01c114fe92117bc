// Made by wasm/build.
import simd128 from "./blake2s-lanes.simd128.wasm";
import baseline from "./blake2s-lanes.baseline.wasm";
export { simd128, baseline };
