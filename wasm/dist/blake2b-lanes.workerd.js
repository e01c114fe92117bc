// Made by wasm/build.
import baseline from "./blake2b-lanes.baseline.wasm";
import simd128 from "./blake2b-lanes.simd128.wasm";
export { baseline, simd128 };
