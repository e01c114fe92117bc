// Made by wasm/build.
import baseline from "./blake3.baseline.wasm";
import simd128 from "./blake3.simd128.wasm";
export { baseline, simd128 };
