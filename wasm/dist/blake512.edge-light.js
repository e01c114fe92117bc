// Made by wasm/build.
import simd128 from "./blake512.simd128.wasm?module";
import baseline from "./blake512.baseline.wasm?module";
export { simd128, baseline };
