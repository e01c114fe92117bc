// Made by wasm/build.
import simd128 from "./blake2s-lanes.simd128.wasm?module";
import baseline from "./blake2s-lanes.baseline.wasm?module";
export { simd128, baseline };
