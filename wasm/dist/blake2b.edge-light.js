// Made by wasm/build.mjs.
import baseline from "./blake2b.baseline.wasm?module";
import simd128 from "./blake2b.simd128.wasm?module";
export { baseline, simd128 };
