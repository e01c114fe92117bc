// Made by wasm/build.
import baseline from "./blake256.baseline.wasm?module";
import simd128 from "./blake256.simd128.wasm?module";
export { baseline, simd128 };
