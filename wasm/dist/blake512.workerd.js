// Made by wasm/build.
import simd128 from "./blake512.simd128.wasm";
import baseline from "./blake512.baseline.wasm";
export { simd128, baseline };
