// Made by wasm/build.
import simd128 from "./blake2b-lanes.simd128.wasm";
import baseline from "./blake2b-lanes.baseline.wasm";
export { simd128, baseline };
