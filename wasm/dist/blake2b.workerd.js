// Made by wasm/build.mjs.
import baseline from "./blake2b.baseline.wasm";
import simd128 from "./blake2b.simd128.wasm";
export { baseline, simd128 };
