// Made by wasm/build.
import baseline from "./blake2b-lanes.baseline.wasm?module";
import simd128 from "./blake2b-lanes.simd128.wasm?module";
export { baseline, simd128 };
