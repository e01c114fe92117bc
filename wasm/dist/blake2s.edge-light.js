// Made by wasm/build.
import baseline from "./blake2s.baseline.wasm?module";
export { baseline, baseline as simd128 };
