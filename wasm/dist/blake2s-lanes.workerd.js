// Made by wasm/build.
import baseline from "./blake2s-lanes.baseline.wasm";
import simd128 from "./blake2s-lanes.simd128.wasm";
export { baseline, simd128 };
