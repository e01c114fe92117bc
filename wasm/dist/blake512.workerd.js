// Made by wasm/build.
import baseline from "./blake512.baseline.wasm";
import simd128 from "./blake512.simd128.wasm";
export { baseline, simd128 };
