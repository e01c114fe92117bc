// Made by wasm/build.
import baseline from "./blake3.baseline.wasm?module";
import simd128 from "./blake3.simd128.wasm?module";
export { baseline, simd128 };
