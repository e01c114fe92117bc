// Made by wasm/build.
import baseline from "./blake512.baseline.wasm?module";
import simd128 from "./blake512.simd128.wasm?module";
export { baseline, simd128 };
