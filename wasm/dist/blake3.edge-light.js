// Made by wasm/build.
import simd128 from "./blake3.simd128.wasm?module";
import baseline from "./blake3.baseline.wasm?module";
export { simd128, baseline };
