// Made by wasm/build.mjs.
import baseline from "./blake2s.baseline.wasm?module";
import simd128 from "./blake2s.simd128.wasm?module";
export { baseline, simd128 };
