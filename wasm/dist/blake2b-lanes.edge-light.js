// Made by wasm/build.
import simd128 from "./blake2b-lanes.simd128.wasm?module";
import baseline from "./blake2b-lanes.baseline.wasm?module";
export { simd128, baseline };
