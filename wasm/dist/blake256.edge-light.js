// Made by wasm/build.
import simd128 from "./blake256.simd128.wasm?module";
import baseline from "./blake256.baseline.wasm?module";
export { simd128, baseline };
