// Made by wasm/build.
import baseline from "./blake2s-lanes.baseline.wasm?module";
import simd128 from "./blake2s-lanes.simd128.wasm?module";
export { baseline, simd128 };
