// Made by wasm/build.mjs.
import baseline from "./blake2s.baseline.wasm";
import simd128 from "./blake2s.simd128.wasm";
export { baseline, simd128 };
