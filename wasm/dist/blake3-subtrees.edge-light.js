// Made by wasm/build.
import simd128 from "./blake3-subtrees.simd128.wasm?module";
import baseline from "./blake3-subtrees.baseline.wasm?module";
export { simd128, baseline };
